"""Who calls a function of a file, in all of a project, and with what."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devlint.analysis.project.module import Function, ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text


class CallSite(Record):
    """One call, by the name that the function is defined under or one that it is imported as."""

    path: str
    called: str
    """As it is written: ``train``, ``engine.train``, ``model.train``; empty where that is no name."""
    positional: tuple[str, ...]
    keywords: tuple[tuple[str, str], ...]
    has_stars: bool

    def argument(self, name: str, position: int | None) -> str | None:
        """The text of what is given to a parameter; None where it gets its default, or stars may hide it."""
        found = dict(self.keywords).get(name)
        if found is not None or position is None or self.has_stars:
            return found
        return self.positional[position] if position < len(self.positional) else None


def calls_elsewhere(project: Project, name: str) -> list[CallSite] | None:
    """The calls in other files of what is called ``name`` in this file; None where nobody knows.

    A method is called by any object that has one of this name; of a function only those calls are given that import
    it from this file, or may do so.
    """
    found: list[CallSite] | None = search(project, CALLS, name)
    if found is None or (project.root is None and project.index.disk.exists(project.path)):
        return None
    return [one for one in found if _may_be(project, one, name)]


def function_calls_elsewhere(project: Project, name: str) -> list[CallSite] | None:
    """The calls in other files of a function of this file's module: only what imports it can call it by a name."""
    found = calls_elsewhere(project, name)
    return None if found is None else [one for one in found if _imports(project, one)]


def _imports(project: Project, site: CallSite) -> bool:
    """Whether a file imports what the name in a call begins with, at its top or in a function."""
    module = project.index.module(site.path)
    head = site.called.partition(".")[0]
    imports = ast.walk(module.tree) if module is not None else ()
    aliases = [one for node in imports if isinstance(node, (ast.Import, ast.ImportFrom)) for one in node.names]
    return any(one.name == "*" or (one.asname or one.name.partition(".")[0]) == head for one in aliases)


def _may_be(project: Project, site: CallSite, name: str) -> bool:
    """Whether the name that is called may stand for what this file defines."""
    module = project.index.module(site.path)
    head = site.called.partition(".")[0]
    if module is None or head not in module.bindings:
        return True
    definition = project.index.resolve(module, site.called)
    if definition is not None:
        return definition.module.path == project.path
    return site.called != name and project.index.resolve(module, head) is None


def parameter_position(function: Function, name: str, is_method: bool) -> int | None:
    """Where a call gives a value to a parameter; None where only by its name."""
    named = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    return named.index(name) - is_method if name in named else None


def _calls(index: Index, paths: Iterable[str], name: str) -> Iterator[CallSite]:
    for path in paths:
        module = index.module(path)
        yield from calls_in(module, name) if module is not None else ()


def calls_in(module: ProjectModule, name: str) -> Iterator[CallSite]:
    """The calls in one file of what is called ``name``, there or where it is imported from."""
    nodes = list(ast.walk(module.tree))
    imported = (one for node in nodes if isinstance(node, ast.ImportFrom) for one in node.names if one.name == name)
    names = {name, *(one.asname for one in imported if one.asname)}
    for node in nodes:
        if isinstance(node, ast.Call):
            called = dotted_text(node.func)
            if (called.rpartition(".")[2] or getattr(node.func, "attr", "")) in names:
                yield _site(module.path, called, node)


def _site(path: str, called: str, call: ast.Call) -> CallSite:
    keywords = tuple((one.arg, ast.unparse(one.value)) for one in call.keywords if one.arg is not None)
    stars = any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords)
    return CallSite(path, called, tuple(map(ast.unparse, call.args)), keywords, stars)


CALLS = Search("calls", lambda name: (name.encode(),), _calls)
