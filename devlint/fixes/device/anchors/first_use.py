"""The place of a device's definition near what needs it: above the first use of a function, or of the main part."""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from devlint.analysis.apis.visible_devices import visible_devices_set_after
from devlint.analysis.devices.current_card import is_current_card
from devlint.analysis.guards.cuda_flags import as_condition
from devlint.analysis.guards.cuda_mentions import cuda_mention_ids, cuda_mentions, uses_cuda_at_once
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.control_flow import is_main_guard, statements
from devlint.analysis.names.resolution import is_torch
from devlint.analysis.names.scopes import scopes
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.analysis.transfers.placements import placement_ids
from devlint.fixes.device.anchors.placement import Anchor, function_start, runs_before
from devlint.syntax.file_context import FileContext, fact


def first_use(ctx: FileContext, function: cst.FunctionDef, at: cst.CSTNode) -> Anchor | None:
    """The place above the first statement of a function that uses CUDA: near what it is for, before all of it."""
    start = function_start(ctx, function, at)
    if start is None or ctx.tree.parent(start.statement) is not function.body:
        return start
    body = statements(function.body)
    begin = next((i for i, one in enumerate(body) if one is start.statement), 0) + (1 if start.after else 0)
    uses = cuda_mention_ids(ctx) - _own_cards(ctx)
    uses = uses if id(at) in uses or _holds(ctx, at, uses) else uses | {id(at)}
    using = [one for one in body[begin:] if _holds(ctx, one, uses)]
    if not using:
        return None
    guards = {id(one.owner) for one in guards_of(ctx, at) if as_condition(ctx, one.test, one.holds) is not None}
    statement = _in_branch(ctx, at, using[0], uses, guards) if len(using) == 1 else using[0]
    anchor = Anchor(start.scope, statement, after=False)
    return anchor if runs_before(ctx, anchor, at) else None


def near_use(ctx: FileContext, anchor: Anchor | None, at: cst.CSTNode) -> Anchor | None:
    """The place above the first use of CUDA in a function where that is below ``anchor``, else ``anchor``."""
    function = anchor.scope.node if anchor is not None else None
    use = first_use(ctx, function, at) if isinstance(function, cst.FunctionDef) else None
    if anchor is None or use is None:
        return anchor
    return use if ctx.span(use.statement).start > ctx.span(anchor.statement).start else anchor


@fact
def _own_cards(ctx: FileContext) -> frozenset[int]:
    """The identities of ``x.cuda`` in moves to a card of their own, ``x.cuda(rank)``, which need no other device."""
    mentions = [one for one in cuda_mentions(ctx) if isinstance(one, cst.Attribute)]
    calls = [one for one in map(ctx.tree.parent, mentions) if isinstance(one, cst.Call)]
    moves = [one for one in (cuda_move(ctx, call) for call in calls) if one is not None]
    given = [(one, one.device.value) for one in moves if one.device is not None]
    return frozenset(id(one.call.func) for one, card in given if not _is_current(ctx, card))


def _is_current(ctx: FileContext, card: cst.BaseExpression) -> bool:
    """Whether a card is the current one, or one that the program names by its number."""
    called = card.func if isinstance(card, cst.Call) else None
    is_asked = called is not None and is_torch(ctx, called, "cuda.current_device")
    return isinstance(card, cst.Integer) or is_asked or is_current_card(ctx, card)


def _holds(ctx: FileContext, node: cst.CSTNode, uses: Collection[int]) -> bool:
    return any(id(one) in uses for one in ctx.tree.below(node))


def _in_branch(
    ctx: FileContext, at: cst.CSTNode, statement: cst.CSTNode, uses: Collection[int], guards: Collection[int]
) -> cst.CSTNode:
    """The first statement that uses CUDA in the innermost branch with all uses, unless a test for CUDA guards it.

    ``if x.device != torch.device("cuda"):`` uses it in its test, which a device must stand above.
    """
    placed, place = placement_ids(ctx) | {id(at)}, statement
    while isinstance(statement, cst.If) and id(statement) not in guards and not _holds(ctx, statement.test, placed):
        blocks = [statement.body, *([statement.orelse] if statement.orelse is not None else [])]
        using = [one for one in blocks if _holds(ctx, one, uses)]
        if len(using) == 1 and isinstance(using[0], cst.If):
            statement = using[0]  # nothing can be put above an `elif`
            continue
        block = using[0].body if using and isinstance(using[0], cst.Else) else next(iter(using), None)
        if len(using) != 1 or not isinstance(block, cst.IndentedBlock):
            break
        lines = [one for one in block.body if _holds(ctx, one, uses)]
        statement = place = lines[0]
        if len(lines) > 1:
            break
    return place


def first_use_in_main(ctx: FileContext, at: cst.CSTNode) -> Anchor | None:
    """The place above the first use of CUDA in the script's main part, where nothing can be defined before it.

    Where all of CUDA is in the main part, a function defined there is a use as well: one definition serves both.
    """
    main = next((one for one in ctx.tree.ancestors(at) if is_main_guard(one)), None)
    mentions = cuda_mention_ids(ctx) if is_for_main_part(ctx) else frozenset()
    if scopes(ctx).function_of(at) is not None and not mentions:
        return None
    if main is not None and any(isinstance(up, cst.ClassDef) for up in ctx.tree.ancestors(main)):
        return None  # what a class defines, its functions and comprehensions do not see
    for statement in statements(main.body) if isinstance(main, cst.If) else ():
        is_use = _holds(ctx, statement, mentions) if mentions else uses_cuda_at_once(ctx, statement)
        if is_use or ctx.tree.is_around(statement, at):
            anchor = Anchor(scopes(ctx).module, statement, after=False)
            late = visible_devices_set_after(ctx, statement)
            return anchor if runs_before(ctx, anchor, at) and not late else None
    return None


@fact
def is_for_main_part(ctx: FileContext) -> bool:
    """Whether only the script's main part mentions CUDA: defined there, a device asks for nothing on import."""
    return all(any(is_main_guard(up) for up in ctx.tree.ancestors(one)) for one in cuda_mentions(ctx))
