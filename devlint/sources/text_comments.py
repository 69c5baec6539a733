"""Comments in files that are no Python but set environment variables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from devlint.core.diagnostic import Location
from devlint.core.lazy_regex import regex
from devlint.sources.comments import Comment
from devlint.sources.source import Source
from devlint.sources.text_kinds import TextKind

_FENCE = regex(r"[ \t]*(`{3,}|~{3,})")


def comments_in(source: Source, kind: TextKind, hint: re.Pattern[str]) -> Iterator[Comment]:
    """The comments of a text in which ``hint`` is found, as if all began with ``#``; for their line and the next.

    A comment that has its line to itself speaks for what stands below it: a line, with those joined to it by
    backslashes, or a block of code.
    """
    last = 0
    for found in hint.finditer(source.text):
        row = source.location(found.start()).row
        line = source.line(row)
        at = min((line.find(mark) for mark in kind.node_ids if mark in line), default=-1)
        if row == last or at < 0:
            continue
        last = row
        alone = not line[:at].strip(" \t*-")
        text = line[at:].replace("-->", "   ")
        for mark in kind.node_ids:
            text = text.replace(mark, "#".ljust(len(mark)))
        end = _end(source, row + 1) if alone else row + 1
        yield Comment(source.offset(Location(row, at + 1)), text, range(row, end), alone=False)


def _end(source: Source, row: int) -> int:
    """The row below what begins at ``row``."""
    fence = _FENCE.match(source.line(row))
    if fence is not None:
        for other in range(row + 1, source.row_count + 1):
            if source.line(other).strip().startswith(fence[1]):
                return other + 1
        return source.row_count + 1
    while source.line(row).endswith(("\\", "^")) and row < source.row_count:
        row += 1
    return row + 1
