"""What an expression comes to where constants alone decide it: ``not True and f()`` is False."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from devlint.syntax.python_tree.nodes import dotted_text

UNKNOWN = object()
"""A value that nothing in the program says."""
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def constant_value(
    node: ast.expr, named: Callable[[ast.expr], object], other: Callable[[ast.expr], object] = lambda _: UNKNOWN
) -> object:
    """The value of an expression, or UNKNOWN; ``named`` says it of names, attributes and entries.

    What no constants decide, such as a call, ``other`` says.
    """
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return named(node)
    if isinstance(node, ast.BoolOp):
        return _joined(node, named, other)
    if isinstance(node, ast.UnaryOp):
        value = constant_value(node.operand, named, other)
        if value is UNKNOWN:
            return UNKNOWN
        if isinstance(node.op, ast.Not):
            return not value
        return -value if isinstance(node.op, ast.USub) and isinstance(value, (int, float)) else UNKNOWN
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(node, named, other)
    if isinstance(node, ast.Call) and dotted_text(node.func) == "bool" and len(node.args) == 1:
        value = constant_value(node.args[0], named, other)
        return value if value is UNKNOWN else bool(value)
    return other(node)


def _joined(node: ast.BoolOp, named: Callable[[ast.expr], object], other: Callable[[ast.expr], object]) -> object:
    """``a and b`` is false where one is, whatever the other one is."""
    values = [constant_value(one, named, other) for one in node.values]
    decides = isinstance(node.op, ast.Or)
    if any(one is not UNKNOWN and bool(one) is decides for one in values):
        return decides
    return UNKNOWN if any(one is UNKNOWN for one in values) else not decides


def _compared(node: ast.Compare, named: Callable[[ast.expr], object], other: Callable[[ast.expr], object]) -> object:
    values = [constant_value(one, named, other) for one in (node.left, node.comparators[0])]
    compare = _COMPARE.get(type(node.ops[0]))
    if compare is None or any(one is UNKNOWN for one in values):
        return UNKNOWN
    try:
        return compare(*values)
    except TypeError:
        return UNKNOWN
