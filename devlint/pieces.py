"""Parses a long text a few definitions at a time, to the same tree.

LibCST's parser needs some 200 bytes for each one of a text until it is done, and less time for the parts than for the
whole. A text may be cut before a definition at the start of a line: where that is inside of a string, of brackets or
of a statement, what stands before it does not parse, and the text is parsed as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Optional

import libcst as cst

from devlint.regexes import regex

MOST = 16_000
"""Characters after which a text is cut as soon as it can be."""

_DEFINITION = regex(r"^(?:@|class\b|def\b|async\b)", re.MULTILINE)


def parse_in_pieces(text: str) -> cst.Module:
    """The module that ``text`` is; raises what LibCST raises."""
    cuts = [0, *_cuts(text), len(text)] if "\f" not in text else []
    if len(cuts) > 2:
        try:
            whole = _joined([cst.parse_module(text[start:end]) for start, end in zip(cuts, cuts[1:])])
        except (cst.ParserSyntaxError, cst.CSTValidationError, UnicodeError):
            whole = None
        if whole is not None:
            return whole
    return cst.parse_module(text)


def _cuts(text: str) -> Iterator[int]:
    """Where to cut: before the comments and blank lines above a definition, which are its own."""
    found = _DEFINITION.search(text, MOST)
    while found is not None:
        cut = found.start()
        line = text.rfind("\n", 0, cut - 1) + 1
        while line < cut and text[line:cut].strip(" \t\r\n")[:1] in ("", "#") and text[line] not in " \t":
            cut, line = line, text.rfind("\n", 0, line - 1) + 1
        if cut and not text.startswith("@", line) and not text.endswith(("\\\n", "\\\r\n"), line, cut):
            yield cut
        found = _DEFINITION.search(text, found.start() + MOST)


def _joined(pieces: list[cst.Module]) -> Optional[cst.Module]:
    """The module whose parts they are; None where that is not certain."""
    first, last = pieces[0], pieces[-1]
    body = [*first.body]
    for piece in pieces[1:]:
        if piece.default_indent != first.default_indent or piece.default_newline != first.default_newline:
            return None
        top = piece.body[0]
        assert isinstance(top, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        body.append(top.with_changes(leading_lines=(*piece.header, *top.leading_lines)))
        body.extend(piece.body[1:])
    if any(piece.footer or not piece.has_trailing_newline for piece in pieces[:-1]):
        return None
    return first.with_changes(body=tuple(body), footer=last.footer, has_trailing_newline=last.has_trailing_newline)
