"""Terms read from a LibCST tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from devlint.syntax.literals import literal_value
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

_OPERATORS: dict[type[cst.BaseCompOp], str] = {
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.Is: "is",
    cst.IsNot: "is not",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.In: "in",
    cst.NotIn: "not in",
}
_CONSTANTS = {"True": True, "False": False, "None": None}


def libcst_term(node: cst.CSTNode) -> Term:
    """The term that a node of LibCST's tree stands for."""
    read = _READERS.get(node.__class__)
    return read(node) if read is not None else Unknown(node)


def _boolean(node: cst.BooleanOperation) -> Term:
    kind = node.operator.__class__
    parts: list[cst.BaseExpression] = [node.right]
    left = node.left
    while isinstance(left, cst.BooleanOperation) and left.operator.__class__ is kind and not left.lpar:
        parts.append(left.right)
        left = left.left
    return (And if kind is cst.And else Or)(node, tuple(map(libcst_term, (left, *reversed(parts)))))


def _unary(node: cst.UnaryOperation) -> Term:
    operand = libcst_term(node.expression)
    if isinstance(node.operator, cst.Not):
        return Not(node, operand)
    if isinstance(node.operator, cst.Minus) and isinstance(operand, Number):
        return Number(node, -operand.value)
    return Unknown(node)


def _compare(node: cst.Comparison) -> Term:
    if len(node.comparisons) != 1:
        return Unknown(node)
    target = node.comparisons[0]
    return Compare(node, libcst_term(node.left), _OPERATORS[type(target.operator)], libcst_term(target.comparator))


def _call(node: cst.Call) -> Term:
    arguments = (Unknown(one) if one.star else libcst_term(one.value) for one in node.args)
    return Call(node, libcst_term(node.func), tuple(arguments))


def _name(node: cst.Name) -> Term:
    return Constant(node, _CONSTANTS[node.value]) if node.value in _CONSTANTS else Name(node, node.value)


def _subscript(node: cst.Subscript) -> Term:
    index = node.slice[0].slice if len(node.slice) == 1 else None
    if not isinstance(index, cst.Index) or index.star:
        return Unknown(node)
    return Subscript(node, libcst_term(node.value), libcst_term(index.value))


def _string(node: cst.SimpleString) -> Term:
    text = literal_value(node)
    return String(node, text) if isinstance(text, str) else Unknown(node)


def _collection(node: cst.Tuple | cst.List | cst.Set) -> Term:
    elements: Sequence[cst.BaseElement] = node.elements
    return Collection(node, tuple(libcst_term(one.value if isinstance(one, cst.Element) else one) for one in elements))


_READERS: dict[type[cst.CSTNode], Callable[[Any], Term]] = {
    cst.BooleanOperation: _boolean,
    cst.UnaryOperation: _unary,
    cst.Comparison: _compare,
    cst.Call: _call,
    cst.Name: _name,
    cst.Attribute: lambda node: Attribute(node, libcst_term(node.value), node.attr.value),
    cst.Subscript: _subscript,
    cst.SimpleString: _string,
    cst.Integer: lambda node: Number(node, node.evaluated_value),
    cst.Tuple: _collection,
    cst.List: _collection,
    cst.Set: _collection,
    cst.IfExp: lambda node: Choice(node, *map(libcst_term, (node.test, node.body, node.orelse))),
    cst.NamedExpr: lambda node: Assigned(node, libcst_term(node.target), libcst_term(node.value)),
}
