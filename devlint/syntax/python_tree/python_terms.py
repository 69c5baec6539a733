"""Terms read from Python's own syntax tree."""

from __future__ import annotations

import _ast as ast

from devlint.syntax.terms import (
    And,
    Assigned,
    Attribute,
    Call,
    Choice,
    Collection,
    Compare,
    Constant,
    Name,
    Not,
    Number,
    Or,
    String,
    Subscript,
    Term,
    Unknown,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}


def python_term(node: ast.AST) -> Term:
    """The term that a node of Python's tree stands for."""
    read = _READERS.get(node.__class__)
    return read(node) if read is not None else Unknown(node)


def _terms(nodes: list[ast.expr]) -> tuple[Term, ...]:
    return tuple(map(python_term, nodes))


def _boolean(node: ast.BoolOp) -> Term:
    return (And if isinstance(node.op, ast.And) else Or)(node, _terms(node.values))


def _unary(node: ast.UnaryOp) -> Term:
    operand = python_term(node.operand)
    if isinstance(node.op, ast.Not):
        return Not(node, operand)
    if isinstance(node.op, ast.USub) and isinstance(operand, Number):
        return Number(node, -operand.value)
    return Unknown(node)


def _compare(node: ast.Compare) -> Term:
    if len(node.ops) != 1:
        return Unknown(node)
    return Compare(node, python_term(node.left), _OPERATORS[type(node.ops[0])], python_term(node.comparators[0]))


def _call(node: ast.Call) -> Term:
    named = (python_term(one.value) if one.arg is not None else Unknown(one) for one in node.keywords)
    return Call(node, python_term(node.func), (*_terms(node.args), *named))


def _constant(node: ast.Constant) -> Term:
    value = node.value
    if value is None or isinstance(value, bool):
        return Constant(node, value)
    if isinstance(value, int):
        return Number(node, value)
    if isinstance(value, str) and node.lineno == node.end_lineno:
        # Pieces side by side are one string to Python and several to LibCST.
        if (node.end_col_offset or 0) - node.col_offset <= len(value) + 2:
            return String(node, value)
    return Unknown(node)


def _subscript(node: ast.Subscript) -> Term:
    if isinstance(node.slice, (ast.Slice, ast.Tuple)):
        return Unknown(node)
    return Subscript(node, python_term(node.value), python_term(node.slice))


_READERS: dict[type[ast.AST], Callable[[Any], Term]] = {
    ast.BoolOp: _boolean,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.Call: _call,
    ast.Constant: _constant,
    ast.Name: lambda node: Name(node, node.id),
    ast.Attribute: lambda node: Attribute(node, python_term(node.value), node.attr),
    ast.Subscript: _subscript,
    ast.Tuple: lambda node: Collection(node, _terms(node.elts)),
    ast.List: lambda node: Collection(node, _terms(node.elts)),
    ast.Set: lambda node: Collection(node, _terms(node.elts)),
    ast.IfExp: lambda node: Choice(node, *map(python_term, (node.test, node.body, node.orelse))),
    ast.NamedExpr: lambda node: Assigned(node, python_term(node.target), python_term(node.value)),
}
