"""An expression put in the place of another, without loss of comments and with quotes that fit."""

from __future__ import annotations

import libcst as cst

from devlint.core.diagnostic import Edit
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext


def put(ctx: FileContext, node: cst.BaseExpression, text: str) -> Edit | None:
    """Replace ``node`` by ``text``, parentheses included unless comments stand there; None if a comment is in it."""
    fitting = fit_quotes(ctx, node, text)
    if fitting is None:
        return None
    if "#" not in ctx.text_of(node):
        return edits.replace_outer(ctx, node, fitting)
    span = ctx.span(node)
    return edits.replace(ctx, node, fitting) if "#" not in ctx.source.text[span.start : span.end] else None


def fit_quotes(ctx: FileContext, at: cst.CSTNode, text: str) -> str | None:
    """``text`` with quotes that do not end the f-string around ``at``; None if it needs both kinds."""
    around = {one.end for one in ctx.tree.ancestors(at) if isinstance(one, cst.FormattedString)}
    taken = {quote for quote in around if quote in text}
    if not taken:
        return text
    if len(around) > 1 or "'" in text and '"' in text:
        return None
    return text.replace('"', "'") if '"' in taken else text.replace("'", '"')
