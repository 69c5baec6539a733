"""Variables that hold numbers alone, of whatever tensor: ``rows, width = x.size()``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import Binding, How, dotted_name

_GIVE_NUMBERS = frozenset("size dim numel item len int float".split())
_NUMBERS = (cst.Integer, cst.Float)


def holds_number(binding: Binding) -> bool:
    """Whether a variable is assigned a number, or the numbers that a tensor is asked for: its sizes, its ``item()``."""
    value = binding.node.value if isinstance(binding.node, cst.Assign) else None
    return binding.how in (How.ASSIGN, How.UNPACK) and value is not None and _is_number(value)


def _is_number(value: cst.BaseExpression) -> bool:
    while isinstance(value, (cst.Subscript, cst.UnaryOperation)):
        value = value.value if isinstance(value, cst.Subscript) else value.expression
    if isinstance(value, cst.Tuple):
        return all(_is_number(one.value) for one in value.elements)
    if isinstance(value, cst.BinaryOperation):
        return _is_number(value.left) and _is_number(value.right)
    if isinstance(value, cst.Call):
        func = value.func
        name = func.attr.value if isinstance(func, cst.Attribute) else dotted_name(func)
        return name in _GIVE_NUMBERS
    return isinstance(value, _NUMBERS) or (isinstance(value, cst.Attribute) and value.attr.value == "shape")
