"""Edits of whole lines: statements inserted, deleted, moved left; with edits.py the only arithmetic on offsets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

import libcst as cst

from devlint.core.diagnostic import Edit, Span
from devlint.core.lazy_regex import regex
from devlint.syntax.edits import insert_after
from devlint.syntax.file_context import FileContext, fact

_BLANK = regex(r"[ \t\f]*\Z")
_HEADER = ("#!", "# -*-", "# coding")
"""How comments begin that say how to read or run a file."""


def line_start(text: str, offset: int) -> int:
    """The offset of the first character of the line that holds ``offset``."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _line_above(text: str, at: int) -> int:
    """The start of the line above the one that starts at ``at``."""
    return line_start(text, at - 2 if text[at - 2 : at] == "\r\n" else at - 1)


def line_end(text: str, offset: int) -> int:
    """The offset just after the line ending of the line that holds ``offset``."""
    found = re.compile(r"\r\n|\r|\n").search(text, offset)
    return found.end() if found else len(text)


@fact
def indent_step(ctx: FileContext) -> str:
    """What one more level of indentation is in most blocks of the file."""
    steps = [one.indent or ctx.module.default_indent for one in ctx.tree.of_type(cst.IndentedBlock)]
    return max(dict.fromkeys(steps), key=steps.count, default=ctx.module.default_indent)


def step_after(ctx: FileContext, indent: str) -> str:
    """What one more level of indentation is where a block has ``indent``."""
    if indent.endswith("\t"):
        return "\t"
    step = indent_step(ctx)
    return "    " if indent and step.endswith("\t") else step


def indentation(ctx: FileContext, statement: cst.CSTNode) -> str | None:
    """The white space before a statement that begins its line; None where something else stands before it."""
    start = _start(ctx, statement)
    before = ctx.source.text[line_start(ctx.source.text, start) : start]
    return before if _BLANK.match(before) else None


def _start(ctx: FileContext, statement: cst.CSTNode) -> int:
    """Where a statement begins, with its decorators."""
    decorators = statement.decorators if isinstance(statement, (cst.FunctionDef, cst.ClassDef)) else ()
    return ctx.span(decorators[0] if decorators else statement).start


def insert_line_before(ctx: FileContext, statement: cst.CSTNode, lines: Sequence[str]) -> Edit | None:
    """Insert whole lines above a statement and above the comments that belong to it.

    Those above a first import belong to the file: its licence, its subject. None where nothing may stand above it.
    """
    indent = indentation(ctx, statement)
    if indent is None or _is_future_import(statement):
        return None
    text, newline = ctx.source.text, ctx.source.newline
    start = _start(ctx, statement)
    at = line_start(text, start)
    while at > 0:
        above = _line_above(text, at)
        line = text[above:at]
        if not line.startswith(indent + "#") or line.startswith(_HEADER):
            break
        at = above
    if _is_import(statement) and (at == 0 or text.startswith(_HEADER, _line_above(text, at))):
        at = line_start(text, start)
    return Edit(Span(at, at), "".join(f"{indent}{line}{newline}" if line else newline for line in lines))


