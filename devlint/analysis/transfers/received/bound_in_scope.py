"""What the names of a scope, their attributes and the collections that they stand for are given, anywhere in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.core.record import Record
from devlint.syntax.python_tree.ast_names import nodes_of_scope
from devlint.syntax.python_tree.nodes import dotted_text

ANY_DEPTH = 2
"""How deep in a collection something is, where nobody knows: elements, or elements of these."""
_ADDS = frozenset("append appendleft add insert put push setdefault".split())
_ADDS_ALL = frozenset({"extend", "update"})
_GIVES = frozenset(
    (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign, ast.For, ast.AsyncFor, ast.comprehension, ast.withitem)
)
"""The nodes, but for calls, that give a name something."""


class GivenValue(Record, eq=False):
    """An expression of which a name gets the value, an element (``depth`` 1), or of which it is an element (-1)."""

    value: ast.expr
    depth: int = 0


def values_in(scope: ast.AST) -> dict[str, list[GivenValue]]:
    """What each name, or attribute of one, is given in a module, a function or a lambda."""
    found: dict[str, list[GivenValue]] = {}
    body = getattr(scope, "body", [])
    for node in nodes_of_scope(body if isinstance(body, list) else [body]):
        for target, given in _given_by(node) if node.__class__ in _GIVES or node.__class__ is ast.Call else ():
            found.setdefault(target, []).append(given)
    return found


class KnownValues:
    """What scopes give names, found once for all who follow the values of a program."""

    def __init__(self, _tree: ast.Module) -> None:
        self._known: dict[int, tuple[ast.AST, dict[str, list[GivenValue]]]] = {}
        """It keeps the scopes, whose ``id`` another could have once the index forgets the tree."""

    def of(self, scope: ast.AST) -> dict[str, list[GivenValue]]:
        """As ``values_in``."""
        if id(scope) not in self._known:
            self._known[id(scope)] = (scope, values_in(scope))
        return self._known[id(scope)][1]


def _given_by(node: ast.AST) -> Iterator[tuple[str, GivenValue]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _pieces(target, node.value, 0)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr, ast.AugAssign)) and node.value is not None:
        yield from _pieces(node.target, node.value, 0)
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield from _pieces(node.target, node.iter, 1)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from _pieces(node.optional_vars, node.context_expr, 0)
        yield from _pieces(node.optional_vars, node.context_expr, 1)  # what a generator of contextlib yields
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        owner, added = dotted_text(node.func.value), node.args[-1]
        if node.func.attr in _ADDS | _ADDS_ALL:
            yield owner, GivenValue(added, -1 if node.func.attr in _ADDS else 0)


def _pieces(target: ast.expr, value: ast.expr, depth: int) -> Iterator[tuple[str, GivenValue]]:
    """What each name of a target gets of a value, or of its elements."""
    if isinstance(target, ast.Subscript):
        yield dotted_text(target.value), GivenValue(value, depth - 1)
    elif isinstance(target, ast.Starred):
        yield from _pieces(target.value, value, depth)
    elif isinstance(target, (ast.Tuple, ast.List)):
        inner = value.elts if isinstance(value, (ast.Tuple, ast.List)) and depth == 0 else []
        if len(inner) == len(target.elts) and not any(isinstance(one, ast.Starred) for one in (*inner, *target.elts)):
            for one, given in zip(target.elts, inner):
                yield from _pieces(one, given, 0)
            return
        for one in target.elts:
            yield from _pieces(one, value, depth + 1)
    else:
        yield dotted_text(target), GivenValue(value, depth)


def elements_below(depth: int) -> tuple[int, ...]:
    """How deep in an element something may be that is so deep in its collection."""
    return () if depth == 0 else (0,) if depth == 1 else (0, ANY_DEPTH)
