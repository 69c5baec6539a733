"""Whether a program moves between CUDA and a device, so that this is another one than the current card."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.devices.device_values import device_value
from devlint.analysis.devices.none_devices import assigned_values
from devlint.analysis.devices.which_device import DeviceValue
from devlint.analysis.guards.cuda_flags import asks_more_than_torch
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.resolution import is_none
from devlint.analysis.names.scopes import scopes
from devlint.analysis.slots.kept_devices import device_set_in
from devlint.analysis.tensors.made_values import SAY_NO_PLACE, is_made_of_any, names_assigned, value_given
from devlint.analysis.transfers.moved_already import is_bare_cuda, is_moved_back
from devlint.syntax.file_context import FileContext
from devlint.torch_api.moves import KEEPS_MODULE, MOVES

_WRAPPERS = ("DataParallel", "DistributedDataParallel", "DDP", "convert_sync_batchnorm")


def means_another_device(ctx: FileContext, at: cst.CSTNode, device: str, value: DeviceValue) -> bool:
    """Whether what comes of ``x.cuda()`` is moved to ``device``: ``y = net(x.cuda())``, and then ``y.to(device)``.

    Nobody would write that if it were where ``y`` is, nor ``x.cuda()`` of what was moved to ``device`` before. One such
    place where the device is the same variable is enough. One that is CUDA wherever there is CUDA may be written so.
    """
    if value.condition is not None and not asks_more_than_torch(ctx, value.condition, at):
        return False
    root, known = device.partition(".")[0], ctx.fact(_known)
    owner = class_of(ctx, at) if root == "self" else scopes(ctx).binder(root, at)
    key = (device, id(owner))
    if key not in known:
        moves = ctx.fact(_moves_to).get("", ()) if not _is_written_as_cuda(ctx, at, device) else ()
        known[key] = any(_is_same_and_moved(ctx, one, device, owner) for one in moves)
    return known[key]


def _is_written_as_cuda(ctx: FileContext, at: cst.CSTNode, device: str) -> bool:
    """Whether the file gives a device no value but ``"cuda"``, the current card, whose tensors may be moved there.

    Or the CPU where torch says that there is no CUDA; it may be None before.
    """
    values = [one for one in assigned_values(ctx, device, at) if not is_none(one)]
    written = [cuda_literal(ctx, one) for one in values]
    if written and all(one is not None and one.index is None for one in written):
        return True
    ups = [up for one in values for up in ctx.tree.ancestors(one) if isinstance(up, cst.If)][:1]
    set_in = device_set_in(ctx, ups[0], device) if ups and len(values) == 2 else None
    known = set_in[1] if set_in is not None else device_value(ctx, values[0]) if len(values) == 1 else None
    if known is None or known.condition is None or known.caveat is not None:
        return False
    return known.index is None and not asks_more_than_torch(ctx, known.condition, values[0])


def _known(ctx: FileContext) -> dict[tuple[str, int], bool]:
    """The answers so far."""
    return {}


def _is_same_and_moved(ctx: FileContext, at: cst.Call, device: str, owner: object) -> bool:
    """Whether a call of ``cuda`` where a device is the same variable moves what was there, or is moved there after."""
    root = device.partition(".")[0]
    if (class_of(ctx, at) if root == "self" else scopes(ctx).binder(root, at)) is not owner:
        return False
    moves, end = ctx.fact(_moves_to).get(device, ()), ctx.span(at).end
    function = scopes(ctx).function_of(at)
    is_below = any(ctx.span(one).end > end and scopes(ctx).function_of(one) is function for one in moves)
    return is_moved_back(ctx, at, device) or (is_below and _is_made_and_moved(ctx, at, device))


def _is_made_and_moved(ctx: FileContext, at: cst.Call, device: str) -> bool:
    """Whether something is made of what a call moves to CUDA, and moved to a device."""
    statement, is_moved = _statement(ctx, at, device)
    if statement is None or is_moved:
        return is_moved
    function = scopes(ctx).function_of(at)
    made = names_assigned(statement) if _is_made_of(ctx, statement, at) else frozenset[str]()
    moved = names_assigned(statement) - made
    for one in _below(ctx, function.body if function is not None else ctx.module, statement):
        if made and _moves_any(ctx, one, made, device):
            return True
        value_of = value_given(one)
        if value_of is None:
            continue
        if is_made_of_any(ctx, value_of, made) or (_computes(value_of) and is_made_of_any(ctx, value_of, moved)):
            made |= names_assigned(one)
        else:
            made, moved = made - names_assigned(one), moved - names_assigned(one)
        if not made and not moved:
            return False
    return False


def _moves_to(ctx: FileContext) -> dict[str, list[cst.Call]]:
    """The calls of ``to`` that name a device, by its dotted name, and those of ``cuda`` that name none by ``""``."""
    found: dict[str, list[cst.Call]] = {}
    for call in ctx.tree.of_type(cst.Call):
        name = _moved_to(call)
        if name is None and is_bare_cuda(call):
            name = ""
        if name is not None:
            found.setdefault(name, []).append(call)
    return found


def _statement(ctx: FileContext, at: cst.CSTNode, device: str) -> tuple[cst.CSTNode | None, bool]:
    """The statement around a move, and whether it moves on what it makes of that: ``net(x.cuda()).to(device)``."""
    is_made = False
    for child, parent in ctx.tree.path_up(at):
        if isinstance(parent, cst.Attribute) and parent.attr.value in SAY_NO_PLACE:
            return None, False
        if isinstance(parent, cst.Arg):
            is_made = True
        if is_made and isinstance(parent, cst.Call) and parent.func is child and _moved_to(parent) == device:
            return None, True
        if isinstance(parent, (cst.BaseSmallStatement, cst.For, cst.BaseCompoundStatement)):
            return parent, False
        if isinstance(parent, (cst.Lambda, cst.FunctionDef)):
            return None, False
    return None, False


def _is_made_of(ctx: FileContext, statement: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether a statement computes something of what it moves, and does not only give that a name."""
    for child, parent in ctx.tree.path_up(at):
        if parent is statement:
            return False
        if isinstance(parent, cst.Call) and parent.func is not child:
            return not _wraps(parent)
        if isinstance(parent, (cst.BinaryOperation, cst.Comparison)):
            return True
    return False


