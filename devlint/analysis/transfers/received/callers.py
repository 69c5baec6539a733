"""In which files the calls of a function may be."""

from __future__ import annotations

from devlint.analysis.project.calls import CALLS
from devlint.analysis.project.mentions import USES
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Project
from devlint.analysis.project.searches import search

_MOST_FILES = 8
"""How many files may hold the name of a function whose calls are looked at: of ``forward`` it would be all of them."""


def callers(project: Project, called: str, module: ProjectModule, own: ProjectModule) -> list[ProjectModule]:
    """The files that may call a function of a module: that one, the own one and others, unless these are many."""
    many = len(search(project, USES, called) or ()) > _MOST_FILES  # by the word alone, which is quick
    found = {one.path for one in (None if many else search(project, CALLS, called)) or ()}
    modules = (project.index.module(path) for path in sorted(found - {module.path, own.path}))
    return [*{id(each): each for each in (module, own)}.values(), *filter(None, modules)]
