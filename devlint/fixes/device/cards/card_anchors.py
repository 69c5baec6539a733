"""Where the device of a card can be defined that all of its uses share; also the moves where its number is None."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import libcst as cst

from devlint.analysis.cuda.device_index_uses import DeviceIndexUse, guarded_index_uses, next_guard
from devlint.analysis.devices.current_card import is_current_card, is_test_for_none, unset_numbers
from devlint.analysis.devices.device_conditions import devices_at
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.guards.questions import Guard
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import block_path, statements
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.resolution import implies_not_none
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.fixes.device.anchors.placement import Anchor
from devlint.fixes.device.cards.card_index import index_node, is_certain_card
from devlint.fixes.device.cards.card_stability import is_same_number_between
from devlint.fixes.device.cards.reached_uses import is_reached
from devlint.syntax.file_context import FileContext, fact

_OWN = "self."
"""What keeps its number has a device of its own, too."""


def card_anchors(ctx: FileContext, use: DeviceIndexUse) -> Iterator[Anchor]:
    """The places above the first of the uses of a card, in a block that holds them all, or as many as one can."""
    at = use.literal.node
    uses = _together(ctx, use)
    groups = [uses, *_in_blocks(ctx, uses, at, _scope(ctx, at))]
    for larger, group in pairwise([[], *groups]):
        if len(group) != len(larger):
            yield from _anchors_of(ctx, use, group)


def shared_anchors(ctx: FileContext, use: DeviceIndexUse) -> Iterator[Anchor]:
    """The places above all uses of a card, and above the moves where its number is None."""
    yield from _anchors_of(ctx, use, _together(ctx, use))


def use_where_set(ctx: FileContext, move: cst.CSTNode) -> DeviceIndexUse | None:
    """The use of a card whose device is also where ``x.cuda()`` goes, since the number of the card is None there.

    ``model.cuda(args.gpu)`` for what stands in the ``else`` of ``if args.gpu is not None:``.
    """
    return ctx.fact(_unset_moves).get(id(move), (None,))[0]


@fact
def card_uses(ctx: FileContext) -> list[tuple[DeviceIndexUse, Guard | None]]:
    """The uses of cards, each with the test that it runs under.

    ``args.gpu is not None`` is none where what is moved in its other branch goes to the same device; the next one is.
    """
    shared = {_key(ctx, use) for use, _ in ctx.fact(_unset_moves).values()}
    found = guarded_index_uses(ctx)
    return [
        (use, next_guard(ctx, use) if _key(ctx, use) in shared and _is_set(use, guard) else guard)
        for use, guard in found
    ]


def _key(ctx: FileContext, use: DeviceIndexUse) -> tuple[int, str | None]:
    """The function and the number of a use."""
    return id(scopes(ctx).function_of(use.literal.node)), use.literal.index


def _is_set(use: DeviceIndexUse, guard: Guard | None) -> bool:
    """Whether a guard asks nothing but whether the number of a card is not None."""
    test, index = (guard.test if guard is not None else None), use.literal.index
    return guard is not None and isinstance(test, cst.Comparison) and implies_not_none(test, index or "", guard.holds)


def _unset_moves(ctx: FileContext) -> dict[int, tuple[DeviceIndexUse, cst.Call]]:
    """The moves that share the device of a card, since its number is None there, each with a use of the card."""
    found: dict[int, tuple[DeviceIndexUse, cst.Call]] = {}
    for (_, index), (use, moves) in ctx.fact(_candidates).items():
        number = index_node(ctx, use.literal)
        if number is None or (index or "").startswith(_OWN) or is_current_card(ctx, number):
            continue
        if any(any(devices_at(ctx, one)) for one in moves):
            continue
        if any(shared_anchors(ctx, use)):
            found.update({id(one): (use, one) for one in moves})
    return found


def _candidates(ctx: FileContext) -> dict[tuple[int, str | None], tuple[DeviceIndexUse, list[cst.Call]]]:
    """By function and number, a use of a card, and the moves to the current one where the number is None."""
    uses: dict[tuple[int, str | None], DeviceIndexUse] = {}
    for use, _ in guarded_index_uses(ctx):
        if use.move is not None and not use.literal.is_constant and is_certain_card(ctx, use.literal):
            uses.setdefault(_key(ctx, use), use)
    found: dict[tuple[int, str | None], tuple[DeviceIndexUse, list[cst.Call]]] = {}
    for call in ctx.tree.of_type(cst.Call) if uses else ():
        move = cuda_move(ctx, call)
        if move is None or move.device is not None or not move.whole or runs_guarded(ctx, call):
            continue
        function = id(scopes(ctx).function_of(call))
        key = next(((function, one) for one in unset_numbers(ctx, call) if (function, one) in uses), None)
        if key is not None:
            found.setdefault(key, (uses[key], []))[1].append(call)
    return found


def _together(ctx: FileContext, use: DeviceIndexUse) -> list[cst.BaseExpression]:
    """The places in one function that name the same card, and no other condition decides; moves where it is unset."""
    key, at = _key(ctx, use), use.literal.node
    _, unset = ctx.fact(_candidates).get(key, (use, []))
    same = [(one, guard) for one, guard in guarded_index_uses(ctx) if _key(ctx, one) == key]
    free = [one for one, guard in same if one.literal.node is at or guard is None or (unset and _is_set(one, guard))]
    return [*(one.literal.node for one in free), *unset]


def _anchors_of(ctx: FileContext, use: DeviceIndexUse, group: list[cst.BaseExpression]) -> Iterator[Anchor]:
    """The places above the uses of a group, the outermost first."""
    at, number, is_certain = use.literal.node, index_node(ctx, use.literal), is_certain_card(ctx, use.literal)
    nearest = _above(ctx, group, _scope(ctx, at))
    last = max(group, key=lambda one: ctx.span(one).end)
    # A loop may run for nothing, and the number may be none: ``f"cuda:{args.device}"`` of ``"cuda:0"``.
    outside = _above_loops(ctx, nearest) if nearest is not None and is_certain else nearest
    for anchor in (outside, nearest) if outside is not None and nearest is not None else ():
        if number is None or not _is_bound(ctx, number, anchor, at):
            continue
        name = ctx.text_of(number) if is_certain else None
        if all(_is_asked_below(ctx, number, anchor, one, is_certain) for one in group):
            continue
        if not any(is_reached(ctx, anchor, one, name) for one in group):
            continue
        if is_same_number_between(ctx, number, anchor.statement, _end(ctx, last, anchor)):
            yield anchor


def _is_asked_below(
    ctx: FileContext, number: cst.BaseExpression, anchor: Anchor, use: cst.CSTNode, may_be_none: bool
) -> bool:
    """Whether a test between a definition and a use asks for the number, which may be no card: ``gpu != -1``.

    ``torch.device("cuda", None)`` is the current card, and a number may be None where ``may_be_none``.
    """
    block, asked = ctx.tree.parent(anchor.statement), ctx.text_of(number)
    for child, parent in ctx.tree.path_up(use):
        if parent is block:
            return False
        if isinstance(parent, (cst.If, cst.IfExp, cst.While)) and child is not parent.test:
            if may_be_none and is_test_for_none(parent.test, asked):
                continue
            if any(dotted_name(one) == asked for one in (parent.test, *ctx.tree.below(parent.test))):
                return True
    return False


def _scope(ctx: FileContext, at: cst.CSTNode) -> Scope:
    function = scopes(ctx).function_of(at)
    return scopes(ctx).opened_by(function) if function is not None else scopes(ctx).module


def _above_loops(ctx: FileContext, anchor: Anchor) -> Anchor:
    """The place above the loops and ``with`` blocks around an anchor."""
    block = ctx.tree.parent(anchor.statement)
    owner = ctx.tree.parent(block) if isinstance(block, cst.IndentedBlock) else None
    if not isinstance(owner, (cst.For, cst.While, cst.With)) or getattr(owner, "orelse", None) is not None:
        return anchor
    return _above_loops(ctx, Anchor(anchor.scope, owner, after=False))


def _end(ctx: FileContext, last: cst.BaseExpression, anchor: Anchor) -> cst.CSTNode:
    """The last use of a device that is defined at ``anchor``, or the outermost loop that runs it again."""
    start = ctx.span(anchor.statement).start
    loops = [one for one in ctx.tree.ancestors(last) if isinstance(one, (cst.For, cst.While))]
    return next((one for one in reversed(loops) if ctx.span(one).start >= start), last)


def _in_blocks(
    ctx: FileContext, uses: list[cst.BaseExpression], at: cst.BaseExpression, scope: Scope
) -> Iterator[list[cst.BaseExpression]]:
    """Those of ``uses`` that are in each of the blocks around ``at``, the outermost first."""
    for block, _ in block_path(ctx, at, scope.node):
        yield [one for one in uses if any(up is block for up in ctx.tree.ancestors(one))] or [at]


def _above(ctx: FileContext, uses: list[cst.BaseExpression], scope: Scope) -> Anchor | None:
    """The place above the first statement, of the innermost block that holds all uses, that is or holds one."""
    paths = [
        [one for one in block_path(ctx, use, scope.node) if not isinstance(one[0], cst.SimpleStatementLine)]
        for use in uses
    ]
    anchor = None
    for level in zip(*paths):
        if len({id(block) for block, _ in level}) > 1:
            break
        first = min(index for _, index in level)
        anchor = Anchor(scope, statements(level[0][0])[first], after=False)
        if len({index for _, index in level}) > 1:
            break
    return anchor


def _is_bound(ctx: FileContext, number: cst.BaseExpression, anchor: Anchor, at: cst.CSTNode) -> bool:
    """Whether all names in a card's number are bound, and the same variables, where its device would be defined."""
    table = scopes(ctx)
    for name in (one for one in (number, *ctx.tree.below(number)) if isinstance(one, cst.Name)):
        parent = ctx.tree.parent(name)
        if isinstance(parent, cst.Attribute) and parent.attr is name:
            continue
        owner = table.binder(name.value, at)
        if owner is None or table.binder(name.value, anchor.statement) is not owner:
            return False
        if not certainly_bound(ctx, name.value, owner, anchor.statement) and owner is anchor.scope:
            return False
    return True
