"""Whether what is moved to CUDA was moved to an option of the program before, so that another device is meant."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.devices.none_devices import assigned_values
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.control_flow import statements_above
from devlint.analysis.names.resolution import bindings, in_torch_device, origin, sole_value
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.owners.moved_parts import same_module
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import NOT_FOR_CUDA
from devlint.torch_api.moves import MOVES_ANYWHERE


def is_moved_back(ctx: FileContext, at: cst.CSTNode, device: str) -> bool:
    """Whether ``x.cuda()`` brings back to the current card what a line above moved to ``device``, another card perhaps.

    What was on the CPU meanwhile is no longer there. What an instance keeps there is there in every method:
    ``self.data[:3].cuda()``.
    """
    if not isinstance(at, cst.Call) or not isinstance(at.func, cst.Attribute) or not is_bare_cuda(at):
        return False
    return any(
        _is_kept_on(ctx, at, one, device) or _last_place(ctx, at, one) == device for one in _moved(ctx, at.func.value)
    )


def is_bare_cuda(call: cst.Call) -> bool:
    """Whether a call is ``x.cuda()`` or ``x.cuda(non_blocking=True)``, which names no card."""
    is_cuda = isinstance(call.func, cst.Attribute) and call.func.attr.value == "cuda"
    return is_cuda and all(one.keyword is not None and one.keyword.value != "device" for one in call.args)


def _moved(ctx: FileContext, node: cst.BaseExpression) -> list[str]:
    """What is moved, by its name or that of which it is a part, and what that is a part of by its only value."""
    whole = dotted_name(node)
    found = [whole] if whole is not None else []
    while isinstance(node, cst.Subscript):
        node = node.value
    if isinstance(node, cst.Name):
        value = sole_value(ctx, node)
        while isinstance(value, cst.Subscript):
            value = value.value
        node = value if value is not None else node
    root = dotted_name(node)
    return [*found, root] if root is not None and root != whole else found


def _last_place(ctx: FileContext, at: cst.CSTNode, moved: str) -> str | None:
    """The device that the lines above a place move something to at last."""
    last: str | None = None
    for statement in statements_above(ctx, at, scopes(ctx).function_of(at) or ctx.module):
        for one in ctx.tree.below(statement):
            place = _place_after(one, moved) if isinstance(one, (cst.Assign, cst.Expr)) else None
            last = place if place is not None else last
    return last


def _is_kept_on(ctx: FileContext, at: cst.CSTNode, moved: str, device: str) -> bool:
    """Whether the class around a place makes an attribute on the device that its instances keep, or moves it there."""
    owner = class_of(ctx, at)
    if owner is None or not moved.startswith("self.") or not device.startswith("self."):
        return False
    names = {device, *(dotted_name(in_torch_device(ctx, one)) for one in assigned_values(ctx, device, at))}
    return any(_place_of(one) in names - {None} for one in assigned_values(ctx, moved, at))


def is_put_elsewhere(ctx: FileContext, at: cst.CSTNode, receiver: cst.BaseExpression) -> bool:
    """Whether a line above puts what is moved on a device that may be neither the CPU nor decided by a test for CUDA.

    ``net.to(xla_device())``, or ``x = torch.ones(2, device=where)``: the CPU is not where it stays without CUDA.
    """
    moved, last = dotted_name(receiver), None
    if moved is None:
        return False
    for statement in statements_above(ctx, at, scopes(ctx).function_of(at) or ctx.module):
        for one in (statement, *ctx.tree.below(statement)):
            if isinstance(one, (cst.Assign, cst.Expr)) and _place_after(one, moved) is not None:
                last = one.value
    device = _told(same_module(last)) if last is not None else None
    return device is not None and not _is_type(ctx, device) and not _is_cpu_or_cuda(ctx, device)


def _told(call: cst.BaseExpression) -> cst.BaseExpression | None:
    """The device that a call is told: the first of ``to``, or ``device=`` of what makes a tensor; no card of CUDA."""
    if not isinstance(call, cst.Call):
        return None
    method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    if method == "cuda":
        return None
    is_move = method == "to"
    named = [one.value for one in call.args if one.keyword is not None and one.keyword.value == "device"]
    given = [one.value for one in call.args[:1] if is_move and one.keyword is None and not one.star]
    return next(iter(named + given), None)


def _is_type(ctx: FileContext, given: cst.BaseExpression) -> bool:
    """``torch.float64``, ``y.dtype``."""
    is_torchs = (origin(ctx, given) or "").startswith("torch.")
    return isinstance(given, cst.Attribute) and (is_torchs or given.attr.value == "dtype")


def _is_cpu_or_cuda(ctx: FileContext, device: cst.BaseExpression) -> bool:
    text = string_value(device)
    if text is not None:
        return text.startswith("cpu")
    value = device_value(ctx, device)
    if value is None or (value.cuda and value.condition is None):
        return False
    found = bindings(ctx, device.value, device)[1] if isinstance(device, cst.Name) else []
    texts = [ctx.text_of(one.value) for one in found if one.value is not None]
    return not any(kind in one for one in (ctx.text_of(device), *texts) for kind in NOT_FOR_CUDA)


def _place_after(statement: cst.Assign | cst.Expr, moved: str) -> str | None:
    """The device that a line moves something to; ``""`` for another value or place, None where it does neither."""
    targets = [dotted_name(one.target) for one in statement.targets] if isinstance(statement, cst.Assign) else []
    call = same_module(statement.value)
    if targets:
        return (_place_of(call) or "") if moved in targets else None
    is_of_it = (
        isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and dotted_name(call.func.value) == moved
    )
    return _place_of(call) if is_of_it else None


def _place_of(value: cst.BaseExpression) -> str | None:
    """The device that a value is moved to, or made on; ``""`` for another place, None for what says none."""
    call = same_module(value)
    if not isinstance(call, cst.Call):
        return None
    is_move = isinstance(call.func, cst.Attribute) and call.func.attr.value in MOVES_ANYWHERE
    given = [one.value for one in call.args if is_move and one.keyword is None]
    given += [one.value for one in call.args if one.keyword is not None and one.keyword.value == "device"]
    name = dotted_name(given[0]) if given else None
    return name or "" if is_move or given else None
