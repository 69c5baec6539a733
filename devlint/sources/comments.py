"""The comments of a file, told apart from strings that look like one."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from devlint.core.diagnostic import Location
from devlint.core.record import Record
from devlint.sources.source import Source


class Comment(Record):
    """One comment: where it starts, its text to the end of the line, and the rows it speaks for."""

    start: int
    text: str
    rows: range
    """More than its own row where a string over several lines, or a backslash, joins it to those before."""
    alone: bool
    """Whether nothing is before it on its row."""


def comments(source: Source) -> list[Comment]:
    """All comments of a file; raises ValueError where Python's tokenizer gives up."""
    return [Comment(start, text, rows, alone) for rows, pending in _joined(source) for start, text, alone in pending]


def joined_rows(source: Source) -> list[range]:
    """The rows of a file, each with those that a string or a backslash joins to it: a comment at their end is for all.

    Raises ValueError where Python's tokenizer gives up.
    """
    return [rows for rows, _ in _joined(source)]


def _joined(source: Source) -> Iterator[tuple[range, list[tuple[int, str, bool]]]]:
    """Rows up to where a line may end in a comment, with the comments there: place, text, and if it is alone."""
    import tokenize

    text = source.text.replace("\r\n", "\n").replace("\r", "\n")
    pending: list[tuple[int, str, bool]] = []
    first: int | None = None
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
                continue
            first = token.start[0] if first is None else first
            if token.type == tokenize.COMMENT:
                start = source.offset(Location(token.start[0], token.start[1] + 1))
                pending.append((start, token.string, not token.line[: token.start[1]].strip()))
            elif token.type in (tokenize.NL, tokenize.NEWLINE):
                yield range(first, token.end[0] + 1), pending
                first, pending = None, []
    except (tokenize.TokenError, SyntaxError) as error:
        raise ValueError(str(error)) from None


def lost_comments(before: str, after: str) -> list[str]:
    """The comments of a text that a changed one lacks; none where Python's tokenizer gives up on one of them."""
    from collections import Counter

    # All comments, and the strings that hold that sign.
    hashes = [Counter(re.findall(r"#[^\r\n]*", text)) for text in (before, after)]
    if not hashes[0] - hashes[1]:
        return []
    try:
        texts = [Counter(one.text for one in comments(Source.from_text("", text))) for text in (before, after)]
    except ValueError:
        return []
    return sorted((texts[0] - texts[1]).elements())


def lines_like_comments(source: Source, hint: re.Pattern[str]) -> Iterator[Comment]:
    """Every line with ``hint`` in it, from its first ``#`` on, as if that began a comment."""
    last = 0
    for match in hint.finditer(source.text):
        row = source.location(match.start()).row
        line = source.line(row)
        at = line.find("#")
        if row != last and at >= 0:
            place = source.offset(Location(row, at + 1))
            yield Comment(place, line[at:], range(row, row + 1), not line[:at].strip())
        last = row
