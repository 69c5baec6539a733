"""Which lines two texts have in common, found in a time that hardly grows faster than the texts."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from typing import Any, AnyStr

_FEW = 5_000
"""Lines of both texts that difflib compares quickly, whatever they are."""
_FEW_CHANGED = 200
"""Changed lines that difflib compares quickly, even those that are common in the text, which it leaves out else."""


class LineMatcher(SequenceMatcher[AnyStr]):
    """difflib's comparison; in long texts the lines that both have once, and in the same order, are common to them.

    So difflib compares only what is between such lines: alone it takes the square of the number of changes.
    """

    a: Sequence[AnyStr]
    b: Sequence[AnyStr]
    matching_blocks: Any
    """What difflib keeps, once it is known."""

    def __init__(self, before: Sequence[AnyStr], after: Sequence[AnyStr], autojunk: bool = True) -> None:
        super().__init__(None, (), (), autojunk)
        self.a, self.b = before, after
        self._autojunk = autojunk

    def get_matching_blocks(self) -> list[Match]:
        """As in difflib: where lines are the same, from first to last, and an empty one for the end."""
        if self.matching_blocks is None:
            self.matching_blocks = [*_joined(self._with_common_lines()), Match(len(self.a), len(self.b), 0)]
        blocks: list[Match] = self.matching_blocks
        return blocks

    def _with_common_lines(self) -> Iterator[Match]:
        """The blocks, with those between them of lines that are so common that difflib does not look for them."""
        row = other = 0
        for block in (*self._blocks(), Match(len(self.a), len(self.b), 0)):
            if self._autojunk and row < block.a and other < block.b:
                if max(block.a - row, block.b - other) <= _FEW_CHANGED:
                    yield from self._between(Match(row, other, 0), block, autojunk=False)
            yield block
            row, other = block.a + block.size, block.b + block.size

    def _between(self, first: Match, last: Match, autojunk: bool) -> Iterator[Match]:
        """What difflib finds in both texts from the beginning of one block to that of another."""
        between = SequenceMatcher(None, self.a[first.a : last.a], self.b[first.b : last.b], autojunk)
        for start, place, size in between.get_matching_blocks()[:-1]:
            yield Match(first.a + start, first.b + place, size)

    def _blocks(self) -> Iterator[Match]:
        row = other = 0
        anchors: list[tuple[int, int]] = _anchors(self.a, self.b) if len(self.a) + len(self.b) > _FEW else []
        for here, there in (*anchors, (len(self.a), len(self.b))):
            if row < here and other < there:
                yield from self._between(Match(row, other, 0), Match(here, there, 0), self._autojunk)
            if here < len(self.a):
                yield Match(here, there, 1)
            row, other = here + 1, there + 1


def _joined(blocks: Iterator[Match]) -> Iterator[Match]:
    """Blocks, those that follow on one another as one."""
    row = other = size = 0
    for block in blocks:
        if (block.a, block.b) == (row + size, other + size):
            size += block.size
            continue
        if size:
            yield Match(row, other, size)
        row, other, size = block
    if size:
        yield Match(row, other, size)


def _anchors(before: Sequence[AnyStr], after: Sequence[AnyStr]) -> list[tuple[int, int]]:
    """The rows of the most lines that each text has once, and in this order (patience sorting)."""
    once = {line for line, count in Counter(before).items() if count == 1}
    once &= {line for line, count in Counter(after).items() if count == 1}
    row_of = {line: row for row, line in enumerate(after) if line in once}
    chain: dict[int, tuple[int, int]] = {}
    """By row of ``before``: the row of ``after``, and the row of ``before`` that precedes it in the best sequence."""
    ends: list[tuple[int, int]] = []
    """Of the best sequence of each length the last rows: of ``after``, of ``before``."""
    for row, line in enumerate(before):
        if line in once:
            end = row_of[line], row
            length = bisect_left(ends, end)
            chain[row] = end[0], ends[length - 1][1] if length else -1
            ends[length : length + 1] = [end]
    found = []
    row = ends[-1][1] if ends else -1
    while row >= 0:
        other, first = chain[row]
        found.append((row, other))
        row = first
    return found[::-1]
