"""Source text around findings, and what their fixes change, row beside row."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import zip_longest

from devlint.core.characters import without_controls
from devlint.core.lazy_regex import regex
from devlint.core.line_matches import LineMatcher
from devlint.core.record import Record
from devlint.report.model import RowPair, SourceRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from devlint.core.diagnostic import Diagnostic, Edit, Span
    from devlint.sources.source import Source

_AROUND = 1
"""Rows shown above and below what is found or changed."""
_MOST_ROWS = 10
"""Rows of one finding that are shown."""
_MOST_PLACES = 6
"""Places of one fix that are shown."""
_MOST_COLUMNS = 240
_LINE = regex(r"([^\r\n]*)(\r\n|\r|\n|\Z)")


class _Region(Record):
    """Rows of a file, both included, and the edits in them."""

    first: int
    last: int
    edits: tuple[Edit, ...] = ()


def excerpt(source: Source, diagnostic: Diagnostic) -> tuple[SourceRow, ...]:
    """The rows of a finding and those around it; of many, the first."""
    span = diagnostic.span
    first, last = _rows_of(source, span)
    top, bottom = max(first - _AROUND, 1), min(last, first + _MOST_ROWS - 1) + _AROUND
    rows = [one for one in range(top, min(bottom, source.row_count) + 1) if _is_beside(source, one, first)]
    shown = _shown(source, rows)
    return tuple(_replaced(row, shown) for row in _code_rows(source, rows, [(span.start, span.end)]))


def _is_beside(source: Source, row: int, other: int) -> bool:
    """Whether two rows are in the same cell, and the first is a row of it, not the mark above it."""
    place = source.place(_start(source, row))
    return place.row > 0 and place.cell == _cell_at(source, other)


def _shown(source: Source, rows: Iterable[int]) -> dict[str, str]:
    """What stands in the file for rows of the text that stand for something else, as a notebook's commands do."""
    found = {}
    for row in rows:
        place = source.place(_start(source, row))
        found[source.line(row)] = source.lines_of(place)(place.row)
    return {text: shown for text, shown in found.items() if text != shown}


def _replaced(row: SourceRow, shown: dict[str, str]) -> SourceRow:
    return _cut(row.replace(text=without_controls(shown[row.text]), marks=()) if row.text in shown else row)


def side_by_side(source: Source, diagnostic: Diagnostic) -> tuple[tuple[RowPair, ...], ...]:
    """The places that a finding's fix changes, with the finding itself among the rows; of many places, the first."""
    if diagnostic.fix is None:
        return ()
    first, last = _rows_of(source, diagnostic.span)
    regions = [_Region(first, min(last, first + _MOST_ROWS - 1))]
    for edit in diagnostic.fix.edits:
        top, bottom = _rows_of(source, edit.span)
        regions.append(_Region(top, bottom, (edit,)))
    return tuple(_pairs(source, one) for one in _joined(source, regions)[:_MOST_PLACES])


def _rows_of(source: Source, span: Span) -> tuple[int, int]:
    """The first and last row of a span; the end of a row is in it, the start of the next is not."""
    first = source.location(span.start).row
    end = source.location(span.end)
    return first, max(first, end.row - 1 if end.column == 1 and end.row > first else end.row)


def _joined(source: Source, regions: Sequence[_Region]) -> list[_Region]:
    """The regions with some rows around them, in order; those that touch are one, but cells stay apart."""
    joined: list[_Region] = []
    for one in sorted(regions, key=lambda region: (region.first, region.last)):
        near = joined and one.first <= joined[-1].last + 2 * _AROUND + 1
        if near and _cell_at(source, one.first) == _cell_at(source, joined[-1].last):
            before = joined[-1]
            edits = tuple(sorted({*before.edits, *one.edits}))
            joined[-1] = _Region(before.first, max(before.last, one.last), edits)
        else:
            joined.append(one)
    return [_widened(source, one) for one in joined]


def _widened(source: Source, region: _Region) -> _Region:
    """The region with the rows around it that are in the same cell."""
    top, bottom = region.first, region.last
    while top > max(region.first - _AROUND, 1) and _is_beside(source, top - 1, region.first):
        top -= 1
    most = min(region.last + _AROUND, source.row_count)
    while bottom < most and _is_beside(source, bottom + 1, region.first):
        bottom += 1
    if bottom == source.row_count and not source.line(bottom) and bottom > region.last:
        bottom -= 1
    return region.replace(first=top, last=bottom)


