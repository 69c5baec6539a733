"""Entries of checkpoints that the project saves as numbers, such as ``best_acc``: they are on no device."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.module import Function, ProjectModule, statements_of_scope
from devlint.analysis.project.project import Index
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.ast_names import names_bound_by, names_in_target, parameters_of
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, text_of

_MAKE_NUMBERS = frozenset({"bool", "float", "int", "len"})
_KEEP_NUMBERS = frozenset({"abs", "max", "min", "round", "sum"})
_WITHOUT_TENSORS = frozenset({"math", "numpy", "scipy", "sklearn", "time"})
"""Libraries that give numbers, or arrays that are on no device."""


class SavedEntry(Record):
    """What a file puts under a key."""

    path: str
    is_number: bool
    is_of_checkpoint: bool
    """Whether the state of something stands beside it."""


def is_saved_as_number(ctx: FileContext, key: str) -> bool:
    """Whether all that the project puts under a key are numbers, and a checkpoint is among it."""
    project, own = project_around(ctx), own_module(ctx)
    others: list[SavedEntry] | None = search(project, SAVED_ENTRIES, key)
    if others is None:
        return False
    found = [*others, *(_entries(project.index, own, key) if own is not None else ())]
    return all(one.is_number for one in found) and any(one.is_of_checkpoint for one in found)


def _saved_entries(index: Index, paths: Iterable[str], key: str) -> Iterator[SavedEntry]:
    for _, module in index.matching(paths, re.compile(rb"\b%s\b" % re.escape(key.encode()))):
        yield from _entries(index, module, key)


def _entries(index: Index, module: ProjectModule, key: str) -> Iterator[SavedEntry]:
    numbers = _Numbers(index, key)
    for node in nodes_below(module.tree):
        if isinstance(node, ast.Dict):
            calls = (one for one in node.values if isinstance(one, ast.Call))
            is_of_checkpoint = any(last_name(one.func) == "state_dict" for one in calls)
            given = [value for one, value in zip(node.keys, node.values) if one is not None and text_of(one) == key]
        elif isinstance(node, ast.Call) and dotted_text(node.func) == "dict":
            is_of_checkpoint, given = False, [one.value for one in node.keywords if one.arg == key]
        elif isinstance(node, ast.Assign):
            is_of_checkpoint = False
            keys = [text_of(one.slice) for one in node.targets if isinstance(one, ast.Subscript)]
            given = [node.value] if key in keys else []
        else:
            continue
        yield from (SavedEntry(module.path, numbers.is_one(module, one), is_of_checkpoint) for one in given)


class _Numbers:
    """Which expressions are numbers, whatever runs: as far as the names of a file, all of one name together, tell."""

    def __init__(self, index: Index, key: str) -> None:
        self.index = index
        self.key = key
        self._asked: set[int] = set()

    def is_one(self, module: ProjectModule, node: ast.expr | None, item: int | None = None) -> bool:
        """Whether an expression is a number; or an item of it is, where it is a call of a function of the project."""
        if node is None or (id(node) in self._asked and item is None):
            return node is not None
        self._asked.add(id(node))
        if isinstance(node, ast.Call):
            return self._is_call(module, node, item)
        if item is not None:
            return False
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (int, float))
        if isinstance(node, ast.Name):
            given = module.fact(_given_to_names).get(node.id, [(None, None)])
            return all(self.is_one(module, value, part) for value, part in given)
        if isinstance(node, ast.Subscript):
            return text_of(node.slice) == self.key
        return all(self.is_one(module, one) for one in _parts(node) or (None,))

    def _is_call(self, module: ProjectModule, call: ast.Call, item: int | None) -> bool:
        name, given = last_name(call.func), call.args
        if isinstance(call.func, ast.Attribute):
            if name == "item" or (name == "size" and given):
                return item is None
            if name in ("get", "pop") and len(given) == 2 and text_of(given[0]) == self.key:
                return item is None and self.is_one(module, given[1])
        if name in _MAKE_NUMBERS and isinstance(call.func, ast.Name):
            return item is None
        if name in _KEEP_NUMBERS and isinstance(call.func, ast.Name):
            return item is None and len(given) > 1 and all(self.is_one(module, one) for one in given)
        if module.origin(call.func).partition(".")[0] in _WITHOUT_TENSORS:
            return True
        found = self.index.resolve(module, dotted_text(call.func)) if dotted_text(call.func) else None
        if found is None or not isinstance(found.node, Function):
            return False
        results = [one.value for one in statements_of_scope(found.node.body) if isinstance(one, ast.Return)]
        if item is not None:
            items = [one.elts if isinstance(one, ast.Tuple) else [] for one in results]
            results = [one[item] if item < len(one) else None for one in items]
        return bool(results) and all(self.is_one(found.module, one) for one in results)


def _parts(node: ast.expr) -> list[ast.expr]:
    """The expressions that are numbers where an operation, or a choice, is one; none for any other expression."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return [node.operand] if isinstance(node, ast.UnaryOp) else []


def _given_to_names(tree: ast.Module) -> dict[str, list[tuple[ast.expr | None, int | None]]]:
    """What the names of a file are given, in whatever function, or which item of it; None for what is not known."""
    found: dict[str, list[tuple[ast.expr | None, int | None]]] = {}
    for node in nodes_below(tree):
        if isinstance(node, ast.Assign):
            known: dict[str, tuple[ast.expr | None, int | None]] = {}
            for target in node.targets:
                known.update(_given_to_target(target, node.value))
            names = [name for target in node.targets for name in names_in_target(target)]
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and isinstance(node.target, ast.Name):
            known, names = {node.target.id: (node.value, None)}, [node.target.id]
        else:
            known, names = _counted(node), [*_named_by(node)]
        for name in names:
            found.setdefault(name, []).append(known.get(name, (None, None)))
    return found


def _counted(node: ast.AST) -> dict[str, tuple[ast.expr | None, int | None]]:
    """The variable of ``for step in range(9):``."""
    if not (isinstance(node, ast.For) and isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)):
        return {}
    return {node.target.id: (ast.Constant(0), None)} if dotted_text(node.iter.func) == "range" else {}


def _named_by(node: ast.AST) -> Iterator[str]:
    """The names that are given what nobody knows: parameters, imports, variables of loops, definitions."""
    if isinstance(node, ast.arguments):
        yield from (one.arg for one in parameters_of(node))
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield from names_in_target(node.target)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from names_in_target(node.optional_vars)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from names_bound_by(node)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)) and node.name:
        yield node.name
    elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name


def _given_to_target(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, tuple[ast.expr | None, int | None]]]:
    if isinstance(target, ast.Name):
        yield target.id, (value, None)
    elif isinstance(target, ast.Tuple):
        values = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
        for at, one in enumerate(target.elts):
            if isinstance(one, ast.Name):
                yield one.id, ((values[at], None) if values is not None else (value, at))


SAVED_ENTRIES = Search("saved entries", lambda key: (key.encode(),), _saved_entries)
