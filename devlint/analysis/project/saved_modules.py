"""Modules that a program saves as they are: what it loads later has the attributes that it had then."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below

_SAVE = "torch.save"
_OF_MODULES = frozenset({"train", "eval", "parameters", "named_parameters", "cuda"})


class SavingFile(Record):
    """A file that saves a whole module."""

    path: str


def saves_whole_modules(project: Project, module: ProjectModule | None) -> bool:
    """Whether a file, or another of its project, saves modules as they are: ``torch.save(model, path)``."""
    return (module is not None and module.fact(_saves_module)) or bool(search(project, SAVED_MODULES, _SAVE))


def _saving_files(index: Index, paths: Iterable[str], name: str) -> Iterator[SavingFile]:
    for path in paths:
        module = index.module(path)
        if module is not None and module.fact(_saves_module):
            yield SavingFile(path)


def _saves_module(tree: ast.Module) -> bool:
    """Whether a file saves what it uses as a module elsewhere, also within a dictionary."""
    nodes = nodes_below(tree)
    calls = [one for one in nodes if isinstance(one, ast.Call)]
    methods = (one.func for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr in _OF_MODULES)
    modules = {dotted_text(one.value) for one in methods} - {""}
    saved = [one.args[0] for one in calls if one.args and dotted_text(one.func) == _SAVE]
    named = {one.id for one in saved if isinstance(one, ast.Name)}
    assigns = [one for one in nodes if isinstance(one, ast.Assign)] if named else []
    saved += [one.value for one in assigns if not named.isdisjoint(map(dotted_text, one.targets))]
    return any(dotted_text(part) in modules for one in saved for part in _parts(one))


def _parts(value: ast.expr) -> Iterator[ast.expr]:
    """What is saved with a value: itself, the values of a dictionary, both branches, the module of a wrapper."""
    inner: list[ast.expr] = []
    if isinstance(value, ast.Dict):
        inner = value.values
    elif isinstance(value, ast.IfExp):
        inner = [value.body, value.orelse]
    elif isinstance(value, ast.Attribute) and value.attr == "module":
        inner = [value.value]
    yield value
    for one in inner:
        yield from _parts(one)


SAVED_MODULES = Search("saved modules", lambda name: (name.encode(),), _saving_files)