def _is_import(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(
        statement.body[0], (cst.Import, cst.ImportFrom)
    )


def _is_future_import(statement: cst.CSTNode) -> bool:
    """Whether a line holds ``from __future__ import``, whatever else it holds."""
    parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    modules = [one.module for one in parts if isinstance(one, cst.ImportFrom) and not one.relative]
    return any(isinstance(one, cst.Name) and one.value == "__future__" for one in modules)


@fact
def _above_future_imports(ctx: FileContext) -> Sequence[cst.CSTNode]:
    """The statements at the top of a module that stand above one of its ``from __future__ import``."""
    top = list(takewhile(lambda one: _is_string(one) or _is_future_import(one), ctx.module.body))
    while top and not _is_future_import(top[-1]):
        del top[-1]
    return top[:-1]


def _is_string(statement: cst.CSTNode) -> bool:
    """Whether a line holds nothing but strings, such as a docstring."""
    parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else [statement]
    strings = (cst.SimpleString, cst.ConcatenatedString)
    return all(isinstance(one, cst.Expr) and isinstance(one.value, strings) for one in parts)


def insert_line_after(ctx: FileContext, statement: cst.CSTNode, lines: Sequence[str]) -> Edit | None:
    """Insert whole lines below a statement, at its own indentation; None where nothing may stand below it."""
    indent = indentation(ctx, statement)
    if indent is None or any(one is statement for one in _above_future_imports(ctx)):
        return None
    text, newline = ctx.source.text, ctx.source.newline
    end = ctx.span(statement).end
    at = end if end > 0 and text[end - 1] in "\r\n" else line_end(text, end)
    if text.endswith("\r", 0, at):
        newline = "\r"  # others would become one with it
    body = "".join(f"{indent}{line}{newline}" if line else newline for line in lines)
    if at and text[at - 1] not in "\r\n":
        body = newline + body[: -len(newline)]
    return Edit(Span(at, at), body)


def blank_line_at(ctx: FileContext, offset: int) -> bool:
    """Whether the line that begins at ``offset`` is empty or the file ends there."""
    text = ctx.source.text
    return not text[offset : line_end(text, offset)].strip()


def replace_statements(ctx: FileContext, first: cst.CSTNode, last: cst.CSTNode, text: str) -> Edit:
    """Put ``text`` in the place of the statements from ``first`` to ``last``, but not of their last line ending."""
    start, end = ctx.span(first).start, ctx.span(last).end
    return Edit(Span(start, start + len(ctx.source.text[start:end].rstrip("\r\n"))), text)


def insert_statement(ctx: FileContext, line: cst.CSTNode, expression: cst.BaseExpression, text: str) -> Edit:
    """Insert a statement after one that is just ``expression``: on its own line if that has one, else after ``;``."""
    indent = indentation(ctx, line) if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
    return insert_after(ctx, expression, "; " + text if indent is None else ctx.source.newline + indent + text)


def delete_lines(ctx: FileContext, first: cst.CSTNode, last: cst.CSTNode) -> Edit | None:
    """Delete whole statements and one of two groups of empty lines."""
    if indentation(ctx, first) is None:
        return None
    text, blank_lines = ctx.source.text, re.compile(r"(?:[ \t\f]*(?:\r\n|\r|\n))*")
    start, end = line_start(text, ctx.span(first).start), ctx.span(last).end
    end = end if text[end - 1 : end] in ("\r", "\n") else line_end(text, end)
    above = start
    while above > 0 and blank_line_at(ctx, _line_above(text, above)):
        above = _line_above(text, above)
    below = blank_lines.match(text, end)
    if above < start and below is not None and below.end() > end:
        count_above, count_below = text.count("\n", above, start), text.count("\n", end, below.end())
        start, end = (above, end) if count_above <= count_below else (start, below.end())
    return Edit(Span(start, end), "")


def unwrap_block(ctx: FileContext, statement: cst.If) -> list[Edit] | None:
    """Edits that leave the body of an ``if`` at its own indentation: comments stay, the test and ``else`` go.

    None where a string over several lines would change, a comment would go, or something else shares the first line.
    """
    if indentation(ctx, statement) is None:
        return None
    whole, text = ctx.span(statement), ctx.source.text
    if isinstance(statement.body, cst.SimpleStatementSuite):
        edits = [Edit(Span(whole.start, ctx.span(statement.body).start), "")]
    else:
        found = _unindented(ctx, statement)
        if found is None:
            return None
        edits = found
    if statement.orelse is not None:
        end = _block_end(text, whole.end)
        while not text[_line_above(text, end) : end].strip():
            end = _line_above(text, end)
        gone = Span(_block_end(text, ctx.outer_span(statement.body).end), end)
        if "#" in text[gone.start : gone.end]:
            return None
        edits.append(Edit(gone, ""))
    return edits


def _block_end(text: str, end: int) -> int:
    """The start of the line after a block that ends at ``end``."""
    return end if end > 0 and text[end - 1] in "\r\n" else line_end(text, end)


def unwrap_first(ctx: FileContext, statement: cst.If, count: int) -> list[Edit] | None:
    """Edits that put an ``if`` below the first ``count`` statements of its body, at its own indentation.

    None where its test is not one line, or something else shares that line.
    """
    body, indents = statement.body.body, _indents(ctx, statement)
    below = insert_line_before(ctx, body[count], [""]) if indents is not None else None
    if indents is None or below is None or any(_has_long_string(ctx, one) for one in body[:count]):
        return None
    text, start = ctx.source.text, ctx.span(statement).start - len(indents[0])
    first, place = line_end(text, ctx.outer_span(statement.body).start), below.span.start
    if line_end(text, start) != first:
        return None
    header = Edit(Span(place, place), text[start:first])
    return [Edit(Span(start, first), ""), *_moved_left(text, first, place, *indents), header]


def unwrap_last(ctx: FileContext, statement: cst.If, count: int) -> list[Edit] | None:
    """Edits that put the last ``count`` statements of the body of an ``if`` below it; None where they share a line."""
    body, indents = statement.body.body, _indents(ctx, statement)
    above = insert_line_before(ctx, body[-count], [""]) if indents is not None else None
    if indents is None or above is None or any(_has_long_string(ctx, one) for one in body[-count:]):
        return None
    text = ctx.source.text
    return _moved_left(text, above.span.start, _block_end(text, ctx.outer_span(statement.body).end), *indents)


def _indents(ctx: FileContext, statement: cst.If | cst.Else) -> tuple[str, str] | None:
    """The indentation of an ``if`` and of its body; None where one of them shares its line."""
    body = statement.body.body
    outer, inner = indentation(ctx, statement), indentation(ctx, body[0]) if body else None
    return (outer, inner) if outer is not None and inner is not None and inner.startswith(outer) else None


def _moved_left(text: str, at: int, end: int, outer: str, inner: str) -> list[Edit]:
    """The lines from ``at`` to ``end``, which begin with ``inner``, at the indentation ``outer``."""
    edits = []
    while at < end:
        following = line_end(text, at)
        if text.startswith(inner, at) and text[at:following].strip():
            edits.append(Edit(Span(at + len(outer), at + len(inner)), ""))
        at = following
    return edits


def unwrap_else(ctx: FileContext, statement: cst.If) -> list[Edit] | None:
    """Edits that leave the body of an ``else`` at the indentation of its ``if``; None where a comment would go."""
    other, text = statement.orelse, ctx.source.text
    if not isinstance(other, cst.Else) or indentation(ctx, statement) is None:
        return None
    found = _unindented(ctx, other)
    gone = Span(line_start(text, ctx.span(statement).start), line_start(text, ctx.span(other).start))
    return [Edit(gone, ""), *found] if found is not None and "#" not in text[gone.start : gone.end] else None


def _unindented(ctx: FileContext, statement: cst.If | cst.Else) -> list[Edit] | None:
    """The lines of an indented body moved left, and the line with the test deleted."""
    indents = _indents(ctx, statement)
    if indents is None or _has_long_string(ctx, statement.body):
        return None
    text, start, block = ctx.source.text, ctx.span(statement).start, ctx.outer_span(statement.body)
    if "#" in text[start : block.start]:
        return None
    first = line_end(text, block.start)
    gone = Span(start - len(indents[0]), first)
    edits = [Edit(gone, _header_comment(text[block.start : first], indents[0]))]
    return edits + _moved_left(text, first, _block_end(text, block.end), *indents)


def _header_comment(header: str, indent: str) -> str:
    """The comment after ``if test:`` on a line of its own."""
    comment = header.partition("#")
    return f"{indent}#{comment[2]}" if comment[1] else ""


def _has_long_string(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a string below ``node`` spans lines."""
    parts = (cst.SimpleString, cst.FormattedString)
    return any(isinstance(one, parts) and "\n" in ctx.text_of(one) for one in ctx.tree.below(node))
