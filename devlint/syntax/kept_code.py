"""Code that has to stay as it is written: what is printed with its value, and the fields of a notebook's forms."""

from __future__ import annotations

import libcst as cst

from devlint.core.diagnostic import Fix, Span
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext

_FIELD = regex(r"(?m)^[^=#\n]*=([^#\n]*)# *@param\b(?!.*[\"']raw[\"'])")
"""``device = "cuda"  #@param ["cuda", "cpu"]``: Colab shows the value in a form, and takes nothing but a literal."""


def changes_kept_code(ctx: FileContext, fix: Fix) -> bool:
    """Whether a fix changes code that the program prints as it is written, or a value that a form is to change."""
    return any(code.overlaps(edit.span) for code in ctx.fact(_kept_code) for edit in fix.edits)


def _kept_code(ctx: FileContext) -> list[Span]:
    expressions = ctx.tree.of_type(cst.FormattedStringExpression)
    printed = [ctx.span(one.expression) for one in expressions if one.equal is not None]
    text = ctx.source.text
    if "@param" not in text:
        return printed
    return printed + [Span(*one.span(1)) for one in _FIELD.finditer(text)]