def _cell_at(source: Source, row: int) -> int | None:
    return source.place(_start(source, row)).cell


def _start(source: Source, row: int) -> int:
    from devlint.core.diagnostic import Location

    return source.offset(Location(row, 1))


def _pairs(source: Source, region: _Region) -> tuple[RowPair, ...]:
    """The rows of a region before and after its edits, beside each other."""
    start = _start(source, region.first)
    last = max([region.last, *(source.location(one.span.end).row for one in region.edits)])
    end = _start(source, last) + len(source.line(last))
    marks = [(one.span.start, one.span.end) for one in region.edits]
    before = list(_code_rows(source, range(region.first, last + 1), marks))
    after = _after(source.text[start:end], start, region.edits, before)
    pairs: list[RowPair] = []
    matcher = LineMatcher([row.text for row in before], [row.text for row in after], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        above = _above(before[a:b], after[c:d]) if kind == "replace" else 0
        pairs += (RowPair(None, one) for one in after[c : c + above])
        pairs += (RowPair(*one) for one in zip_longest(before[a:b], after[c + above : d]))
    shown = _shown(source, range(region.first, last + 1))
    return tuple(
        RowPair(*(row and _replaced(row, shown) for row in (one.before, one.after))) for one in pairs[: 2 * _MOST_ROWS]
    )


def _above(before: Sequence[SourceRow], after: Sequence[SourceRow]) -> int:
    """How many of the new rows stand above those that were changed: so many that the others are most like them."""

    def likeness(shift: int) -> float:
        both = zip(before, after[shift:])
        return sum(SequenceMatcher(None, old.text, new.text).quick_ratio() for old, new in both)

    return max(range(max(len(after) - len(before), 0), -1, -1), key=likeness)


def _after(text: str, start: int, edits: Sequence[Edit], before: Sequence[SourceRow]) -> list[SourceRow]:
    """The rows that edits make of a text that begins at ``start``, numbered as those before from the first on."""
    pieces: list[str] = []
    marks: list[tuple[int, int]] = []
    at, length = start, 0
    for edit in edits:
        kept = text[at - start : edit.span.start - start]
        pieces += (kept, edit.text)
        length += len(kept)
        marks.append((length, length + len(edit.text)))
        length += len(edit.text)
        at = edit.span.end
    pieces.append(text[at - start :])
    first = before[0]
    return list(_numbered("".join(pieces), 0, first.number, marks, first.cell))


def _code_rows(source: Source, rows: Iterable[int], marks: Sequence[tuple[int, int]]) -> Iterator[SourceRow]:
    """Rows of a file, with the parts of them that are marked."""
    for row in rows:
        start = _start(source, row)
        place = source.place(start)
        yield from _numbered(source.line(row), start, place.row, marks, place.cell)


def _numbered(
    text: str, start: int, number: int, marks: Sequence[tuple[int, int]], cell: int | None
) -> Iterator[SourceRow]:
    """The rows of a text that begins at an offset, with their numbers and marks."""
    for line in _LINE.finditer(text):
        if line.start() == len(text) and text and text[-1] not in "\r\n":
            return  # the end of the last row, not a row after it
        shown = line[1]
        ranges = ((max(one - start, 0), min(end - start, len(shown))) for one, end in marks)
        held = tuple(sorted((one, end) for one, end in ranges if one < end))
        yield SourceRow(number, without_controls(shown), held, cell)
        start += len(line[0])
        number += 1


def _cut(row: SourceRow) -> SourceRow:
    """The row, or what is around its first mark where it is very long."""
    if len(row.text) <= _MOST_COLUMNS:
        return row
    start = max(row.marks[0][0] - _MOST_COLUMNS // 3, 0) if row.marks else 0
    end = start + _MOST_COLUMNS
    text = "…" * (start > 0) + row.text[start:end] + "…" * (end < len(row.text))
    shift = start - (start > 0)
    marks = ((one - shift, min(last, end) - shift) for one, last in row.marks if one < end)
    return row.replace(text=text, marks=tuple(marks))
