"""The device of an expression's value, where the function around it shows it."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.names.bindings import How
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import bindings
from devlint.analysis.names.scopes import scopes
from devlint.analysis.tensors.factories import factory_call
from devlint.analysis.transfers.cpu_tensor_flow import KEEP_DEVICE, made_on_cpu
from devlint.analysis.transfers.to_calls import transfer
from devlint.syntax.file_context import FileContext

_DEPTH = 4


def tensor_location(ctx: FileContext, node: cst.CSTNode, depth: int = _DEPTH) -> cst.BaseExpression | None:
    """The name or attribute of the device that the value of ``node`` was made on or moved to; None if unknown."""
    if depth == 0:
        return None
    if isinstance(node, cst.Name):
        return _of_name(ctx, node, depth - 1)
    if isinstance(node, cst.BinaryOperation):
        return tensor_location(ctx, node.left, depth - 1) or tensor_location(ctx, node.right, depth - 1)
    if isinstance(node, cst.Subscript):
        return tensor_location(ctx, node.value, depth - 1)
    return _of_call(ctx, node, depth - 1) if isinstance(node, cst.Call) else None


def _of_call(ctx: FileContext, call: cst.Call, depth: int) -> cst.BaseExpression | None:
    move = transfer(ctx, call)
    if move is not None:
        return _device(ctx, move.device.value)
    made = factory_call(ctx, call)
    given = made.keyword("device") if made is not None else None
    if given is not None:
        return _device(ctx, given.value)
    if made is None and isinstance(call.func, cst.Attribute) and call.func.attr.value in KEEP_DEVICE:
        return tensor_location(ctx, call.func.value, depth)
    return None


def _device(ctx: FileContext, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """``node``, where it is a name for a device that may be a GPU."""
    value = device_value(ctx, node)
    if isinstance(node, cst.Attribute) and made_on_cpu(ctx, node.value):
        return None
    return node if isinstance(node, (cst.Name, cst.Attribute)) and value is not None and value.cuda else None


def _of_name(ctx: FileContext, name: cst.Name, depth: int) -> cst.BaseExpression | None:
    scope, every = bindings(ctx, name.value, name)
    if scope is None or scope is not scopes(ctx).scope_of(name):
        return None
    found = may_reach(ctx, scope, every, name)
    if len(found) != 1 or found[0].how is not How.ASSIGN or found[0].value is None:
        return None
    return tensor_location(ctx, found[0].value, depth)
