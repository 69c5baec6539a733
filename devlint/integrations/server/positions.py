"""Places in a text, as editors count them: rows from 0, columns in units of UTF-8, UTF-16 or UTF-32."""

from __future__ import annotations

from lsprotocol.types import Position, PositionEncodingKind, Range

from devlint.core.diagnostic import Location
from devlint.sources.source import Source

Encoding = PositionEncodingKind | str
BOM = "\ufeff"


def units(text: str, encoding: Encoding) -> int:
    """How many units a text has."""
    if text.isascii() or encoding == PositionEncodingKind.Utf32:
        return len(text)
    if encoding == PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def characters(line: str, count: int, encoding: Encoding) -> int:
    """How many characters of a line begin in its first ``count`` units; all of them, where it has fewer."""
    if line.isascii() or encoding == PositionEncodingKind.Utf32:
        return min(count, len(line))
    seen = 0
    for index, character in enumerate(line):
        if seen >= count:
            return index
        seen += units(character, encoding)
    return len(line)


class EditorText:
    """A text as an editor has it: what its positions mean."""

    def __init__(self, text: str, encoding: Encoding) -> None:
        self.text = text
        self._encoding = encoding
        self._source = Source("", text)

    def offset(self, position: Position) -> int:
        """Where in the text a position is; one past the end of a line, or of the text, is that end."""
        row = position.line + 1
        if row > self._source.row_count:
            return len(self.text)
        column = characters(self._source.line(row), position.character, self._encoding)
        return self._source.offset(Location(row, column + 1))

    def position(self, offset: int) -> Position:
        """The inverse."""
        return self._at(self._source.location(offset))

    def range(self, start: Location, end: Location) -> Range:
        """What is between two places that devlint names; it does not count a byte-order mark."""
        return Range(self._named(start), self._named(end))

    def _named(self, place: Location) -> Position:
        return self._at(Location(1, place.column + 1) if place.row == 1 and self.text.startswith(BOM) else place)

    def _at(self, place: Location) -> Position:
        """The position of a row and a column of characters; the end of the text for a row that it does not have."""
        row = min(place.row, self._source.row_count)
        line = self._source.line(row)
        before = line[: place.column - 1] if row == place.row else line
        return Position(row - 1, units(before, self._encoding))


def touches(one: Range, other: Range) -> bool:
    """Whether two ranges share a place, be it only an end of both."""
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(position: Position) -> tuple[int, int]:
    return position.line, position.character
