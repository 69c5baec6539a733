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
from devlint.analysis.checkpoints.kept_steps import may_count_on_device, may_keep_steps
from devlint.analysis.checkpoints.load_fallbacks import goes_on_without, has_other_load
from devlint.analysis.checkpoints.state_flow import also_sets_random_state, holds_measure, moves_of_all, takers_of_all
from devlint.analysis.cuda.mps_devices import may_be_foreign
from devlint.analysis.guards.cuda_flags import runs_without_cuda
from devlint.analysis.guards.guards import is_guarded
from devlint.analysis.names.control_flow import block_path, statements
from devlint.analysis.names.scopes import scopes
from devlint.analysis.slots.load_locations import is_load_without_location, locations_beside
from devlint.core.diagnostic import Edit
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.core.target import DEVICES_LOCATE
from devlint.fixes.device import resolver
from devlint.fixes.device.anchors.flag_anchors import asks_too_early
from devlint.fixes.device.anchors.placement import Anchor, outermost_function, runs_before, top_of_script
from devlint.fixes.device.choice import DeviceChoice, define_device
from devlint.fixes.device.load_location import (
    device_for_copies,
    device_of_move,
    device_of_moves,
    device_of_takers,
    location_elsewhere,
)
from devlint.fixes.device.numbered_devices import goes_to_other_card, may_name_card
from devlint.fixes.device.shared.shared_function import shared_call
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits, line_edits
from devlint.syntax.file_context import FileContext, fact, fact_of

_NAMES = ("map_location", "load_location")
_ASKED = regex(r"\bif ([A-Za-z_]\w*)(?:\.type)? ==")
"""The device of the program that a place asks."""
_FUNCTIONS = ("get_map_location", "get_load_location")


class LoadLocation(Record):
    """What ``map_location`` is, what must be written for it, why it may be unsafe, and whether any place would do.

    Two are the same place whether or not another one would do.
    """

    text: str
    edits: tuple[Edit, ...] = ()
    caveat: str | None = None
    is_copied: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LoadLocation) and self._place == other._place

    def __hash__(self) -> int:
        return hash(self._place)

    @property
    def _place(self) -> tuple[str, tuple[Edit, ...], str | None]:
        return self.text, self.edits, self.caveat


_ON_CPU = LoadLocation('"cpu"', is_copied=True)
"""The place of what is only copied to where the parameters are."""


