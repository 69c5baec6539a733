"""Methods that read nothing of their instance: what they give is nowhere near it."""

from __future__ import annotations

import ast

from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.classes import instance_of
from devlint.analysis.project.module import Function, ProjectModule
from devlint.analysis.project.overrides import classes_with_method
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.nodes import nodes_below


def reads_no_part(ctx: FileContext, method: str) -> bool:
    """Whether classes of the project have a method, and none of it reads anything of its instance."""
    known = ctx.fact(_known)
    if method not in known:
        known[method] = _reads_none(ctx, method)
    return known[method]


def _known(ctx: FileContext) -> dict[str, bool]:
    """The answers so far, by the name of the method."""
    return {}


def _reads_none(ctx: FileContext, method: str) -> bool:
    project, own = project_around(ctx), own_module(ctx)
    owners = classes_with_method(project, method)
    modules = [project.index.module(path) for path in {one.path for one in owners or ()}]
    found = [one for module in (own, *modules) if module is not None for one in _methods(module, method)]
    return owners is not None and bool(found) and not any(map(_reads_instance, found))


def _methods(module: ProjectModule, name: str) -> list[Function]:
    classes = [one for one in nodes_below(module.tree) if isinstance(one, ast.ClassDef)]
    return [one for cls in classes for one in cls.body if isinstance(one, Function) and one.name == name]


def _reads_instance(method: Function) -> bool:
    instance = instance_of(method)
    inner = [node for one in method.body for node in (one, *nodes_below(one))]
    is_super = any(isinstance(one, ast.Name) and one.id == "super" for one in inner)
    return is_super or any(isinstance(one, ast.Name) and one.id == instance for one in inner)
