"""Who gives an entry of a dictionary a value: ``{"use_cuda": USE_CUDA}``, ``params["use_cuda"] = True``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import nodes_below, text_of

_DEPTH = 4


class GivenEntry(Record):
    """A value that a file gives an entry of this name; None where it is not known to be True or False."""

    path: str
    value: bool | None


def flag_in_entries(project: Project, own: ProjectModule | None, key: str) -> bool | None:
    """What all files of a project give the entries called ``key``; None where they differ, or nobody knows."""
    others = search(project, ENTRIES, key) if own is not None else None
    if own is None or others is None:
        return None
    found = {one.value for one in (*_given_in(own, key), *others)}
    return found.pop() if len(found) == 1 else None


def _entries(index: Index, paths: Iterable[str], key: str) -> Iterator[GivenEntry]:
    for path in paths:
        module = index.module(path)
        yield from dict.fromkeys(_given_in(module, key)) if module is not None else ()


def _given_in(module: ProjectModule, key: str) -> Iterator[GivenEntry]:
    for node in nodes_below(module.tree):
        given: list[ast.expr] = []
        if isinstance(node, ast.Dict):
            given = [value for one, value in zip(node.keys, node.values) if one is not None and text_of(one) == key]
        elif isinstance(node, ast.Assign):
            places = [one for one in node.targets if isinstance(one, ast.Subscript) and text_of(one.slice) == key]
            given = [node.value] * bool(places)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
            given = [one.value for one in node.keywords if one.arg == key]
        yield from (GivenEntry(module.path, _flag(module, one, _DEPTH)) for one in given)


def _flag(module: ProjectModule, value: ast.expr | None, depth: int) -> bool | None:
    """Whether a value is True or False, as constants of its file say."""
    if isinstance(value, ast.Constant):
        return value.value if isinstance(value.value, bool) else None
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        held = _flag(module, value.operand, depth)
        return None if held is None else not held
    if isinstance(value, ast.Name) and depth:
        return _flag(module, module.sole_value(value.id), depth - 1)
    return None


ENTRIES = Search("entries", lambda key: (key.encode(),), _entries)
