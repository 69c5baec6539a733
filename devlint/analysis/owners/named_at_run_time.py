"""Who gives attributes values by names that are made at run time: ``for key, value in …: setattr(net, key, value)``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, text_of


class AnyAssignment(Record):
    """A place that may give any attribute of something a value."""

    path: str
    owner: str
    """What has the attributes, as it is written."""
    function: str
    """The function around it, where ``owner`` is a parameter of that; else empty."""


def set_by_any_name(project: Project) -> list[AnyAssignment]:
    """Where other files may give any attribute of something a value, as far as anybody knows."""
    return search(project, SET_BY_ANY_NAME, "") or []


def setters_by_any_name(module: ProjectModule) -> frozenset[str]:
    """The functions of a file that may give a parameter any attribute: ``def put(o, k, v): setattr(o, k, v)``."""
    return module.fact(_setters_by_any_name)


def _setters_by_any_name(tree: ast.Module) -> frozenset[str]:
    found = set()
    for function in nodes_below(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            given = {one.arg for one in function.args.args} - {"self"}
            calls = [one for one in nodes_below(function) if isinstance(one, ast.Call) and len(one.args) == 3]
            set_by = [one for one in calls if last_name(one.func) == "setattr" and text_of(one.args[1]) is None]
            owners = {dotted_text(one.args[0]) for one in set_by}
            owners |= {dotted_text(one) for node in nodes_below(function) for one in set_of_any_name(node)}
            found |= {function.name} if owners & given else set()
    return frozenset(found)


def _assignments(index: Index, paths: Iterable[str], name: str) -> Iterator[AnyAssignment]:
    for path in paths:
        module = index.module(path)
        nodes = nodes_below(module.tree) if module is not None else []
        functions = [one for one in nodes if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
        for owner in dict.fromkeys(dotted_text(one) for node in nodes for one in set_of_any_name(node)):
            given = [one.name for one in functions if owner in {arg.arg for arg in one.args.args} and _sets(one, owner)]
            yield from (AnyAssignment(path, owner, function) for function in given or [""] if owner)


def _sets(function: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> bool:
    return any(dotted_text(one) == owner for node in nodes_below(function) for one in set_of_any_name(node))


def set_of_any_name(node: ast.AST, by_keys: bool = False) -> Iterator[ast.expr]:
    """What a loop, over keys and values or ``by_keys`` alone, or an update of all attributes, sets attributes of.

    So does ``self.__dict__[key] = value``.
    """
    if isinstance(node, ast.For):
        target = node.target.elts[0] if isinstance(node.target, ast.Tuple) and node.target.elts else node.target
        key = dotted_text(target) if by_keys or target is not node.target else ""
        for call in (one for one in nodes_below(node) if isinstance(one, ast.Call) and len(one.args) == 3):
            if last_name(call.func) == "setattr" and key and dotted_text(call.args[1]) == key:
                yield call.args[0]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update":
        yield from _all_of(node.func.value)
    elif isinstance(node, ast.Assign):
        entries = (one for one in node.targets if isinstance(one, ast.Subscript) and text_of(one.slice) is None)
        yield from (two for one in entries for two in _all_of(one.value))


def _all_of(held: ast.expr) -> Iterator[ast.expr]:
    """What has all attributes that an expression stands for: ``self.__dict__``, ``vars(opt)``."""
    if isinstance(held, ast.Attribute) and held.attr == "__dict__":
        yield held.value
    elif isinstance(held, ast.Call) and last_name(held.func) == "vars" and held.args:
        yield held.args[0]


def _words(name: str) -> tuple[bytes, ...]:
    return (b"setattr(", b"__dict__", b"vars(")


SET_BY_ANY_NAME = Search("set by any name", _words, _assignments)
