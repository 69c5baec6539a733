"""Functions that give one of their arguments back, or what that gives: ``return d() if callable(d) else d``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.syntax.python_tree.nodes import nodes_below

_MOST_STATEMENTS = 3


def given_back(function: FunctionDefinition) -> frozenset[str]:
    """The arguments of which a short function gives one, or calls it for that; none where it gives anything else."""
    if len(function.node.body) > _MOST_STATEMENTS:
        return frozenset()
    every = nodes_below(function.node)
    returned = [one for node in every if isinstance(node, ast.Return) for one in _choices(node.value)]
    names = {_argument(one) for one in returned}
    is_changed = any(isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) for one in every)
    return frozenset(names) if not is_changed and names <= {one.arg for one in function.parameters} else frozenset()


def _choices(node: ast.expr | None) -> Iterator[ast.expr | None]:
    """What an expression may be: either side of a choice."""
    if isinstance(node, ast.IfExp):
        yield from _choices(node.body)
        yield from _choices(node.orelse)
    else:
        yield node


def _argument(node: ast.expr | None) -> str:
    """The name that stands there, or is called there with nothing."""
    if isinstance(node, ast.Call) and not node.args and not node.keywords:
        node = node.func
    return node.id if isinstance(node, ast.Name) else ""
