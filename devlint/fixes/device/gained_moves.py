"""Whether a move that keeps its test for CUDA gains anything by a device."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.devices.type_questions import type_question
from devlint.analysis.guards.condition_text import condition_text
from devlint.analysis.guards.cuda_flags import is_condition_of
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.guards.questions import Guard
from devlint.analysis.transfers.moves_for_cuda import runs_with_cuda_only
from devlint.fixes.device.choice import DeviceChoice
from devlint.syntax.file_context import FileContext


def gains_nothing(ctx: FileContext, at: cst.CSTNode, guard: Guard, choice: DeviceChoice) -> bool:
    """Whether a move that keeps its test fails without CUDA, or does not run there, whatever device it names.

    So it is where torch has said that there is CUDA, and where the device follows a test around the move, or such a
    test asks for the type of a device, whichever that is.
    """
    if ctx.target.kind != "cuda":
        return False
    if runs_with_cuda_only(ctx, guard):
        return True
    return any(
        _asks_for_type(ctx, part, one.holds) or _is_decided_by(ctx, choice, one.replace(test=part))
        for one in guards_of(ctx, at)
        for part in _parts(one)
    )


def _parts(guard: Guard) -> Iterator[cst.BaseExpression]:
    """The tests that are all true where a guard's test is, or the test itself."""
    joined, pending = cst.And if guard.holds else cst.Or, [guard.test]
    while pending:
        test = pending.pop()
        if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, joined):
            pending += [test.right, test.left]
        else:
            yield test


def _asks_for_type(ctx: FileContext, test: cst.BaseExpression, holds: bool) -> bool:
    """Whether a test is ``device == "cuda"``, ``x.device.type == "cuda"`` or the like."""
    question = type_question(ctx, test) if isinstance(test, (cst.Comparison, cst.Call)) else None
    return question is not None and question.positive is holds


def _is_decided_by(ctx: FileContext, choice: DeviceChoice, guard: Guard) -> bool:
    """Whether a device is CUDA wherever a test holds, also where torch, which it does not ask, has none."""
    condition = choice.condition
    says_so = condition == condition_text(ctx, guard.test, guard.holds)
    return says_so and condition is not None and is_condition_of(ctx, condition, guard)
