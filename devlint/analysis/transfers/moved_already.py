"""Whether what is moved to CUDA was moved to an option of the program before, so that another device is meant."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.which_device import DeviceValue
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements_above
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.moved_parts import same_module
from devlint.syntax.file_context import FileContext
from devlint.torch_api.moves import MOVES_ANYWHERE


def is_moved_back(ctx: FileContext, at: cst.CSTNode, device: str, value: DeviceValue) -> bool:
    """Whether ``x.cuda()`` brings back to the current card what a line above moved to ``device``, another card perhaps.

    A device that is CUDA wherever there is CUDA is the same, and what was on the CPU meanwhile is no longer there.
    """
    if (
        "." not in device
        or value.condition is not None
        or not isinstance(at, cst.Call)
        or not isinstance(at.func, cst.Attribute)
    ):
        return False
    moved = dotted_name(at.func.value)
    if moved is None or at.func.attr.value != "cuda" or at.args:
        return False
    last: str | None = None
    for statement in statements_above(ctx, at, scopes(ctx).function_of(at) or ctx.module):
        for one in ctx.tree.below(statement):
            place = _place_after(one, moved) if isinstance(one, (cst.Assign, cst.Expr)) else None
            last = place if place is not None else last
    return last == device


def _place_after(statement: cst.Assign | cst.Expr, moved: str) -> str | None:
    """The device that a line moves something to; ``""`` for another value or place, None where it does neither."""
    targets = [dotted_name(one.target) for one in statement.targets] if isinstance(statement, cst.Assign) else []
    call = same_module(statement.value)
    place = None
    if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute):
        is_of_it = moved in targets if targets else dotted_name(call.func.value) == moved
        if is_of_it and call.func.attr.value in MOVES_ANYWHERE:
            place = (dotted_name(call.args[0].value) if call.args else None) or ""
    return place if place is not None else "" if moved in targets else None
