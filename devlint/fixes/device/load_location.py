"""Where a checkpoint goes without CUDA, while it goes to where it was saved with CUDA."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile

import libcst as cst

from devlint.analysis.apis.process_groups import starts_nccl_first
from devlint.analysis.apis.visible_devices import may_ask_for_cuda
from devlint.analysis.checkpoints.checkpoint_loads import cuda_move_of_loaded
from devlint.analysis.checkpoints.used_modules import moves_of
from devlint.analysis.cuda.mps_devices import may_be_foreign
from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.guards.cuda_flags import as_condition, is_only_question
from devlint.analysis.guards.guards import guard_of
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.control_flow import branches, statements
from devlint.analysis.names.program_options import program_options
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.resolution import bindings, origin, reads_named, targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.analysis.transfers.placements import placement_ids, placements
from devlint.analysis.transfers.to_calls import transfer
from devlint.core.diagnostic import Edit
from devlint.core.target import DEVICES_LOCATE
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.gained_moves import stays_unasked, why_left
from devlint.fixes.device.left_failures import fails_beside
from devlint.fixes.device.numbered_devices import may_name_card
from devlint.fixes.device.resolver import resolve_device
from devlint.fixes.torch_import import torch_name
from devlint.syntax.edits import fit_quotes
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.device_naming import LOADS, is_plainly_device

_Defined = tuple[str, tuple[Edit, ...]]
"""A device and its definition."""


def location_elsewhere(
    ctx: FileContext, call: cst.Call, choice: DeviceChoice | None
) -> tuple[str, tuple[Edit, ...]] | None:
    """``None if … else "cpu"``, which asks the program's own device if it has one, and what must be written for it.

    None where it is too early to ask for CUDA, or there is no name for torch.
    """
    torch = torch_name(ctx, call)
    if torch is None:
        return None
    test = ctx.target.available(torch[0])
    asked = _question(ctx, call, choice, test) if choice is not None and not choice.caveat else None
    if asked is None and not may_ask_for_cuda(ctx, call):
        return None
    text, edits = asked if asked is not None else (f'None if {test} else "cpu"', torch[1])
    place = fit_quotes(ctx, call, text)
    return (place, edits) if place is not None else None


def device_for_copies(ctx: FileContext, choice: DeviceChoice | None, at: cst.CSTNode) -> DeviceChoice | None:
    """A device by which what is copied anyway can come: one that the program has, or that other places have defined.

    Where these are all under a test that ``at`` is not under, the program may use no device there.
    """
    if choice is None or choice.caveat or choice.needs_parentheses:
        return None
    if not may_be_location(ctx, choice) or _is_default_alone(ctx, choice.expression):
        return None
    if not choice.edits:
        return choice if not may_be_foreign(ctx, choice.expression, at) else None
    places = _placed_by_definition(ctx).get((choice.expression, choice.edits), ())
    return choice if any(not _is_below_other_test(ctx, one, at) for one in places) else None


def _is_default_alone(ctx: FileContext, name: str) -> bool:
    """Whether a device is only what an option has if nobody says otherwise: ``default=DEVICE``."""
    defaults = {id(one.default.value) for one in program_options(ctx) if one.default is not None}
    targets = {id(one.target) for one in targets_named(ctx, name)}
    reads = [one for one in reads_named(ctx, name) if id(one) not in targets]
    return bool(defaults) and bool(reads) and all(id(one) in defaults for one in reads)


def may_be_location(ctx: FileContext, choice: DeviceChoice) -> bool:
    """Whether torch.load takes a device: no number of a card as far as the file shows, and no torch like 0.4.0."""
    if ctx.target.torch_min_version < DEVICES_LOCATE:
        return False
    return choice.is_string is not None or not may_name_card(ctx, choice.expression)


def takes_text_alone(ctx: FileContext, call: cst.Call | None) -> bool:
    """Whether a call loads a checkpoint, perhaps with a torch that takes no device for its place."""
    return call is not None and ctx.target.torch_min_version < DEVICES_LOCATE and origin(ctx, call.func) in LOADS


def device_of_move(ctx: FileContext, call: cst.Call) -> DeviceChoice | None:
    """The device that ``torch.load(f).cuda()`` goes to, as another fix writes it."""
    moved = cuda_move_of_loaded(ctx, call)
    return device_for_copies(ctx, resolve_device(ctx, moved), call) if moved is not None else None


def device_of_moves(
    ctx: FileContext, choice: DeviceChoice | None, call: cst.Call, moves: Sequence[cst.Call]
) -> DeviceChoice | None:
    """The device at ``call`` to which statements below move all that it loads."""
    known = device_for_copies(ctx, choice, call) if moves else None
    if known is not None and all(_goes_to(ctx, one, known) for one in moves):
        return known
    return _said_below(ctx, call, moves[0]) if len(moves) == 1 else None


def _said_below(ctx: FileContext, call: cst.Call, move: cst.Call) -> DeviceChoice | None:
    """The device that the move of what a call loads names, if that is the same where it is loaded.

    What an attribute is something else may change, if it stands between the two.
    """
    given = transfer(ctx, move)
    name = dotted_name(given.device.value) if given is not None and not given.converts else None
    root = name.partition(".")[0] if name is not None else ""
    scope = scopes(ctx).binder(root, call)
    if name is None or scope is None or may_name_card(ctx, name) or ctx.target.torch_min_version < DEVICES_LOCATE:
        return None
    start, end = ctx.span(call).start, ctx.span(move).start
    bound = (*(one.node for one in scope.bindings[root]), *targets_named(ctx, name))
    if not certainly_bound(ctx, root, scope, call) or any(start < ctx.span(one).start < end for one in bound):
        return None
    is_same = name == root or _is_next(ctx, call, move)
    return DeviceChoice(name) if is_same and not may_be_foreign(ctx, name, call) else None


def _is_next(ctx: FileContext, call: cst.Call, move: cst.Call) -> bool:
    """Whether no statement stands between two calls."""
    lines = [next(one for one in ctx.tree.ancestors(at) if isinstance(one, cst.BaseStatement)) for at in (call, move)]
    block = ctx.tree.parent(lines[0])
    return block is not None and any([*pair] == lines for pair in pairwise(statements(block)))


def device_of_takers(ctx: FileContext, call: cst.Call, takers: Sequence[cst.BaseExpression]) -> str | None:
    """The parameter to which the function around a load moves all that takes its state, and nowhere else.

    For it a caller may give the CPU; wherever it is, what is loaded there is copied to the same place.
    """
    function = scopes(ctx).function_of(call)
    moves = [moves_of(ctx, dotted_name(one) or "", one) for one in takers]
    given = [transfer(ctx, one) for found in moves for one in found]
    names = {ctx.text_of(one.device.value) if one is not None and not one.converts else "" for one in given}
    name = names.pop() if len(names) == 1 and all(moves) else ""
    if function is None or any(one is None or scopes(ctx).function_of(one.call) is not function for one in given):
        return None
    found = scopes(ctx).opened_by(function).bindings.get(name, ())
    is_given = len(found) == 1 and found[0].how is How.PARAMETER and is_plainly_device(name)
    is_foreign = is_given and may_be_foreign(ctx, name, call)
    return name if is_given and not is_foreign and not may_name_card(ctx, name) else None


def _goes_to(ctx: FileContext, move: cst.Call, known: DeviceChoice) -> bool:
    """Whether a call moves to a device, as it is written or as a fix will write it."""
    given = transfer(ctx, move)
    if given is not None:
        return not given.converts and ctx.text_of(given.device.value) == known.expression
    asked = cuda_move(ctx, move)
    if asked is None or asked.device is not None:
        return False
    choice = resolve_device(ctx, move)
    return choice is not None and (choice.expression, choice.edits) == (known.expression, known.edits)


def _question(ctx: FileContext, call: cst.Call, choice: DeviceChoice, test: str) -> tuple[str, tuple[Edit, ...]] | None:
    """The location by a device that is a GPU wherever there is CUDA, and is there anyway."""
    if choice.edits and (choice.expression, choice.edits) not in defined_for_placements(ctx):
        choice = resolve_device(ctx, call, "0", any_card=True) or choice
    if choice.caveat or not choice.expression.replace(".", "_").isidentifier():
        return None
    asks = choice.condition is not None and is_only_question(ctx, choice.condition, call)
    follows = choice.condition == test or asks or (not choice.edits and _is_cuda_alone(ctx, call, choice.expression))
    if not follows or (choice.edits and (choice.expression, choice.edits) not in defined_for_placements(ctx)):
        return None
    if choice.is_string:
        return f'"cpu" if {choice.expression} == "cpu" else None', choice.edits
    return (
        (f'None if {choice.expression}.type == "cuda" else "cpu"', choice.edits) if choice.is_string is False else None
    )


def _is_cuda_alone(ctx: FileContext, call: cst.Call, name: str) -> bool:
    """Whether a name only stands for ``"cuda"`` or ``torch.device("cuda")``, which DEV103 makes conditional."""
    _, found = bindings(ctx, name, call)
    value = found[0].value if len(found) == 1 and found[0].how is How.ASSIGN else None
    return value is not None and cuda_literal(ctx, value) is not None


@fact
def defined_for_placements(ctx: FileContext) -> frozenset[_Defined]:
    """The devices that the file's placements need to be defined, each with its definition; none of those that stay."""
    return frozenset(_placed_by_definition(ctx))


