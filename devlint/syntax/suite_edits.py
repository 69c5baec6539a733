"""Statements moved under a header of their own: with edits.py and line_edits.py the only arithmetic on offsets."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.core.diagnostic import Edit, Span
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext
from devlint.syntax.line_edits import indentation, step_after

_NEWLINE = regex(r"\r\n|\r|\n")
_EMPTY = regex(r"[ \t\f]*(?:\r|\n|\Z)")
_PARTS = (cst.Else, cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally)
Line = cst.SimpleStatementLine | cst.SimpleStatementSuite


def put_under(
    ctx: FileContext, header: str, first: cst.BaseSmallStatement, last: cst.BaseSmallStatement
) -> tuple[Edit, ...] | None:
    """Insert ``header`` ("if x:") over the statements from ``first`` to ``last``, and move them right.

    The two are one, or alone on their lines in one block. Comments stay with their lines; a line of several statements
    and the suite on the line of its owner (``else: f()``) are broken up. None where a line cannot be broken.
    """
    line = ctx.tree.parent(first)
    if not isinstance(line, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
        return None
    indent = _indent(ctx, line)
    if indent is None:
        return None
    start, end = ctx.span(first).start, ctx.span(last).end
    newline, step = ctx.source.newline + indent, step_after(ctx, indent)
    opening = f"{header}{newline}{step}"
    made = []
    for at in _lines_inside(ctx, line, start, end):
        at += len(indent) if ctx.source.text.startswith(indent, at) else 0  # a tab goes before spaces, not after them
        made.append(Edit(Span(at, at), step))
    breaks = _breaks(ctx, line, start, end)
    if breaks is None:
        return None
    if not any(gap.end == start for gap in breaks):
        made.append(Edit(Span(start, start), opening))
    made += [Edit(gap, newline + opening if gap.end == start else newline) for gap in breaks]
    return tuple(made)


def _indent(ctx: FileContext, line: Line) -> str | None:
    """The indentation of a line's statements: of a suite beside its owner, what it gets on a line of its own."""
    if isinstance(line, cst.SimpleStatementLine):
        return indentation(ctx, line)
    owner = ctx.tree.parent(line)
    while isinstance(owner, _PARTS) or (isinstance(owner, cst.If) and isinstance(ctx.tree.parent(owner), cst.If)):
        owner = ctx.tree.parent(owner)
    outer = indentation(ctx, owner) if owner is not None else None
    return None if outer is None else outer + step_after(ctx, outer)


def _breaks(ctx: FileContext, line: Line, start: int, end: int) -> list[Span] | None:
    """Where a line breaks to free what stands from ``start`` to ``end``: a suite beside its owner at every ``;``."""
    spans = [ctx.span(small) for small in line.body]
    gaps = [Span(one.end, other.start) for one, other in zip(spans, spans[1:])]
    if isinstance(line, cst.SimpleStatementLine):
        return [gap for gap in gaps if gap.end == start or gap.start == end]
    header = ctx.source.text[: spans[0].start].rstrip(" \t\f")
    return [Span(len(header), spans[0].start), *gaps] if header.endswith(":") else None


def _lines_inside(ctx: FileContext, line: Line, start: int, end: int) -> Iterator[int]:
    """Where the lines between two offsets begin: those that are not empty and do not begin inside a string."""
    text = ctx.source.text
    found = [one.end() for one in _NEWLINE.finditer(text, start, end)]
    below = ctx.tree.below(ctx.tree.parent(line) or line) if found else ()
    strings = [ctx.span(one) for one in below if isinstance(one, (cst.SimpleString, cst.FormattedString))]
    for at in found:
        if _EMPTY.match(text, at) is None and not any(span.start < at < span.end for span in strings):
            yield at
