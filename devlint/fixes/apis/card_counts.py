"""Calls that count cards, or what is on one: the card that they are told, and whether it is one of CUDA's."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.guards.guards import guards_of
from devlint.fixes.apis.cuda_dependents import cuda_dependents
from devlint.syntax.file_context import FileContext


def counted_argument(ctx: FileContext, node: cst.Call) -> str | None:
    """The sole argument, which torch.accelerator takes by its place only; None where there are others."""
    if not node.args:
        return ""
    only = node.args[0]
    named = only.keyword is not None and only.keyword.value != "device"
    if len(node.args) > 1 or only.star or named:
        return None
    literal = cuda_literal(ctx, only.value)
    if literal is None:
        return ctx.text_of(only.value)
    return "" if literal.index is None else literal.index if literal.index.isdigit() else None


def counts_for_cuda(ctx: FileContext, count: cst.Call) -> bool:
    """Whether the cards that are counted may be used as CUDA's, in this file or under a test for CUDA."""
    tests = (ctx.text_of(guard.test) for guard in guards_of(ctx, count))
    return bool(cuda_dependents(ctx)) or any("cuda" in one.lower() for one in tests)
