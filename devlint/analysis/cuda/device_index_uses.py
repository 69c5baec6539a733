"""Where a file names a device by its index."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import libcst as cst

from devlint.analysis.cuda.literal_roles import LiteralRole, literal_uses
from devlint.analysis.devices.card_numbers import card_literal
from devlint.analysis.devices.cuda_literals import CudaLiteral, cuda_literal, index_literal
from devlint.analysis.guards.condition_text import condition_text
from devlint.analysis.guards.guards import guard_of, guards_of, runs_guarded
from devlint.analysis.guards.questions import Guard
from devlint.analysis.names.resolution import is_torch
from devlint.analysis.slots.device_arguments import device_slot, imports_torch
from devlint.analysis.transfers.cuda_method_calls import CudaMove, cuda_move
from devlint.analysis.transfers.queried_tensors import literal_tensor
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext, fact


class DeviceIndexUse(Record, eq=False):
    """A device named by its index, in a torch call or elsewhere."""

    literal: CudaLiteral
    call: cst.Call | None
    """The torch call in whose device slot it stands."""
    move: CudaMove | None = None
    """The call of ``.cuda(…)`` that is given the index."""
    as_string: bool = False
    """Whether only another string can stand in the place of a string."""


@fact
def device_index_uses(ctx: FileContext) -> list[DeviceIndexUse]:
    """The places of a file that name a device by its index, but for defaults and definitions of the first device."""
    found = []
    for use in literal_uses(ctx, LiteralRole.SLOT):
        if use.literal.index is not None:
            owner = use.owner if isinstance(use.owner, cst.Call) else None
            found.append(DeviceIndexUse(use.literal, owner, None, use.as_string))
    for use in literal_uses(ctx, LiteralRole.ASSIGNED, LiteralRole.VALUE):
        if not use.literal.is_first:
            found.append(DeviceIndexUse(use.literal, None))
    if imports_torch(ctx):
        found += _numbers(ctx)
    return found


@fact
def guarded_index_uses(ctx: FileContext) -> list[tuple[DeviceIndexUse, Guard | None]]:
    """The uses of cards, each with the test that it runs under.

    ``args.gpu is not None`` is none where the line beside it uses the same card, whatever that says; the next one is.
    """
    uses = [(use, guard_of(ctx, use.literal.node)) for use in device_index_uses(ctx)]
    beside = {(_block(ctx, use.literal.node), use.literal.index) for use, guard in uses if guard is None}
    found: list[tuple[DeviceIndexUse, Guard | None]] = []
    for use, guard in uses:
        asks = guard is not None and guard.holds and condition_text(ctx, guard.test)
        is_beside = guard is not None and (_block(ctx, guard.test), use.literal.index) in beside
        is_none = is_beside and asks == f"{use.literal.index} is not None"
        found.append((use, next_guard(ctx, use) if is_none else guard))
    return found


def next_guard(ctx: FileContext, use: DeviceIndexUse) -> Guard | None:
    """The test around the one that a use of a card runs under."""
    return next(islice(guards_of(ctx, use.literal.node), 1, None), None)


def _block(ctx: FileContext, node: cst.CSTNode) -> int:
    """Which block the statement of a node, or of a test, stands in."""
    return next((id(up) for up in ctx.tree.ancestors(node) if isinstance(up, cst.BaseSuite)), 0)


def _numbers(ctx: FileContext) -> Iterator[DeviceIndexUse]:
    """``.cuda(1)``, ``.to(0)`` and ``device=0``."""
    for call in ctx.tree.of_type(cst.Call):
        if not call.args:
            continue
        move = cuda_move(ctx, call)
        if move is not None and _is_loader(ctx, call):
            continue
        if move is not None:
            literal = card_literal(ctx, move.device.value) if move.device is not None else None
            if literal is not None:
                yield DeviceIndexUse(literal, call, move)
        elif any(isinstance(arg.value, cst.Integer) for arg in call.args):
            slot = device_slot(ctx, call)
            literal = index_literal(ctx, slot.value) if slot is not None and _takes_number(slot) else None
            if literal is not None:
                yield DeviceIndexUse(literal.replace(is_number=True), call)


def _is_loader(ctx: FileContext, call: cst.Call) -> bool:
    """Whether ``storage.cuda(0)`` is all that a function does that loads a checkpoint."""
    around = ctx.tree.parent(call)
    return isinstance(around, cst.Lambda) and cuda_literal(ctx, around) is not None


def _takes_number(slot: cst.Arg) -> bool:
    """Whether a slot holds a literal number that counts; ``x.to(rank)`` is as portable as an index can be."""
    is_location = slot.keyword is not None and slot.keyword.value == "map_location"
    return isinstance(slot.value, cst.Integer) and not is_location


@fact
def only_first_device(ctx: FileContext) -> bool:
    """Whether the file names no device index but 0."""
    literals = [use.literal for use in literal_uses(ctx, *LiteralRole)] + [
        use.literal for use in device_index_uses(ctx)
    ]
    if any(not (literal.is_first or literal.is_current or literal_tensor(ctx, literal)) for literal in literals):
        return False
    for call in ctx.tree.of_type(cst.Call):
        if call.args and is_torch(ctx, call.func, "cuda.set_device"):
            value = call.args[0].value
            if not (isinstance(value, cst.Integer) and value.evaluated_value == 0):
                return False
    return True


def fixed_device_ids(ctx: FileContext) -> list[cst.Arg]:
    """``device_ids=[0, 1]``: indices that the author has fixed; there is a first card where CUDA is asked for."""
    found = []
    for call in ctx.tree.of_type(cst.Call):
        for arg in call.args:
            if arg.keyword is not None and arg.keyword.value == "device_ids" and _is_fixed(arg.value):
                if not (_is_first_card(arg.value) and runs_guarded(ctx, arg)):
                    found.append(arg)
    return found if imports_torch(ctx) else []


def _is_first_card(node: cst.BaseExpression) -> bool:
    """Whether a list of cards names the first one and no other: ``[0]``, ``[0, 0]``."""
    listed = node.elements if isinstance(node, (cst.List, cst.Tuple)) else ()
    return all(isinstance(one.value, cst.Integer) and one.value.evaluated_value == 0 for one in listed)


def _is_fixed(node: cst.BaseExpression) -> bool:
    if isinstance(node, (cst.List, cst.Tuple)):
        return bool(node.elements) and all(isinstance(one.value, cst.Integer) for one in node.elements)
    return False
