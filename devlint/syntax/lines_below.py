"""Where what stands below a statement ends: imports in comments, and the text that says what a variable is for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

import libcst as cst

from devlint.core.diagnostic import Edit, Span
from devlint.core.lazy_regex import regex
from devlint.syntax import line_edits
from devlint.syntax.file_context import FileContext

_IMPORT = regex(r"#\s*(import\s+\w|from\s+[\w.]+\s+import\s)")


def insert_below(ctx: FileContext, statement: cst.CSTNode, lines: Sequence[str]) -> Edit | None:
    """Insert whole lines below a statement and what belongs to it; None where nothing may stand below it."""
    edit = line_edits.insert_line_after(ctx, _described(ctx, statement), lines)
    if edit is None or not _is_import(statement) or ctx.source.has_parts:
        return edit
    end = _end_of_comments(ctx, edit.span.start)
    return edit.replace(span=Span(end, end)) if end > edit.span.start else edit


def _is_import(statement: cst.CSTNode) -> bool:
    small = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    return any(isinstance(one, (cst.Import, cst.ImportFrom)) for one in small)


def _described(ctx: FileContext, statement: cst.CSTNode) -> cst.CSTNode:
    """The text right below an assignment, which says what the variable is for; else the statement itself."""
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    block = ctx.tree.parent(statement) if isinstance(small, (cst.Assign, cst.AnnAssign)) else None
    body = block.body if isinstance(block, (cst.Module, cst.IndentedBlock)) else ()
    below = next((two for one, two in pairwise(body) if one is statement), None)
    if not isinstance(below, cst.SimpleStatementLine) or below.leading_lines:
        return statement
    text = below.body[0]
    is_text = isinstance(text, cst.Expr) and isinstance(text.value, (cst.SimpleString, cst.ConcatenatedString))
    return below if is_text else statement


def _end_of_comments(ctx: FileContext, start: int) -> int:
    """The end of the comments from ``start`` on that belong to the imports above.

    They hold the last import that is a comment, or stand right below the imports, with an empty line below them.
    """
    found, right_below = start, True
    for line, end in takewhile(lambda one: one[0].startswith("#") or not one[0].strip(), _lines(ctx, start)):
        if not line.strip():
            right_below = False
        elif _IMPORT.match(line) or (right_below and line_edits.blank_line_at(ctx, end)):
            found = end
    return found if found < len(ctx.source.text) else start


def _lines(ctx: FileContext, start: int) -> Iterator[tuple[str, int]]:
    """The lines from ``start`` on, each with where it ends."""
    text = ctx.source.text
    while start < len(text):
        end = line_edits.line_end(text, start)
        yield text[start:end], end
        start = end
