"""A test for CUDA becomes a test for any accelerator, together with what it governs."""

from __future__ import annotations

from devlint.analysis.guards.availability_flow import Answer
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.apis.cuda_dependents import cuda_dependents, on_accelerator
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext

_CAVEAT = "the program will run on other accelerators too, also where it chose the CPU or another backend by itself"


def availability_fix(ctx: FileContext, answer: Answer) -> Fix | None:
    """The change of a test and of all that it governs, but for what a closer test governs."""
    torch = torch_name(ctx, answer.calls[0])
    if torch is None:
        return None
    made: list[Edit | None] = [*torch[1]]
    made += [replace_expression(ctx, call.func, f"{torch[0]}.accelerator.is_available") for call in answer.calls]
    for dependent in cuda_dependents(ctx):
        if answer.governs(dependent.node):
            made += on_accelerator(ctx, dependent, torch[0]) or [None]
    return edits.as_fix("Ask for any accelerator, and use the one there is", made, _CAVEAT)
