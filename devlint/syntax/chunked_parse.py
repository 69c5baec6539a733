"""Parses a long text a few definitions at a time, to the same tree.

LibCST's parser needs some 200 bytes for each one of a text until it is done, and less time for the parts than for the
whole. A text is cut before definitions at the start of a line, and before those in such a class or ``else``: there the
rest of the block is parsed as the body of another class. Where a place is inside of a string, of brackets or of a
statement, what stands before it does not parse, and the text is cut further down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import libcst as cst
from libcst.native import parse_module  # type: ignore[import-not-found]  # which is no Python

from devlint.core.lazy_regex import regex

_parsed: Callable[[str], cst.Module] = parse_module
"""What ``libcst.parse_module`` asks after it has imported what only bytes need."""

MOST = 4_000
"""Characters after which a text is cut as soon as it can be."""

_LINE = regex(r"\n(?:(?P<indent>[ \t]*)(?:@|class\b|def\b|async\b)|[^\s#)\]}])")
"""A definition, or other code at the margin."""


class _Cut(NamedTuple):
    """A place between two statements, and how they are indented: not at all, or as the block that they are in."""

    at: int
    indent: str = ""


def parse_in_chunks(text: str) -> cst.Module:
    """The module that ``text`` is; raises what LibCST raises."""
    # Where form feeds and other newlines stand among blank lines, it is hard to say whose they are.
    if len(text) > MOST and "\f" not in text and text.count("\r") == text.count("\r\n"):
        module = _joined(_chunks(text))
        if module is not None:
            return module
    return _parsed(text)


def _chunks(text: str) -> list[tuple[_Cut, cst.Module]]:
    """The parts of a text, with the cuts before them; none where the text does not parse."""
    found: list[tuple[_Cut, cst.Module]] = []
    start, least = _Cut(0), MOST
    while start.at < len(text):
        end = _cut(text, start, least)
        chunk = _chunk(text, start, end)
        if chunk is not None:
            found.append((start, chunk))
            start, least = end, MOST
        elif end.at == len(text):
            return []
        else:
            least = 2 * (end.at - start.at)  # so that what does not parse takes linear time
    return found


def _cut(text: str, start: _Cut, least: int) -> _Cut:
    """The first cut that leaves at least so many characters behind another, or the end."""
    block = start.indent or None  # the indentation in a class or else; empty where no definition has shown it
    for found in _LINE.finditer(text, max(start.at - 1, 0)):
        at, indent = found.start() + 1, found["indent"]
        if not indent:
            block = "" if text.startswith(("class", "else"), at) else None
        elif block == "":
            block = indent
            continue  # there may be nothing above it in the block
        if indent is None or (indent and indent != block) or at < start.at + least:
            continue
        cut = _above(text, at, indent)
        if cut is not None and cut > start.at:
            return _Cut(cut, indent)
    return _Cut(len(text))


def _above(text: str, at: int, indent: str) -> int | None:
    """Where the comments and blank lines above a definition begin that are its own; None where decorators are."""
    line = text.rfind("\n", 0, at - 1) + 1
    while line < at and text[line:at].removeprefix(indent)[0] in "#\r\n":  # deeper ones may belong to the block above
        at, line = line, text.rfind("\n", 0, max(line - 1, 0)) + 1
    is_certain = not text.startswith(f"{indent}@", line) and not text.endswith(("\\\n", "\\\r\n"), line, at)
    return at if is_certain else None


def _chunk(text: str, start: _Cut, end: _Cut) -> cst.Module | None:
    """What stands between two cuts, in a class where it begins in a block; None where they are no cuts."""
    code = text[start.at : end.at]
    if start.indent:
        code = f"class _:{_newline(text)}{code}"
    try:
        chunk = _parsed(code)
    except (cst.ParserSyntaxError, cst.CSTValidationError, UnicodeError):
        return None
    if end.at < len(text) and (chunk.footer or not chunk.body or not chunk.has_trailing_newline):
        return None
    if end.indent:
        block = _last_block(chunk.body[-1])
        indent = block and (chunk.default_indent if block.indent is None else block.indent)
        if block is None or block.footer or indent != end.indent:
            return None
    return chunk


def _joined(chunks: list[tuple[_Cut, cst.Module]]) -> cst.Module | None:
    """The module whose parts they are; None where that is not certain."""
    if not chunks:
        return None
    (_, module), (_, last) = chunks[0], chunks[-1]
    body = [*module.body]
    for start, chunk in chunks[1:]:
        if chunk.default_indent != module.default_indent or chunk.default_newline != module.default_newline:
            return None
        first, *rest = chunk.body
        if start.indent:
            body[-1] = _extended(body[-1], _last_block(first))
        else:
            assert isinstance(first, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
            body.append(first.with_changes(leading_lines=(*chunk.header, *first.leading_lines)))
        body += rest
    return module.with_changes(body=tuple(body), footer=last.footer, has_trailing_newline=last.has_trailing_newline)


def _last_block(statement: cst.CSTNode) -> cst.IndentedBlock | None:
    """The body of a class, or what an ``if`` does else, where it is not on the same line."""
    while isinstance(statement, cst.If) and statement.orelse is not None:
        statement = statement.orelse
    body = statement.body if isinstance(statement, (cst.ClassDef, cst.Else)) else None
    return body if isinstance(body, cst.IndentedBlock) else None


def _extended(statement: Any, more: Any) -> Any:
    """A statement whose last block goes on."""
    if isinstance(statement, cst.If):
        return statement.with_changes(orelse=_extended(statement.orelse, more))
    block = statement.body
    return statement.with_changes(body=block.with_changes(body=(*block.body, *more.body), footer=more.footer))


def _newline(text: str) -> str:
    """The first one."""
    end = text.index("\n") + 1
    return "\r\n" if text[:end].endswith("\r\n") else "\n"
