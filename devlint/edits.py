"""Edits made from nodes: the only place that does arithmetic on offsets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Optional, Union

import libcst as cst

from devlint.context import FileContext
from devlint.diagnostic import Applicability, Edit, Fix, Span

Statement = Union[cst.SimpleStatementLine, cst.BaseCompoundStatement]

_BLANK = re.compile(r"[ \t\f]*\Z")


def fix(message: str, edits: Iterable[Optional[Edit]], caveat: Optional[str] = None) -> Optional[Fix]:
    """A whole Fix of ``edits``, unsafe when there is a ``caveat``; None if one of the edits cannot be made."""
    unique: list[Edit] = []
    for edit in edits:
        if edit is None:
            return None
        if edit not in unique:
            unique.append(edit)
    ordered = sorted(unique)
    if any(one.span.overlaps(two.span) for one, two in zip(ordered, ordered[1:])):
        return None
    applicability = Applicability.UNSAFE if caveat else Applicability.SAFE
    return Fix(tuple(ordered), applicability, f"{message} ({caveat})" if caveat else message)


def replace(ctx: FileContext, node: cst.CSTNode, text: str) -> Edit:
    """Replace ``node`` without its parentheses."""
    return Edit(ctx.span(node), text)


def replace_outer(ctx: FileContext, node: cst.CSTNode, text: str) -> Edit:
    """Replace the expression ``node`` and its parentheses."""
    return Edit(ctx.outer_span(node), text)


def replace_from_to(ctx: FileContext, first: cst.CSTNode, last: cst.CSTNode, text: str) -> Edit:
    """Replace everything from the start of ``first`` to the end of ``last``, parentheses included."""
    return Edit(Span(ctx.outer_span(first).start, ctx.outer_span(last).end), text)


def insert_before(ctx: FileContext, node: cst.CSTNode, text: str) -> Edit:
    """Insert ``text`` before the expression ``node`` and its parentheses."""
    start = ctx.outer_span(node).start
    return Edit(Span(start, start), text)


def insert_after(ctx: FileContext, node: cst.CSTNode, text: str) -> Edit:
    """Insert ``text`` after the expression ``node`` and its parentheses."""
    end = ctx.outer_span(node).end
    return Edit(Span(end, end), text)


def keep_only(ctx: FileContext, node: cst.CSTNode, kept: cst.CSTNode) -> list[Edit]:
    """Delete all of the expression ``node`` but ``kept``, which is a part of it."""
    whole, part = ctx.outer_span(node), ctx.outer_span(kept)
    around = (Edit(Span(whole.start, part.start), ""), Edit(Span(part.end, whole.end), ""))
    return [edit for edit in around if edit.span.start < edit.span.end]


def arguments_span(ctx: FileContext, call: cst.Call) -> Span:
    """What stands between the parentheses of a call, comments and white space included."""
    opening = ctx.outer_span(call.whitespace_after_func).end
    return Span(opening + 1, ctx.span(call).end - 1)


def replace_arguments(ctx: FileContext, call: cst.Call, text: str) -> Edit:
    """Replace everything between the parentheses of a call; keep comments if there was nothing else."""
    inside = arguments_span(ctx, call)
    if not call.args and "#" in ctx.source.text[inside.start : inside.end]:
        return Edit(Span(inside.start, inside.start), text)
    return Edit(inside, text)


def argument_text(ctx: FileContext, arg: cst.Arg) -> str:
    """An argument as written, with its star or keyword, without its comma."""
    return ctx.source.text[ctx.span(arg).start : ctx.outer_span(arg.value).end]


def add_argument(ctx: FileContext, call: cst.Call, text: str) -> Optional[Edit]:
    """Append an argument; None for a bare generator, which would need parentheses."""
    if not call.args:
        return replace_arguments(ctx, call, text)
    last = call.args[-1].value
    if isinstance(last, cst.GeneratorExp) and not last.lpar:
        return None
    return insert_after(ctx, last, f", {text}")


def remove_argument(ctx: FileContext, call: cst.Call, arg: cst.Arg) -> Edit:
    """Delete one argument with the comma that joins it to its neighbour."""
    index = next(i for i, other in enumerate(call.args) if other is arg)
    start, end = ctx.span(arg).start, ctx.outer_span(arg.value).end
    if index + 1 < len(call.args):
        return Edit(Span(start, ctx.span(call.args[index + 1]).start), "")
    if index > 0:
        return Edit(Span(ctx.outer_span(call.args[index - 1].value).end, end), "")
    inside = arguments_span(ctx, call)
    return Edit(inside if "#" not in ctx.source.text[inside.start : inside.end] else Span(start, end), "")


def line_start(text: str, offset: int) -> int:
    """The offset of the first character of the line that holds ``offset``."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def line_end(text: str, offset: int) -> int:
    """The offset just after the line ending of the line that holds ``offset``."""
    found = re.compile(r"\r\n|\r|\n").search(text, offset)
    return found.end() if found else len(text)


def indentation(ctx: FileContext, statement: cst.CSTNode) -> Optional[str]:
    """The white space before a statement that begins its line; None where something else stands before it."""
    start = ctx.span(statement).start
    if isinstance(statement, (cst.FunctionDef, cst.ClassDef)) and statement.decorators:
        start = ctx.span(statement.decorators[0]).start
    before = ctx.source.text[line_start(ctx.source.text, start) : start]
    return before if _BLANK.match(before) else None


def insert_line_before(ctx: FileContext, statement: cst.CSTNode, lines: Sequence[str]) -> Optional[Edit]:
    """Insert whole lines above a statement and above the comments that belong to it."""
    indent = indentation(ctx, statement)
    if indent is None:
        return None
    text, newline = ctx.source.text, ctx.source.newline
    start = ctx.span(statement).start
    if isinstance(statement, (cst.FunctionDef, cst.ClassDef)) and statement.decorators:
        start = ctx.span(statement.decorators[0]).start
    at = line_start(text, start)
    while at > 0:
        above = line_start(text, at - 2 if text[at - 2 : at] == "\r\n" else at - 1)
        line = text[above:at]
        if not (line.startswith(indent + "#") and not line.startswith(("#!", "# -*-", "# coding"))):
            break
        at = above
    return Edit(Span(at, at), "".join(f"{indent}{line}{newline}" if line else newline for line in lines))


def insert_line_after(ctx: FileContext, statement: cst.CSTNode, lines: Sequence[str]) -> Optional[Edit]:
    """Insert whole lines below a statement, at its own indentation."""
    indent = indentation(ctx, statement)
    if indent is None:
        return None
    text, newline = ctx.source.text, ctx.source.newline
    end = ctx.span(statement).end
    at = end if end > 0 and text[end - 1] in "\r\n" else line_end(text, end)
    body = "".join(f"{indent}{line}{newline}" if line else newline for line in lines)
    if at and text[at - 1] not in "\r\n":
        body = newline + body[: -len(newline)]
    return Edit(Span(at, at), body)


def blank_line_at(ctx: FileContext, offset: int) -> bool:
    """Whether the line that begins at ``offset`` is empty or the file ends there."""
    text = ctx.source.text
    return not text[offset : line_end(text, offset)].strip()


def delete_line(ctx: FileContext, statement: cst.CSTNode) -> Optional[Edit]:
    """Delete a simple statement that has its lines to itself, line ending included."""
    if indentation(ctx, statement) is None:
        return None
    text, span = ctx.source.text, ctx.span(statement)
    return Edit(Span(line_start(text, span.start), line_end(text, span.end)), "")
