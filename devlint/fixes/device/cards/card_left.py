"""Moves beside what needs CUDA and stays: NCCL, and cards of which nobody knows whether they are numbers."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.apis.process_groups import is_beside_default_nccl, starts_nccl_first
from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.cuda.device_index_uses import guarded_index_uses
from devlint.analysis.cuda.failing.failures_beside import Failures
from devlint.analysis.cuda.values_without_cuda import value_without_cuda
from devlint.analysis.devices.cuda_literals import LiteralKind
from devlint.analysis.guards.cuda_only_code import does_without
from devlint.analysis.guards.guards import guard_of
from devlint.analysis.guards.questions import Guard
from devlint.analysis.names.control_flow import is_below_test, tests_around
from devlint.analysis.names.resolution import is_none, origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.transfers.cuda_method_calls import cuda_move, given_device, names_device_index
from devlint.analysis.transfers.overridden_moves import overriding_class
from devlint.core.diagnostic import Fix
from devlint.core.record import Record
from devlint.fixes.device.cards.card_index import index_node, is_certain_card
from devlint.fixes.device.cards.card_number import card_number_fix
from devlint.fixes.device.left_failures import call_beside, fails_beside
from devlint.syntax.file_context import FileContext, fact

_STAYS = "without CUDA, what is put on a card beside it fails all the same"
_BRANCHES = "the other branch puts the same on a card, and stays"
_STARTS = "without CUDA, NCCL or a division by the number of cards fails all the same"


class _Left(Record):
    """A card that stays: its text, the tests around it, None where it is only named, and the names in what it gets.

    ``owner`` is the ``if`` that asks for CUDA around it, by its ``id``.
    """

    text: str
    tests: frozenset[tuple[str, bool]] | None
    names: frozenset[str]
    owner: int | None


def with_card_left(ctx: FileContext, node: cst.CSTNode, fix: Fix | None) -> Fix | None:
    """The fix of a move or a call of ``torch.cuda``; unsafe where it gains nothing, since something beside it stays."""
    fix = _unsafe(fix, why_nothing_gained(ctx, node)) if fix is not None and fix.is_safe else fix
    return _unsafe(fix, _BRANCHES) if fix is not None and fix.is_safe and _is_beside_card(ctx, node) else fix


def with_call_left(ctx: FileContext, node: cst.CSTNode, fix: Fix | None) -> Fix | None:
    """The same for the fix of a CUDA type, beside which another one is changed as well, or is said to stay."""
    return _unsafe(fix, _why(ctx, node, call_beside(ctx, node))) if fix is not None and fix.is_safe else fix


def with_nccl_left(ctx: FileContext, call: cst.Call, fix: Fix | None) -> Fix | None:
    """The fix of a move; unsafe where it gains nothing, since the program starts NCCL wherever it comes there."""
    return _unsafe(fix, _STARTS if _starts_nccl(ctx, call) else None) if fix is not None and fix.is_safe else fix


def why_nothing_gained(ctx: FileContext, node: cst.CSTNode) -> str | None:
    """Why a place gains nothing by a device: wherever the program comes to it, something else fails without CUDA."""
    return _why(ctx, node, fails_beside(ctx, node))


def _why(ctx: FileContext, node: cst.CSTNode, left: cst.CSTNode | None) -> str | None:
    if _starts_nccl(ctx, node):
        return _STARTS
    if left is not None:
        return f"without CUDA, `{ctx.one_line_of(left)}` fails all the same"
    return _STAYS if _leaves_card(ctx, node) else None


def _starts_nccl(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether the program starts NCCL wherever it comes to a place; by default is enough where a card stays there."""
    if starts_nccl_first(ctx, node):
        return True
    stays = id(scopes(ctx).function_of(node)) in ctx.fact(_left) if ctx.target.kind == "cuda" else False
    return stays and is_beside_default_nccl(ctx, node)


def _unsafe(fix: Fix, why: str | None) -> Fix:
    return fix if why is None else fix.made_unsafe(why)


