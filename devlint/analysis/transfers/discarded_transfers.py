"""Transfers whose result is discarded: whether that is intended, and whether it can be assigned back."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.tensors.factories import factory_call
from devlint.analysis.tensors.tensor_values import attribute_values, is_parameter
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.analysis.transfers.to_calls import transfer
from devlint.syntax.file_context import FileContext


def is_transfer(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call moves its receiver to a device: ``x.to(device, ...)``, ``x.cuda(...)``."""
    return transfer(ctx, call) is not None or cuda_move(ctx, call) is not None


def only_wakes(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether nothing could miss what a move gives: a function makes a tensor, moves it, and reads it nowhere else."""
    if not isinstance(receiver, cst.Name):
        return False
    table = scopes(ctx)
    scope = table.binder(receiver.value, receiver)
    if scope is None or not scope.is_function:
        return False
    bound = scope.bindings.get(receiver.value, ())
    if not all(one.how is How.ASSIGN and one.value is not None and _is_own(ctx, one.value, receiver) for one in bound):
        return False
    uses = uses_of(ctx, scope, receiver.value)
    return all(isinstance(ctx.tree.parent(one), cst.AssignTarget) or _moves(ctx, one) for one in uses)


def _is_own(ctx: FileContext, value: cst.BaseExpression, name: cst.Name) -> bool:
    """Whether a value is a new tensor, or the tensor of that name elsewhere."""
    if factory_call(ctx, value) is not None:
        return True
    return (
        isinstance(value, cst.Call)
        and isinstance(value.func, cst.Attribute)
        and dotted_name(value.func.value) == name.value
        and is_transfer(ctx, value)
    )


def _moves(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a name is only looked up to move what it holds."""
    method = ctx.tree.parent(name)
    call = ctx.tree.parent(method) if isinstance(method, cst.Attribute) and method.value is name else None
    if not isinstance(call, cst.Call) or call.func is not method or not is_transfer(ctx, call):
        return False
    statement = ctx.tree.parent(call)
    if isinstance(statement, cst.Assign):
        return [dotted_name(one.target) for one in statement.targets] == [name.value]
    return isinstance(statement, cst.Expr)


def can_be_assigned_back(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether assigning the moved tensor to its own name keeps it: an attribute, or a name that is read later."""
    if isinstance(receiver, cst.Attribute):
        values = attribute_values(ctx, receiver)
        return bool(values) and not any(is_parameter(ctx, one) for one in values)
    if not isinstance(receiver, cst.Name):
        return False
    table = scopes(ctx)
    here = table.scope_of(receiver)
    if table.binder(receiver.value, receiver) is not here:
        return False
    start = ctx.span(receiver).end
    return any(ctx.span(one).start > start for one in reversed(uses_of(ctx, here, receiver.value)))
