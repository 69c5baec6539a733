"""Tests that count cards: what they govern may name a card by its number."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.cuda_literals import CudaLiteral
from devlint.analysis.guards.guards import guards_of, runs_guarded
from devlint.analysis.guards.questions import Guard
from devlint.analysis.names.resolution import sole_value
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext

_SEVERAL = regex("multi|device_count")


def is_card_there(ctx: FileContext, card: CudaLiteral, guard: Guard | None) -> bool:
    """Whether a card that is named under a test, or in a function that runs only under one, is known to be there."""
    tests = guards_of(ctx, card.node)
    if guard is None:
        return next(tests, None) is None and runs_guarded(ctx, card.node)
    return not card.is_constant or any(_counts(ctx, one) for one in tests)


def _counts(ctx: FileContext, guard: Guard) -> bool:
    is_fixture = isinstance(guard.owner, cst.FunctionDef)  # how many it wants is its own business
    if is_fixture or _SEVERAL.search(ctx.text_of(guard.test)):
        return True
    value = sole_value(ctx, guard.test) if isinstance(guard.test, cst.Name) else None
    for one in ctx.tree.below(value or guard.test):
        if isinstance(one, cst.Comparison) and any(_is_count(two.comparator) for two in one.comparisons):
            return True
        if isinstance(one, cst.Arg) and isinstance(ctx.tree.parent(guard.test), cst.Decorator) and _is_count(one.value):
            return True
    return False


def _is_count(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Integer) and node.evaluated_value > 0