def _leaves_card(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``x.cuda(card)``, which no safe fix changes, runs wherever ``node`` does.

    Without CUDA that would fail, whatever test it is under. It may also be in a function that a script starts
    below the place, or under any test if that chooses that very card, as may ``torch.device(card)``.
    """
    function = scopes(ctx).function_of(node)
    own = [one for one in ctx.fact(_left).get(id(function), []) if one.owner is None]
    args = node.args if isinstance(node, cst.Call) and origin(ctx, node.func) == "torch.cuda.set_device" else ()
    card = ctx.text_of(args[0].value) if len(args) == 1 else None
    is_started = function is None and any(one.tests == frozenset() for one in own)
    return is_started or any(one.text == card for one in own) or ctx.fact(_moved).beside(node) is not None


def _moved(ctx: FileContext) -> Failures:
    """The cards of moves that stay and fail."""
    return Failures(ctx, [one for one, is_moved, is_free in ctx.fact(_cards) if is_moved and is_free])


def _cards(ctx: FileContext) -> list[tuple[cst.BaseExpression, bool, bool]]:
    """The cards that stay, but for those of functions that are run later: ``lambda x: x.cuda(card)``."""
    found = _cards_that_stay(ctx)
    return [one for one in found if not any(isinstance(up, cst.Lambda) for up in ctx.tree.ancestors(one[0]))]


def torn_by_card(ctx: FileContext, guard: Guard) -> str | None:
    """Why a move whose test for CUDA stays is better left as it is: under the test, something goes to a card."""
    own = ctx.fact(_left).get(id(scopes(ctx).function_of(guard.owner)), []) if ctx.target.kind == "cuda" else []
    return next((f"`.cuda({one.text})` beside it stays" for one in own if one.owner == id(guard.owner)), None)


def _is_beside_card(ctx: FileContext, call: cst.CSTNode) -> bool:
    """Whether ``x.cuda()`` is in one branch of a test whose other has ``x.cuda(card)``, which no safe fix changes.

    Where the test says by default that the first runs, or that an option names no card, the program runs without CUDA
    by it.
    """
    around = tests_around(ctx, call)
    for one in ctx.fact(_left).get(id(scopes(ctx).function_of(call)), []):
        (test, holds), *others = (one.tests or set()) - around or {("", True)}
        if others or (test, not holds) not in around or not one.names & _names_moved(ctx, call):
            continue
        owners = (up for up in ctx.tree.ancestors(call) if isinstance(up, cst.If) and ctx.text_of(up.test) == test)
        values = [(up.test, value_without_cuda(ctx, up.test)) for up in owners]
        return any(known is holds or (known is None and not _names_no_card(up, holds)) for up, known in values)
    return False


def _names_no_card(test: cst.BaseExpression, holds: bool) -> bool:
    """Whether a test that comes out otherwise says that an option names no card: ``args.gpu is not None``."""
    if not isinstance(test, cst.Comparison) or not isinstance(test.left, cst.Attribute):
        return False
    only = test.comparisons[0] if len(test.comparisons) == 1 else None
    is_there = only is not None and isinstance(only.operator, cst.IsNot)
    return (
        only is not None
        and isinstance(only.operator, (cst.Is, cst.IsNot))
        and is_none(only.comparator)
        and is_there is holds
    )


def _names_moved(ctx: FileContext, call: cst.CSTNode) -> frozenset[str]:
    """The names in what ``x.cuda()`` moves."""
    moved = call.func.value if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) else None
    nodes = (moved, *ctx.tree.below(moved)) if moved is not None else ()
    return frozenset(one.value for one in nodes if isinstance(one, cst.Name))


@fact
def _left(ctx: FileContext) -> dict[int, list[_Left]]:
    """By the ids of functions, the cards of moves that stay; for the module those of functions that it starts."""
    found: dict[int, list[_Left]] = {}
    for card, is_moved, is_free in ctx.fact(_cards):
        function, tests = scopes(ctx).function_of(card), tests_around(ctx, card) if is_moved else None
        moved = next((one for one in ctx.tree.ancestors(card) if isinstance(one, cst.Call)), card)
        guard = guard_of(ctx, card) if not is_free else None
        owner = None if is_free else id(guard.owner) if guard is not None else 0
        left = _Left(ctx.text_of(card), tests, _names_moved(ctx, moved), owner)
        found.setdefault(id(function), []).append(left)
        if is_free and isinstance(function, cst.FunctionDef) and tests == frozenset() and _is_started(ctx, function):
            found.setdefault(id(None), []).append(left)
    return found


def _cards_that_stay(ctx: FileContext) -> Iterator[tuple[cst.BaseExpression, bool, bool]]:
    """What moves are given after all safe fixes, too, and ``torch.device(card)``, which moves none; and if it fails.

    Under a test for CUDA it does not. A literal number in the place of a device becomes one that there is everywhere.
    """
    for use, guard in guarded_index_uses(ctx):
        device = use.literal.node if use.literal.kind in (LiteralKind.DEVICE, LiteralKind.STRING) else None
        if use.move is None and (device is None or guard is not None):
            continue
        if use.literal.is_constant or (use.move is not None and guard is None and is_certain_card(ctx, use.literal)):
            continue
        fix = None if has_alternative(ctx, use.literal.node) else card_number_fix(ctx, use, guard)
        if fix is None or not fix.is_safe:
            number = index_node(ctx, use.literal) if use.move is None else use.literal.node
            yield from [(number, use.move is not None, guard is None)] if number is not None else []
    for call in ctx.tree.of_type(cst.Call):
        move = cuda_move(ctx, call) if call.args else None
        if move is None or move.device is None or names_device_index(ctx, move):
            continue
        if given_device(ctx, move, move.device)[1] is not None and overriding_class(ctx, call) is None:
            yield move.device.value, True, not does_without(ctx, call)


def _is_started(ctx: FileContext, function: cst.FunctionDef) -> bool:
    """Whether the top level of a file names one of its functions, to run it: ``main()``, ``app.run(main)``."""
    if ctx.tree.parent(function) is not ctx.module:
        return False
    uses = uses_of(ctx, scopes(ctx).module, function.name.value)
    return any(scopes(ctx).function_of(one) is None and not is_below_test(ctx, one) for one in uses)
