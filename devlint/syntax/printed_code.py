"""Code that is printed together with its value: ``f"{torch.cuda.memory_allocated()=}"``."""

from __future__ import annotations

import libcst as cst

from devlint.core.diagnostic import Fix, Span
from devlint.syntax.file_context import FileContext


def is_printed_code(ctx: FileContext, fix: Fix) -> bool:
    """Whether a fix changes code that the program prints as it is written: it would print something else."""
    return any(code.overlaps(edit.span) for code in ctx.fact(_printed_code) for edit in fix.edits)


def _printed_code(ctx: FileContext) -> list[Span]:
    expressions = ctx.tree.of_type(cst.FormattedStringExpression)
    return [ctx.span(one.expression) for one in expressions if one.equal is not None]