def needs_location(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call loads a checkpoint to where it was saved, which may be a GPU."""
    if not is_load_without_location(ctx, call) or is_guarded(ctx, call) or has_other_load(ctx, call):
        return False
    return is_checkpoint(ctx, call) and not is_saved_here(ctx, call)


def checkpoint_location(ctx: FileContext, call: cst.Call) -> LoadLocation | None:
    """The place for what ``call`` loads, by a name where the file would ask the same again."""
    own = _location(ctx, call)
    if own is None or own.caveat or " if " not in own.text:
        return own
    asked = _at_top(ctx, call, own) or _of_scope(ctx, call, own)
    if asked is None:
        shared = _shared_call(ctx, call, own)
        asked = LoadLocation(*shared) if shared is not None else own
    return asked


def _of_scope(ctx: FileContext, call: cst.Call, own: LoadLocation) -> LoadLocation | None:
    """A variable above several loads of a function, of the main part of a script or of one cell."""
    holder = _holder(ctx, call)
    loads = [one for one in _alike(ctx, own) if _holder(ctx, one) == holder]
    around = {id(one): one for one in map(scopes(ctx).scope_of, loads)}
    outer = outermost_function(ctx, call) if len(around) > 1 and "is_available" in own.text else None
    scope = scopes(ctx).opened_by(outer) if outer is not None else scopes(ctx).scope_of(call)
    top = scope.node if isinstance(scope.node, (cst.FunctionDef, cst.Module)) else None
    if top is None or len(loads) < 2 or (outer is None and len(around) > 1):
        return None
    line = _line_above(ctx, own, top, loads)
    torch = torch_name(ctx, line, after=False) if line is not None else None
    if line is None or torch is None or torch[1] or not may_ask_for_cuda(ctx, line):
        return None  # torch may be imported further down
    text, written = _shared_call(ctx, call, own) or (own.text, own.edits)
    shared = define_device(ctx, Anchor(scope, line, after=False), call, text, names=_NAMES)
    begins = line_edits.line_start(ctx.source.text, ctx.span(line).start)
    if shared is None or any(one.span.end >= begins for one in written):
        return None
    return LoadLocation(shared.expression, (*written, *shared.edits))


def _at_top(ctx: FileContext, call: cst.Call, own: LoadLocation) -> LoadLocation | None:
    """A variable at the top of a script whose functions or cells would each ask."""
    anchor = top_of_script(ctx) if _is_asked_by_several(ctx, own) else None
    if anchor is None or not runs_before(ctx, anchor, call) or asks_too_early(ctx, anchor, None):
        return None
    torch = torch_name(ctx, anchor.statement, anchor.after)
    shared = define_device(ctx, anchor, call, own.text, names=_NAMES) if torch and not torch[1] else None
    return LoadLocation(shared.expression, shared.edits) if shared is not None else None


def _shared_call(ctx: FileContext, call: cst.Call, own: LoadLocation) -> tuple[str, tuple[Edit, ...]] | None:
    """``get_map_location()`` where several functions of a file that is no script would ask the same."""
    if top_of_script(ctx) is not None or own.edits or "is_available" not in own.text:
        return None
    return shared_call(ctx, call, own.text, _is_asked_by_several(ctx, own), names=_FUNCTIONS)


def _is_asked_by_several(ctx: FileContext, own: LoadLocation) -> bool:
    """Whether several functions or cells would ask whether there is CUDA."""
    if own.edits or "is_available" not in own.text:
        return False
    return len({_holder(ctx, one) for one in _alike(ctx, own)}) > 1


def _alike(ctx: FileContext, own: LoadLocation) -> list[cst.Call]:
    """The loads of the file that go to the same place."""
    return [one for one in _loads(ctx) if _location(ctx, one) == own]


def _holder(ctx: FileContext, call: cst.Call) -> int:
    """The function that holds a load, or the cell of a notebook."""
    function = outermost_function(ctx, call)
    return id(function) if function is not None else ctx.cell_of(call) or 0


@fact
def _loads(ctx: FileContext) -> list[cst.Call]:
    """The loads that need a location."""
    return [one for one in ctx.tree.of_type(cst.Call) if needs_location(ctx, one)]


def _line_above(
    ctx: FileContext, own: LoadLocation, top: cst.FunctionDef | cst.Module, loads: Sequence[cst.Call]
) -> cst.CSTNode | None:
    """The statement that leads to the first of the loads, in the innermost block that holds them all.

    None if that is not the first load's own, and the program's device may not be there yet.
    """
    paths = [
        [(block, at) for block, at in block_path(ctx, one, top) if isinstance(block, (cst.IndentedBlock, cst.Module))]
        for one in loads
    ]
    shared = [level for level in zip(*paths) if len({id(block) for block, _ in level}) == 1]
    block = shared[-1][0][0] if shared else None
    if block is None:
        return None
    line: cst.CSTNode = statements(block)[min(at for _, at in shared[-1])]
    return line if paths[0][-1][0] is block or _is_known_above(ctx, own, line) else None


def _is_known_above(ctx: FileContext, own: LoadLocation, line: cst.CSTNode) -> bool:
    """Whether the device that a place asks, if it asks one, is the same above a line that leads to the load."""
    device = _ASKED.search(own.text)
    if own.edits or device is None:
        return own.edits != () or "is_available" in own.text
    owner, scope = scopes(ctx).binder(device[1], line), scopes(ctx).scope_of(line)
    start = ctx.span(line).start
    return owner is not None and (
        owner is not scope or all(ctx.span(one.node).end <= start for one in owner.bindings[device[1]])
    )


@fact_of
def _location(ctx: FileContext, call: cst.Call) -> LoadLocation | None:
    """The place for what one call loads, in the form of those beside it."""
    own = _own_location(ctx, call)
    return _as_beside(ctx, call, own) if own is not None and not own.caveat and " if " not in own.text else own


def _as_beside(ctx: FileContext, call: cst.Call, own: LoadLocation) -> LoadLocation:
    """The form that another load of its function needs.

    That is ``None if … else "cpu"``, or ``"cpu"`` for what is only copied, also beside any load of the same file.
    """
    if runs_without_cuda(ctx, call):
        return own
    holder = _holder(ctx, call)
    loads = [one for one in _loads(ctx) if one is not call and _holder(ctx, one) == holder]
    places = [place for one in loads if (place := _own_location(ctx, one)) is not None and not place.caveat]
    asked = [place for place in places if " if " in place.text]
    if asked and (own.is_copied or own.text.strip("\"'") == "cpu"):
        same = _elsewhere(ctx, call, resolver.resolve_device(ctx, call, any_card=True))
        if same is not None and same in asked:
            return same
    return _ON_CPU if own.is_copied and any(_own_location(ctx, one) == _ON_CPU for one in _loads(ctx)) else own


@fact_of
def _own_location(ctx: FileContext, call: cst.Call) -> LoadLocation | None:
    """The place for what one call loads."""
    place = _place(ctx, call)
    caveat = goes_on_without(ctx, call) if place is not None and place.caveat is None else None
    return place.replace(caveat=caveat) if place is not None and caveat is not None else place


def _place(ctx: FileContext, call: cst.Call) -> LoadLocation | None:
    """The place for what one call loads, where nothing expects that it fails."""
    move = transfer_of_loaded(ctx, call) if ctx.target.torch_min_version >= DEVICES_LOCATE else None
    place = ctx.text_of(move.device.value) if move is not None else ""
    if move is not None and not may_name_card(ctx, place) and not may_be_foreign(ctx, place, call):
        return LoadLocation(place) if "\n" not in place else None
    moved = device_of_move(ctx, call)
    if moved is not None:
        return LoadLocation(moved.expression, moved.edits)
    choice = resolver.resolve_device(ctx, call, any_card=True)
    moved = device_of_moves(ctx, choice, call, moves_of_all(ctx, call))
    if moved is not None:
        return LoadLocation(moved.expression, moved.edits)
    takers = takers_of_all(ctx, call)
    with_steps = [one for one in takers if may_keep_steps(ctx, one)]
    is_copied = bool(takers) and all(copies_state(ctx, one) for one in takers)
    if is_copied and not any(may_count_on_device(ctx, one) for one in with_steps):
        known = device_for_copies(ctx, choice, call)
        is_measured = holds_measure(ctx, call)
        kept = _elsewhere(ctx, call, choice) if is_measured else None
        if kept is not None or (is_measured and known is not None and goes_to_other_card(ctx, known.expression)):
            return kept
        if known is None or with_steps or also_sets_random_state(ctx, call) or _may_not_fit(ctx, call, known, takers):
            return _ON_CPU
        beside = device_of_takers(ctx, call, takers)
        copied = LoadLocation(beside) if beside is not None else LoadLocation(known.expression, known.edits)
        return copied.replace(is_copied=not is_measured)
    elsewhere = _elsewhere(ctx, call, choice)
    if elsewhere is not None or choice is None:
        return elsewhere
    caveat = choice.caveat or "tensors that were saved on the CPU are then on the device"
    return LoadLocation(choice.expression, choice.edits, caveat)


def _may_not_fit(ctx: FileContext, call: cst.Call, known: DeviceChoice, takers: Sequence[cst.BaseExpression]) -> bool:
    """Whether what a call loads may be too large for a device, to which no other load beside it goes."""
    stays = any(may_stay_on_cpu(ctx, one, known.expression) for one in takers)
    return stays and known.expression not in locations_beside(ctx, call)


def _elsewhere(ctx: FileContext, call: cst.Call, choice: DeviceChoice | None) -> LoadLocation | None:
    """Load to the CPU where there is no CUDA, and as before where there is; None where it is too early to ask."""
    if ctx.target.kind != "cuda":
        return None
    if runs_without_cuda(ctx, call):
        place = edits.fit_quotes(ctx, call, '"cpu"')
        return LoadLocation(place) if place is not None else None
    location = location_elsewhere(ctx, call, choice)
    return LoadLocation(*location) if location is not None else None
