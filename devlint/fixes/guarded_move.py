"""Fixes of moves under a test for CUDA: the test goes where it guards nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

import libcst as cst

from devlint.analysis.guards.cuda_flags import is_condition_of
from devlint.analysis.guards.guards import guard_of
from devlint.analysis.guards.questions import Guard
from devlint.analysis.legacy_types.modern_calls import cast_argument, moved_before
from devlint.analysis.legacy_types.type_uses import TypeRole, TypeUse, type_uses
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin, targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.tensors.partners import partner_device
from devlint.analysis.transfers.guarded_transfers import (
    GuardedMove,
    differs_only_in_moves,
    guarded_move,
    returned_unmoved,
)
from devlint.analysis.transfers.left_in_place import may_be_on_cuda
from devlint.analysis.transfers.moves_for_cuda import asks_for_type, is_skipped_without_cuda, runs_with_cuda_only
from devlint.analysis.transfers.only_moves import (
    holds_only_moves,
    is_needless,
    is_only_moves,
    is_plain_test,
    moved_below,
)
from devlint.analysis.transfers.queried_tensors import guarding_tensor
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.device import resolver
from devlint.fixes.device.cards.card_left import torn_by_card
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.gained_moves import Resolve, gains_nothing, in_other_words, torn, why_left
from devlint.fixes.device.tensor_type_device import device_of_type, fix_of_use, modern_form
from devlint.fixes.guard_statements import kept_quiet
from devlint.fixes.needless_moves import fails_before, says_the_same
from devlint.syntax import edits, line_edits
from devlint.syntax.file_context import FileContext, fact

OTHERS_TOO = "the test asked for CUDA only, and other accelerators are now used too"


def tensor_to_follow(ctx: FileContext, move: GuardedMove, guard: Guard) -> cst.BaseExpression | None:
    """The tensor whose device a move takes over: ``x`` of ``if x.is_cuda: y = y.cuda()``."""
    names_device = move.move is not None and move.move.device is not None
    return None if names_device else guarding_tensor(ctx, guard, move.call)


def move_fix(
    ctx: FileContext, move: GuardedMove, guard: Guard, resolve: Resolve, caveat: str | None = None
) -> Fix | None:
    """A move, and all others that its test governs, to the devices that ``resolve`` gives; unsafe with a ``caveat``."""
    choice = resolve(move.call)
    if choice is None or not move.understood:
        return None
    caveat = caveat or in_other_words(ctx, guard)
    agrees = choice.condition is not None and is_condition_of(ctx, choice.condition, guard)
    stays = may_be_on_cuda(ctx, guard, meets=choice.expression == partner_device(ctx, move.call))
    is_free = choice.condition is not None and choice.caveat is None and not stays
    if is_free and agrees:
        without = _without_test(ctx, guard, resolve, caveat) or _beside_test(ctx, move, guard, resolve, caveat)
        if without is not None:
            return without
    partly = _without_part(ctx, guard, choice, resolve, caveat) if is_free else None
    if partly is not None:
        return partly
    if choice.needs_parentheses and agrees:
        return None  # the test would only be asked once more
    if caveat is None and gains_nothing(ctx, move.call, guard, choice):
        return None
    if fails_before(ctx, move, guard) or says_the_same(ctx, move, guard, choice, stays):
        return None  # nothing would be gained by a definition or a move
    changes = [*move.edits(ctx, choice.expression), *choice.edits]
    caveat = choice.caveat or caveat or why_left(ctx, move.call, guard, choice)
    caveat = caveat or torn(ctx, guard, resolve) or torn_by_card(ctx, guard)
    return edits.as_fix(f"Replace `{move.written}` by `.to({choice.expression})`", changes, caveat)


def made_fix(ctx: FileContext, use: TypeUse) -> Fix | None:
    """A tensor made or cast on the device instead of by a CUDA type: without a test whose other branch is the same."""
    guard = guard_of(ctx, use.owner) if use.choice.test is None else None
    choice = device_of_type(ctx, use.choice) if guard is not None else None
    if guard is not None and choice is not None and choice.condition is not None and choice.caveat is None:
        if is_condition_of(ctx, choice.condition, guard):
            without = _without_test(ctx, guard, lambda at: resolver.resolve_device(ctx, at), None)
            if without is not None and without.is_safe:
                return without
    if guard is not None and (
        _is_beside_cpu(ctx, guard, use) or (ctx.target.kind == "cuda" and asks_for_type(ctx, guard.test))
    ):
        return None
    if is_skipped_without_cuda(ctx, use.owner):
        return None
    return fix_of_use(ctx, use, modern_form(use))


def _is_beside_cpu(ctx: FileContext, guard: Guard, use: TypeUse) -> bool:
    """Whether a type stays in an ``if x.is_cuda:`` with an ``else`` for the CPU, which gains nothing by a device."""
    has_other = isinstance(guard.owner, cst.If) and guard.owner.orelse is not None
    return has_other and guarding_tensor(ctx, guard, use.node) is not None


def _without_test(ctx: FileContext, guard: Guard, resolve: Resolve, caveat: str | None) -> Fix | None:
    """All that the test governs moved without it, where that is nothing but moves."""
    if isinstance(guard.owner, cst.IfExp):
        moved, kept = guard.owner.body, guard.owner.orelse
        if not guard.holds:
            moved, kept = kept, moved
        if not differs_only_in_moves(ctx, moved, kept):
            return None
        around = edits.keep_only(ctx, guard.owner, moved)
        return _moves(ctx, [moved], around, resolve, caveat) if around is not None else None
    if isinstance(guard.owner, cst.If) and not guard.holds:
        return _without_unmoved(ctx, guard.owner, resolve, caveat)
    if not isinstance(guard.owner, cst.If):
        return None
    unmoved = returned_unmoved(ctx, guard.owner)
    removed = line_edits.delete_lines(ctx, unmoved, unmoved) if unmoved is not None else None
    if removed is None and not is_needless(ctx, guard.owner):
        return None
    unwrapped = kept_quiet(ctx, guard.owner, guard.owner.body, line_edits.unwrap_block(ctx, guard.owner))
    if unwrapped is None:
        return None
    around = [*unwrapped, removed] if removed is not None else unwrapped
    return _moves(ctx, [guard.owner.body], around, resolve, caveat)


def _without_unmoved(ctx: FileContext, owner: cst.If, resolve: Resolve, caveat: str | None) -> Fix | None:
    """All that an ``else`` moves without the test, where the branch above does the same and moves nothing."""
    moved = owner.orelse.body if isinstance(owner.orelse, cst.Else) else None
    is_sole = moved is not None and not isinstance(ctx.tree.parent(owner), cst.If)
    if moved is None or not is_sole or not differs_only_in_moves(ctx, moved, owner.body):
        return None
    around = kept_quiet(ctx, owner, moved, line_edits.unwrap_else(ctx, owner))
    return _moves(ctx, [moved], around, resolve, caveat) if around is not None else None


def _without_part(
    ctx: FileContext, guard: Guard, choice: DeviceChoice, resolve: Resolve, caveat: str | None
) -> Fix | None:
    """Only the condition of the device taken out of a test: of ``if use_cuda and x is not None: x = x.cuda()``."""
    owner, test = guard.owner, guard.test
    if not isinstance(owner, cst.If) or owner.orelse is not None or not guard.holds or choice.condition is None:
        return None
    if not isinstance(test, cst.BooleanOperation) or not isinstance(test.operator, cst.And):
        return None
    for asked, rest in ((test.left, test.right), (test.right, test.left)):
        part = guard.replace(test=asked)
        asks = is_condition_of(ctx, choice.condition, part)
        asks = asks and not (choice.edits and runs_with_cuda_only(ctx, part))  # a device for this alone gains nothing
        if asks and is_plain_test(ctx, rest, moved_below(ctx, owner)) and holds_only_moves(ctx, owner.body):
            is_true = isinstance(rest, cst.Attribute) and origin(ctx, rest) == "torch.cuda.is_available"  # not called
            whole = kept_quiet(ctx, owner, owner.body, line_edits.unwrap_block(ctx, owner)) if is_true else None
            around = whole if is_true else edits.keep_only(ctx, test, rest)
            return _moves(ctx, [owner.body], around, resolve, caveat) if around is not None else None
    return None


def _beside_test(ctx: FileContext, move: GuardedMove, guard: Guard, resolve: Resolve, caveat: str | None) -> Fix | None:
    """The moves that a block begins with put before its test, or those that it ends with below, if it has no others."""
    owner = guard.owner
    if not isinstance(owner, cst.If) or not guard.holds or isinstance(ctx.tree.parent(owner), cst.If):
        return None
    if owner.orelse is not None or not isinstance(owner.body, cst.IndentedBlock):
        return None
    body = owner.body.body
    first = list(takewhile(lambda one: is_only_moves(ctx, one), body))
    last = list(takewhile(lambda one: is_only_moves(ctx, one), reversed(body)))
    if len(first) == len(body):
        return None
    above, rest = set(ctx.tree.ancestors(move.call)), body[len(first) : len(body) - len(last)]
    if _has_moves(ctx, rest):
        return None
    if any(one in first for one in above):
        around = line_edits.unwrap_first(ctx, owner, len(first))
        return _moves(ctx, first, around, resolve, caveat) if around is not None else None
    if any(one in last for one in above) and not _binds_moved(ctx, rest, last):
        around = kept_quiet(ctx, owner, owner.body, line_edits.unwrap_last(ctx, owner, len(last)))
        return _moves(ctx, last, around, resolve, caveat) if around is not None else None
    return None


def _has_moves(ctx: FileContext, statements: Sequence[cst.CSTNode]) -> bool:
    """Whether statements that keep their test move something, too, which would be torn from other moves."""
    calls = (one for top in statements for one in ctx.tree.below(top) if isinstance(one, cst.Call))
    return any(guarded_move(ctx, one) is not None or _is_own_cuda(one) for one in calls)


def _is_own_cuda(call: cst.Call) -> bool:
    """Whether a call is ``x.cuda()``, of whatever ``x``."""
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == "cuda" and not call.args


def _binds_moved(ctx: FileContext, rest: Sequence[cst.CSTNode], moves: Sequence[cst.CSTNode]) -> bool:
    """Whether statements give a value to something that others move: without their test it may have none."""
    calls = (one for top in moves for one in ctx.tree.below(top) if isinstance(one, cst.Call))
    names = {dotted_name(one.func.value) for one in calls if isinstance(one.func, cst.Attribute)}
    for dotted in names:
        root = (dotted or "").partition(".")[0]
        scope = scopes(ctx).binder(root, rest[0])
        bound = [one.node for one in scope.bindings[root]] if scope is not None else []
        targets = targets_named(ctx, dotted) if dotted is not None else []
        if dotted is None or any(ctx.tree.is_around(one, node) for one in rest for node in (*bound, *targets)):
            return True
    return False


def _moves(
    ctx: FileContext, below: Sequence[cst.CSTNode], around: Iterable[Edit], resolve: Resolve, caveat: str | None
) -> Fix | None:
    """One fix for every move below some nodes, with the edits that remove the test around them."""
    changes: list[Edit] = [*around]
    caveats: list[str] = []
    uses = _types_in(ctx)
    for node in (one for top in below for one in ctx.tree.below(top)):
        if id(node) in uses:
            made = fix_of_use(ctx, uses[id(node)], modern_form(uses[id(node)]))
            if made is None or not made.is_safe:
                return None
            changes += made.edits
        move = guarded_move(ctx, node) if isinstance(node, cst.Call) else None
        if move is None or _goes_with_cast(ctx, move.call, uses):
            continue
        choice = resolve(move.call)
        if choice is None or not move.understood:
            return None
        changes += [*move.edits(ctx, choice.expression), *choice.edits]
        caveats += [choice.caveat] if choice.caveat else []
        caveats += [OTHERS_TOO] if _is_wider(ctx, choice, move.call) else []
    return edits.as_fix("Move to the device without a test", sorted(set(changes)), caveats[0] if caveats else caveat)


def _goes_with_cast(ctx: FileContext, call: cst.Call, uses: Mapping[int, TypeUse]) -> bool:
    """Whether a move is that of ``x.cuda().type(torch.cuda.FloatTensor)``, which goes where the cast moves."""
    method = ctx.tree.parent(call)
    cast = ctx.tree.parent(method) if isinstance(method, cst.Attribute) else None
    given = cast_argument(cast) if isinstance(cast, cst.Call) else None
    moved = moved_before(ctx, uses[id(given.value)].owner) if given is not None and id(given.value) in uses else None
    return moved is not None and moved[0] is call


@fact
def _types_in(ctx: FileContext) -> dict[int, TypeUse]:
    """The CUDA types that make or cast a tensor, by the ``id`` of their node."""
    return {id(use.node): use for use in type_uses(ctx, TypeRole.CALLED, TypeRole.CAST)}


def _is_wider(ctx: FileContext, choice: DeviceChoice, call: cst.Call) -> bool:
    """Whether the device is any accelerator where the test asks for CUDA."""
    guard = guard_of(ctx, call)
    asks = guard is not None and "cuda.is_available" in ctx.text_of(guard.test)
    return asks and "accelerator.is_available" in (choice.condition or "")
