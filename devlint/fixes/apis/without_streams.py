"""Streams that a program does without where there is no CUDA: on the CPU, operations run in order."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.streams import ordering_statement, ordering_statements
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.apis.failing_cuda_calls import CudaCall, guard_fix
from devlint.fixes.conditional_device import needs_parentheses
from devlint.fixes.guard_statements import grouped_under
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_members import CUDA


def without_current_stream(ctx: FileContext, node: cst.Call) -> Fix | None:
    """The fix that puts a statement that orders work on streams under a test."""
    statement = ordering_statement(ctx, node)
    return guard_fix(ctx, [CudaCall(node, CUDA["current_stream"], statement)]) if statement is not None else None


def without_stream(ctx: FileContext, node: cst.Call) -> Fix | None:
    """The fix that puts None in the place of the stream, and all that orders work on streams under the test."""
    torch = torch_name(ctx, node)
    if torch is None or ctx.target.kind == "accelerator":
        return None
    statements = ordering_statements(ctx, node)
    if statements is None:
        return None
    test = f"{torch[0]}.cuda.is_available()"
    changes = [*or_else(ctx, node, test, "None"), *grouped_under(ctx, statements, test), *torch[1]]
    return edits.as_fix("Do without a stream where there is no CUDA", changes)


def or_else(ctx: FileContext, node: cst.BaseExpression, test: str, otherwise: str) -> list[Edit | None]:
    """The edits that make ``node`` a choice: itself where the test holds, else another value."""
    text = f" if {test} else {otherwise}"
    if not needs_parentheses(ctx, node):
        return [edits.insert_after(ctx, node, text)]
    return [edits.insert_before(ctx, node, "("), edits.insert_after(ctx, node, f"{text})")]
