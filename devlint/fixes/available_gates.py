"""Marks that skip tests without CUDA, made to ask for any accelerator: with all that they govern."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.guards.test_marks import (
    AvailableGate,
    Holder,
    SkipMark,
    available_gates,
    compared_gates,
    gate_uses,
)
from devlint.core.diagnostic import Edit, Fix
from devlint.core.lazy_regex import regex
from devlint.fixes.configured_calls import configured_call, configured_call_edits
from devlint.fixes.opened_tests import OTHERS_RUN, opened
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext

_MISSING = regex(r"(?i)\b(a )?(?:CUDA|GPU)(?: (?:GPU|device))?\b(?![-./\w]|\s*(?:version|arch|capab|\d))")
"""What a reason says is missing, unless it goes on to speak of one kind of it."""


def opened_gate(ctx: FileContext, gate: AvailableGate) -> Fix | None:
    """Ask for any accelerator, and use it in all that the gate governs; None where something there needs CUDA."""
    torch = torch_name(ctx, gate.call)
    if torch is None:
        return None
    asked = replace_expression(ctx, gate.call.func, f"{torch[0]}.accelerator.is_available")
    return _opened(ctx, gate.holder, gate.mark, [asked, *torch[1]])


def gates_of_project(ctx: FileContext) -> list[tuple[cst.BaseExpression, Fix]]:
    """The tests of marks that skip without CUDA, with their fixes, where the project has another question to ask.

    That is its own call in place of torch's, or whether its device is the CPU.
    """
    found = [(one.test, _opened(ctx, one.holder, one.call, [_compared(ctx, one)])) for one in compared_gates(ctx)]
    for gate in available_gates(ctx) if ctx.target.kind == "project" else ():
        own = configured_call(ctx, gate.call)
        asked = configured_call_edits(ctx, gate.call, own) if own is not None else None
        if asked is not None:
            found.append((gate.test, _opened(ctx, gate.holder, gate.mark, asked)))
    return [(test, fix) for test, fix in found if fix is not None]


def _compared(ctx: FileContext, gate: SkipMark) -> Edit | None:
    """``device == "cpu"`` for ``device != "cuda"``, and the other way round."""
    assert isinstance(gate.test, cst.Comparison)
    kind = gate.test.comparisons[0].comparator
    if not isinstance(kind, cst.SimpleString):
        return None
    sign = "==" if gate.skips else "!="
    return replace_expression(ctx, gate.test, f"{ctx.text_of(gate.test.left)} {sign} {kind.quote}cpu{kind.quote}")


def _opened(ctx: FileContext, holder: Holder, mark: cst.Call, asked: Sequence[Edit | None]) -> Fix | None:
    tests = [*(one.test for one in available_gates(ctx)), *(one.test for one in compared_gates(ctx))]
    inside = opened(ctx, holder, [*tests, *(one.mark for one in gate_uses(ctx))])
    if not inside:  # tests that put nothing anywhere are skipped for what they call
        return None
    reasons = [edit for arg in mark.args[1:] for edit in _reason(ctx, arg.value)]
    message = "Ask for any accelerator, and use the one there is"
    return edits.as_fix(message, [*asked, *reasons, *inside], OTHERS_RUN)


def _reason(ctx: FileContext, text: cst.BaseExpression) -> list[Edit]:
    """The reason why a test is skipped, with another name for what is missing."""
    if not isinstance(text, cst.SimpleString):
        return []
    return [
        Edit(edits.part_of(ctx, text, one.start(), one.end()), _missing(one.start() < 2, one.group(1) is not None))
        for one in _MISSING.finditer(ctx.text_of(text))
    ]


def _missing(is_first: bool, has_article: bool) -> str:
    name = "an accelerator" if has_article else "accelerator"
    return name.capitalize() if is_first else name
