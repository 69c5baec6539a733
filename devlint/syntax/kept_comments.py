"""Keeps the comments that a fix would delete: each goes to a line of its own above the statement that it was in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import libcst as cst

from devlint.core.diagnostic import Edit, Fix, Span
from devlint.sources.comments import Comment, comments
from devlint.syntax.edits import as_fix
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.line_edits import indentation, line_end, line_start

_STATEMENTS = (
    cst.SimpleStatementLine,
    cst.If,
    cst.For,
    cst.While,
    cst.With,
    cst.Try,
    cst.TryStar,
    cst.Match,
    cst.FunctionDef,
    cst.ClassDef,
)


def with_comments_kept(ctx: FileContext, fix: Fix) -> Fix | None:
    """The fix with each comment that its edits delete put back; None where there is no line for one."""
    text = ctx.source.text
    if not any("#" in text[edit.span.start : edit.span.end] for edit in fix.edits):
        return fix
    written = [line.rstrip() for edit in fix.edits for line in edit.text.splitlines()]
    changed: list[Edit] = []
    above: dict[int, list[str]] = defaultdict(list)
    for edit in fix.edits:
        lost = [one.text for one in comments_of(ctx) if edit.span.start <= one.start < edit.span.end]
        lost = [one for one in lost if not _take(written, one)]
        if not lost:
            changed.append(edit)
        elif not edit.text and _is_whole_lines(text, edit.span):
            changed.append(_in_their_place(ctx, edit.span, lost))
        else:
            place = _line_of_statement(ctx, edit.span.start)
            if place is None:
                return None
            above[place] += lost
            changed.append(edit)
    kept = as_fix(fix.message, _with_lines(ctx, changed, above))
    return kept.replace(applicability=fix.applicability) if kept is not None else None


@fact
def comments_of(ctx: FileContext) -> list[Comment]:
    """All comments of the file; none where Python's tokenizer gives up, so that the engine judges the fix alone."""
    try:
        return comments(ctx.source)
    except ValueError:
        return []


def _take(written: list[str], comment: str) -> bool:
    """Whether a line that a fix writes ends with the comment; each line keeps one."""
    at = next((index for index, line in enumerate(written) if line.endswith(comment)), None)
    if at is not None:
        del written[at]
    return at is not None


def _is_whole_lines(text: str, span: Span) -> bool:
    return line_start(text, span.start) == span.start and (
        span.end == len(text) or line_start(text, span.end) == span.end
    )


def _in_their_place(ctx: FileContext, span: Span, comment_texts: list[str]) -> Edit:
    """Comments instead of the whole lines that a fix deletes; empty lines around those stay."""
    text = ctx.source.text
    gone = text[span.start : span.end]
    start = line_start(text, span.start + len(gone) - len(gone.lstrip()))
    end = line_end(text, span.start + len(gone.rstrip()))
    return Edit(Span(start, end), _lines(ctx, start, comment_texts))


def _line_of_statement(ctx: FileContext, offset: int) -> int | None:
    """Where the line begins on which the innermost statement around ``offset`` does, if nothing is before that."""
    found: cst.CSTNode | None = None
    begins = 0
    for node in ctx.tree.of_types(_STATEMENTS):
        decorators = node.decorators if isinstance(node, (cst.FunctionDef, cst.ClassDef)) else ()
        start = ctx.span(decorators[0] if decorators else node).start
        is_elif = isinstance(node, cst.If) and isinstance(ctx.tree.parent(node), cst.If)
        if start <= offset < ctx.span(node).end and not is_elif:
            found, begins = node, start
    return None if found is None or indentation(ctx, found) is None else line_start(ctx.source.text, begins)


def _with_lines(ctx: FileContext, edits: list[Edit], above: Mapping[int, list[str]]) -> list[Edit]:
    """The edits, and the comments above the lines that begin at some offsets, below what else is inserted there."""
    inserted = {one.span.start: one for one in edits if one.span.start == one.span.end}
    others = [one for one in edits if not (one.span.start == one.span.end and one.span.start in above)]
    for at, lines in above.items():
        text = inserted[at].text if at in inserted else ""
        others.append(Edit(Span(at, at), text + _lines(ctx, at, lines)))
    return others


def _lines(ctx: FileContext, at: int, comment_texts: list[str]) -> str:
    """Comments as lines, indented as the line that begins at ``at``."""
    line = ctx.source.text[at : line_end(ctx.source.text, at)]
    indent = line[: len(line) - len(line.lstrip())].replace("\f", "")
    return "".join(f"{indent}{one}{ctx.source.newline}" for one in comment_texts)
