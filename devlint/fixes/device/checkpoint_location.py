"""The place to which a checkpoint is loaded: what a function would ask three times it asks once, above all loads."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.apis.visible_devices import may_ask_for_cuda
from devlint.analysis.checkpoints.checkpoint_files import is_checkpoint, is_saved_here
from devlint.analysis.checkpoints.checkpoint_loads import (
    copies_state,
    may_stay_on_cpu,
    transfer_of_loaded,
)
from devlint.analysis.checkpoints.load_fallbacks import has_other_load
from devlint.analysis.checkpoints.state_flow import takers_of_all
from devlint.analysis.guards.cuda_flags import runs_without_cuda
from devlint.analysis.guards.guards import is_guarded
from devlint.analysis.names.control_flow import block_path, statements
from devlint.analysis.names.scopes import scopes
from devlint.analysis.slots.load_locations import is_load_without_location
from devlint.core.diagnostic import Edit
from devlint.core.record import Record
from devlint.fixes.device import resolver
from devlint.fixes.device.anchors.placement import Anchor
from devlint.fixes.device.choice import DeviceChoice, define_device
from devlint.fixes.device.load_location import device_for_copies, device_of_move, location_elsewhere
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext, fact, fact_of

_MANY = 3
"""How many loads of a function share one variable."""
_NAMES = ("map_location", "load_location")


class LoadLocation(Record):
    """What ``map_location`` is, what must be written for it, and why it may be unsafe."""

    text: str
    edits: tuple[Edit, ...] = ()
    caveat: str | None = None


def needs_location(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call loads a checkpoint to where it was saved, which may be a GPU."""
    if not is_load_without_location(ctx, call) or is_guarded(ctx, call) or has_other_load(ctx, call):
        return False
    return is_checkpoint(ctx, call) and not is_saved_here(ctx, call)


def checkpoint_location(ctx: FileContext, call: cst.Call) -> LoadLocation | None:
    """The place for what ``call`` loads, by a name where its function would ask the same of many."""
    own, scope = _location(ctx, call), scopes(ctx).scope_of(call)
    if own is None or own.edits or own.caveat or " if " not in own.text or not isinstance(scope.node, cst.FunctionDef):
        return own
    loads = [one for one in _loads(ctx) if scopes(ctx).scope_of(one) is scope and _location(ctx, one) == own]
    line = _line_above(ctx, scope.node, loads, "is_available" in own.text) if len(loads) >= _MANY else None
    torch = torch_name(ctx, line, after=False) if line is not None else None
    if line is None or torch is None or torch[1] or not may_ask_for_cuda(ctx, line):
        return own  # torch may be imported further down
    shared = define_device(ctx, Anchor(scope, line, after=False), call, own.text, names=_NAMES)
    return LoadLocation(shared.expression, shared.edits) if shared is not None else own


@fact
def _loads(ctx: FileContext) -> list[cst.Call]:
    """The loads that need a location."""
    return [one for one in ctx.tree.of_type(cst.Call) if needs_location(ctx, one)]


def _line_above(
    ctx: FileContext, function: cst.FunctionDef, loads: Sequence[cst.Call], anywhere: bool
) -> cst.CSTNode | None:
    """The statement that leads to the first of the loads, in the innermost block that holds them all.

    None unless that is the first load's own, or ``anywhere`` will do: the program's device may be defined further down.
    """
    paths = [
        [(block, at) for block, at in block_path(ctx, one, function) if isinstance(block, cst.IndentedBlock)]
        for one in loads
    ]
    shared = [level for level in zip(*paths) if len({id(block) for block, _ in level}) == 1]
    block = shared[-1][0][0] if shared else None
    if block is None or not (anywhere or paths[0][-1][0] is block):
        return None
    line: cst.CSTNode = statements(block)[min(at for _, at in shared[-1])]
    return line


@fact_of
def _location(ctx: FileContext, call: cst.Call) -> LoadLocation | None:
    """The place for what one call loads."""
    move = transfer_of_loaded(ctx, call)
    if move is not None:
        place = ctx.text_of(move.device.value)
        return LoadLocation(place) if "\n" not in place else None
    moved = device_of_move(ctx, call)
    if moved is not None:
        return LoadLocation(moved.expression, moved.edits)
    choice = resolver.resolve_device(ctx, call, any_card=True)
    takers = takers_of_all(ctx, call)
    if takers and all(copies_state(ctx, one) for one in takers):
        known = device_for_copies(ctx, choice)
        if known is None or any(may_stay_on_cpu(ctx, one, known.expression) for one in takers):
            return LoadLocation('"cpu"')
        return LoadLocation(known.expression, known.edits)
    elsewhere = _elsewhere(ctx, call, choice)
    if elsewhere is not None or choice is None:
        return elsewhere
    caveat = choice.caveat or "tensors that were saved on the CPU are then on the device"
    return LoadLocation(choice.expression, choice.edits, caveat)


def _elsewhere(ctx: FileContext, call: cst.Call, choice: DeviceChoice | None) -> LoadLocation | None:
    """Load to the CPU where there is no CUDA, and as before where there is; None where it is too early to ask."""
    if ctx.target.kind != "cuda":
        return None
    if runs_without_cuda(ctx, call):
        place = edits.fit_quotes(ctx, call, '"cpu"')
        return LoadLocation(place) if place is not None else None
    location = location_elsewhere(ctx, call, choice)
    return LoadLocation(*location) if location is not None else None
