"""Whether a move that keeps its test for CUDA gains anything by a device."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.type_questions import type_question
from devlint.analysis.guards.condition_text import condition_text
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.guards.questions import Guard, parts_of
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
        _asks_for_type(ctx, part) or _is_decided_by(ctx, choice, part)
        for one in guards_of(ctx, at)
        for part in parts_of(one)
    )


def _asks_for_type(ctx: FileContext, guard: Guard) -> bool:
    """Whether a test is ``device == "cuda"``, ``x.device.type == "cuda"`` or the like."""
    question = type_question(ctx, guard.test) if isinstance(guard.test, (cst.Comparison, cst.Call)) else None
    return question is not None and question.positive is guard.holds


def _is_decided_by(ctx: FileContext, choice: DeviceChoice, guard: Guard) -> bool:
    """Whether a device is CUDA wherever a test holds, also where torch, which it does not ask, has none."""
    return choice.condition is not None and choice.condition == condition_text(ctx, guard.test, guard.holds)
