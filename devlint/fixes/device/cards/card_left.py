"""Moves beside what needs CUDA and stays: NCCL, and cards of which nobody knows whether they are numbers."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.apis.process_groups import starts_nccl_first
from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.cuda.device_index_uses import guarded_index_uses
from devlint.analysis.devices.cuda_literals import LiteralKind
from devlint.analysis.guards.cuda_only_code import does_without
from devlint.analysis.names.control_flow import is_below_test, tests_around
from devlint.analysis.names.resolution import origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.transfers.cuda_method_calls import cuda_move, given_device, names_device_index
from devlint.analysis.transfers.overridden_moves import overriding_class
from devlint.core.diagnostic import Applicability, Fix
from devlint.fixes.device.cards.card_index import index_node, is_certain_card
from devlint.fixes.device.cards.card_number import card_number_fix
from devlint.fixes.device.left_failures import fails_beside
from devlint.syntax.file_context import FileContext, fact

_STAYS = "without CUDA, what is put on a card beside it fails all the same"
_MAKES = "without CUDA, a type that only CUDA has or an assertion fails beside it all the same"
_STARTS = "without CUDA, NCCL or a division by the number of cards fails all the same"
Tests = frozenset[tuple[str, bool]] | None
"""The tests around a card that stays; None where it is only named there, which needs no CUDA."""


def with_card_left(ctx: FileContext, call: cst.Call, fix: Fix | None) -> Fix | None:
    """The fix of a move or a call of ``torch.cuda``; unsafe where it gains nothing, since a move beside it stays."""
    fix = with_failure_left(ctx, call, with_nccl_left(ctx, call, fix))
    return _unsafe(fix, _STAYS) if fix is not None and fix.is_safe and _leaves_card(ctx, call) else fix


def with_failure_left(ctx: FileContext, node: cst.CSTNode, fix: Fix | None) -> Fix | None:
    """The fix of a move; unsafe where it gains nothing, since its function has a CUDA type or asserts CUDA."""
    return _unsafe(fix, _MAKES) if fix is not None and fix.is_safe and fails_beside(ctx, node) else fix


def with_nccl_left(ctx: FileContext, call: cst.Call, fix: Fix | None) -> Fix | None:
    """The fix of a move; unsafe where it gains nothing, since the program starts NCCL wherever it comes there."""
    return _unsafe(fix, _STARTS) if fix is not None and fix.is_safe and starts_nccl_first(ctx, call) else fix


def _unsafe(fix: Fix, why: str) -> Fix:
    return fix.replace(applicability=Applicability.UNSAFE, message=f"{fix.message} ({why})")


def _leaves_card(ctx: FileContext, call: cst.Call) -> bool:
    """Whether ``x.cuda(card)``, which no safe fix changes, runs wherever ``call`` does.

    Without CUDA that would fail, whatever test the call is under. It may also be in a function that a script starts
    below the call, or under any test if the call chooses that very card, as may ``torch.device(card)``.
    """
    own = ctx.fact(_left).get(id(scopes(ctx).function_of(call)), [])
    chosen = call.args[0].value if origin(ctx, call.func) == "torch.cuda.set_device" and len(call.args) == 1 else None
    card = ctx.text_of(chosen) if chosen is not None else None
    around = tests_around(ctx, call)
    return any(text == card or (tests is not None and tests <= around) for text, tests in own)


@fact
def _left(ctx: FileContext) -> dict[int, list[tuple[str, Tests]]]:
    """By the ids of functions, the cards of moves that stay, each with its tests; for the module those it starts."""
    found: dict[int, list[tuple[str, Tests]]] = {}
    for card, is_moved in _cards_that_stay(ctx):
        if any(isinstance(one, cst.Lambda) for one in ctx.tree.ancestors(card)):
            continue
        function, tests = scopes(ctx).function_of(card), tests_around(ctx, card) if is_moved else None
        found.setdefault(id(function), []).append((ctx.text_of(card), tests))
        if isinstance(function, cst.FunctionDef) and tests == frozenset() and _is_started(ctx, function):
            found.setdefault(id(None), []).append((ctx.text_of(card), tests))
    return found


def _cards_that_stay(ctx: FileContext) -> Iterator[tuple[cst.BaseExpression, bool]]:
    """What is given to moves that need CUDA after all safe fixes, too; and to ``torch.device(card)``, which moves none.

    A literal number in the place of a device becomes one that there is everywhere.
    """
    for use, guard in guarded_index_uses(ctx):
        device = use.literal.node if use.literal.kind in (LiteralKind.DEVICE, LiteralKind.STRING) else None
        if guard is not None or (use.move is None and device is None):
            continue
        if use.literal.is_constant or (use.move is not None and is_certain_card(ctx, use.literal)):
            continue
        fix = None if has_alternative(ctx, use.literal.node) else card_number_fix(ctx, use, guard)
        if fix is None or not fix.is_safe:
            number = index_node(ctx, use.literal) if use.move is None else use.literal.node
            yield from [(number, use.move is not None)] if number is not None else []
    for call in ctx.tree.of_type(cst.Call):
        move = cuda_move(ctx, call) if call.args else None
        if move is None or move.device is None or names_device_index(ctx, move) or does_without(ctx, call):
            continue
        if given_device(ctx, move, move.device)[1] is not None and overriding_class(ctx, call) is None:
            yield move.device.value, True


def _is_started(ctx: FileContext, function: cst.FunctionDef) -> bool:
    """Whether the top level of a file names one of its functions, to run it: ``main()``, ``app.run(main)``."""
    if ctx.tree.parent(function) is not ctx.module:
        return False
    uses = uses_of(ctx, scopes(ctx).module, function.name.value)
    return any(scopes(ctx).function_of(one) is None and not is_below_test(ctx, one) for one in uses)
