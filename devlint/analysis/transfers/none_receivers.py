"""Whether what is moved may be None: without CUDA, ``if use_cuda: self.model.cuda()`` does nothing then."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.none_devices import assigned_values, is_tested_for_none
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.control_flow import exits
from devlint.analysis.names.reaching_definitions import is_used_anyway, reaching_definitions
from devlint.analysis.names.resolution import bindings, implies_not_none, is_none, uses_of
from devlint.syntax.file_context import FileContext


def receiver_may_be_none(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether the file gives a name or attribute None, asks nothing about it, and could go on without it."""
    name = dotted_name(receiver)
    if name is None or is_tested_for_none(ctx, name, receiver):
        return False
    if isinstance(receiver, cst.Name):
        found = _may_name_none(ctx, receiver) or _is_left_out_above(ctx, receiver)
    else:
        found = any(_is_or_names_none(ctx, one) for one in assigned_values(ctx, name, receiver))
    return found and not is_used_anyway(ctx, name, receiver)


def _is_left_out_above(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a parameter may be None, since a line of the function says what to do where it is not: no ``else``."""
    scope, found = bindings(ctx, name.value, name)
    if scope is None or not any(one.how is How.PARAMETER for one in found):
        return False
    for use in uses_of(ctx, scope, name.value):
        test = ctx.tree.parent(use)
        choice = ctx.tree.parent(test) if isinstance(test, cst.Comparison) else None
        if isinstance(choice, cst.If) and choice.test is test and choice.orelse is None:
            if implies_not_none(test, name.value) and not exits(choice.body):
                return True
    return False


def _is_or_names_none(ctx: FileContext, value: cst.BaseExpression) -> bool:
    return is_none(value) or (isinstance(value, cst.Name) and _may_name_none(ctx, value))


def _may_name_none(ctx: FileContext, name: cst.Name) -> bool:
    return any(is_none(one.value) for one in reaching_definitions(ctx, name))
