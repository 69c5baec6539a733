"""The way from a file that is analyzed to its project."""

from __future__ import annotations

from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Project
from devlint.syntax.file_context import FileContext, fact


@fact
def project_around(ctx: FileContext) -> Project:
    """The project of a file."""
    return Project(ctx.source.path, *(ctx.around or ()))


@fact
def own_module(ctx: FileContext) -> ProjectModule | None:
    """The file itself as Python parses it, with the fixes that are made so far."""
    return project_around(ctx).own_module(ctx.source.text)