def _computes(value: cst.CSTNode) -> bool:
    """Whether an expression is more than a name or a method that gives a module back."""
    while isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) and not value.args:
        if value.func.attr.value not in KEEPS_MODULE | MOVES:
            return True
        value = value.func.value
    return isinstance(value, (cst.Call, cst.BinaryOperation)) and not _wraps(value) and not _moves(value)


def _wraps(value: cst.CSTNode) -> bool:
    name = (dotted_name(value.func) or "").rpartition(".")[2] if isinstance(value, cst.Call) else ""
    return name in _WRAPPERS


def _moves(value: cst.CSTNode) -> bool:
    return isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) and value.func.attr.value in MOVES


def _below(ctx: FileContext, body: cst.CSTNode, start: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The statements and loops of a function below one of them, in order."""
    end = ctx.span(start).end
    for node in ctx.tree.below(body):
        if isinstance(node, (cst.BaseSmallStatement, cst.For)) and ctx.span(node).start >= end:
            yield node


def _moves_any(ctx: FileContext, statement: cst.CSTNode, names: frozenset[str], device: str) -> bool:
    """Whether a statement moves to a device what is made of one of some names."""
    return any(
        isinstance(one, cst.Call)
        and isinstance(one.func, cst.Attribute)
        and _moved_to(one) == device
        and is_made_of_any(ctx, one.func.value, names)
        for one in ctx.tree.below(statement)
    )


def _moved_to(call: cst.Call) -> str | None:
    """The dotted name of the device in ``x.to(device)``."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in MOVES:
        return None
    given = [one.value for one in call.args if one.keyword is None or one.keyword.value == "device"]
    return dotted_name(given[0]) if given else None