@fact
def _placed_by_definition(ctx: FileContext) -> dict[_Defined, list[cst.CSTNode]]:
    """The placements that need a device to be defined, by the device and its definition."""
    found: dict[_Defined, list[cst.CSTNode]] = {}
    for at in placements(ctx):
        choice = resolve_device(ctx, at, _card_of(ctx, at))
        if choice is not None and choice.edits and not _stays(ctx, at, choice):
            found.setdefault((choice.expression, choice.edits), []).append(at)
    return found


def _card_of(ctx: FileContext, at: cst.CSTNode) -> str | None:
    """The first card, where a placement names it: the definition of its device does as well."""
    given = [cuda_literal(ctx, arg.value) for arg in at.args] if isinstance(at, cst.Call) else []
    return "0" if any(one is not None and one.index == "0" and not one.is_number for one in given) else None


def _is_below_other_test(ctx: FileContext, placement: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether a test, which is none for CUDA and not around ``at``, may keep a placement from its device."""
    for child, parent in takewhile(lambda step: not isinstance(step[1], cst.FunctionDef), ctx.tree.path_up(placement)):
        if not isinstance(parent, (cst.If, cst.IfExp)) or child is parent.test or ctx.tree.is_around(parent, at):
            continue
        if as_condition(ctx, parent.test, child is parent.body) is None and not _is_placed_in_all(ctx, parent):
            return True
    return False


def _is_placed_in_all(ctx: FileContext, test: cst.If | cst.IfExp) -> bool:
    """Whether something is placed whatever a test says."""
    placed = placement_ids(ctx)
    blocks = [*branches(test)] if isinstance(test, cst.If) else [test.body, test.orelse]
    is_open = len(blocks) == 1 or (isinstance(test, cst.If) and not _has_else(test))
    return not is_open and all(any(id(one) in placed for one in (block, *ctx.tree.below(block))) for block in blocks)


def _has_else(test: cst.If) -> bool:
    return _has_else(test.orelse) if isinstance(test.orelse, cst.If) else test.orelse is not None


def _stays(ctx: FileContext, at: cst.CSTNode, choice: DeviceChoice) -> bool:
    """Whether a move is left as it is: beside what fails without CUDA, or under a test that keeps it from running."""
    if starts_nccl_first(ctx, at) or fails_beside(ctx, at):
        return True
    guard = guard_of(ctx, at)
    why = why_left(ctx, at, guard, choice) if guard is not None else stays_unasked(ctx, at, choice)
    return why is not None
