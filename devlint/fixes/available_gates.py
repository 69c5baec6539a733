"""Marks that skip tests without CUDA, made to ask for any accelerator: with all that they govern."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.test_marks import AvailableGate, available_gates, gate_uses
from devlint.core.diagnostic import Edit, Fix
from devlint.core.lazy_regex import regex
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
    tests = [*(one.test for one in available_gates(ctx)), *(one.mark for one in gate_uses(ctx))]
    inside = opened(ctx, gate.holder, tests) if torch is not None else None
    if torch is None or not inside:  # tests that put nothing anywhere are skipped for what they call
        return None
    asked = replace_expression(ctx, gate.call.func, f"{torch[0]}.accelerator.is_available")
    reasons = [edit for arg in gate.mark.args[1:] for edit in _reason(ctx, arg.value)]
    return edits.as_fix(
        "Ask for any accelerator, and use the one there is", [asked, *reasons, *torch[1], *inside], OTHERS_RUN
    )


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
