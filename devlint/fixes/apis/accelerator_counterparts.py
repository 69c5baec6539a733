"""Calls of ``torch.cuda`` become the calls of ``torch.accelerator`` that do the same for any device."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.cuda_surroundings import is_kept_for_cuda
from devlint.analysis.guards.cuda_flags import asks_for_cuda
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.apis.card_counts import counted_argument, counts_for_cuda
from devlint.fixes.apis.replaced_calls import replaced_in_tests
from devlint.fixes.apis.tested_calls import tested_calls
from devlint.fixes.conditional_device import replace_by_choice
from devlint.fixes.guard_statements import statement_of, under_guard
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_members import Member

CARDS = "device_count"
_BYTES = ("memory_allocated", "memory_reserved", "memory_cached")


def counterpart_fix(ctx: FileContext, node: cst.Call, member: Member) -> Fix | None:
    """Call what ``torch.accelerator`` has instead, under a test if it raises without an accelerator."""
    tested = tested_calls(ctx).get(id(node))
    if tested is not None:
        return tested
    torch = torch_name(ctx, node)
    argument = counted_argument(ctx, node)
    if (
        torch is None
        or argument is None
        or is_kept_for_cuda(ctx, node)
        or member.counterpart_since > ctx.target.torch_min_version
    ):
        return None
    text, message = f"{torch[0]}.{member.counterpart}({argument})", f"Call `torch.{member.counterpart}`"
    if member.name == CARDS and counts_for_cuda(ctx, node):
        return None
    statement, test = statement_of(ctx, node), ctx.target.available(torch[0])
    changes: tuple[Edit | None, ...]
    if member.name == CARDS or asks_for_cuda(ctx, node):
        changes = (replace_expression(ctx, node, text),)
    elif statement is not None:
        changes = (replace_expression(ctx, node, text), *(under_guard(ctx, statement, test) or (None,)))
    elif member.name.endswith(_BYTES):
        changes = (replace_by_choice(ctx, node, f"{text} if {test} else 0"),)
    else:
        return None
    return edits.as_fix(message, (*changes, *torch[1]), replaced_in_tests(ctx, member))
