"""Transfers whose result is discarded: whether that is intended, and whether it can be assigned back."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.tensors.tensor_values import attribute_values, is_parameter
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.analysis.transfers.to_calls import transfer
from devlint.syntax.file_context import FileContext


def is_transfer(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call moves its receiver to a device: ``x.to(device, ...)``, ``x.cuda(...)``."""
    return transfer(ctx, call) is not None or cuda_move(ctx, call) is not None


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
