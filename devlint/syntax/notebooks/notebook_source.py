"""The code cells of a notebook as one Python program, with what is no Python masked, and the way back to the file.

Every cell begins with a marker, a comment that no text of the notebook holds. A command to IPython is one statement
with a mark behind it; a cell that is no Python, or that no parser takes, is one such statement and empty lines. So rows
and columns of all that is Python are those of the cell, and what a mark stands for comes back byte for byte, but for
the misspelled names of environment variables: they stand behind the mark, and may be mended there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import accumulate

from devlint.core.diagnostic import Location, Span
from devlint.core.record import Record
from devlint.sources.encoding import SourceError
from devlint.sources.environment_mentions import Mention
from devlint.sources.source import Source
from devlint.syntax.notebooks.notebook_file import Notebook


class Masks(Record):
    """What stands for what in the text of a program."""

    mark: str = ""
    """A word that the notebook does not hold."""
    commands: tuple[str, ...] = ()
    """The texts of the masked commands, and of cells as a whole, by the numbers of their marks."""
    mentions: tuple[tuple[Mention, ...], ...] = ()
    """The misspelled names of environment variables in each of them, which stand behind its mark."""
    whole: frozenset[int] = frozenset()
    """The numbers of the cells that are masked as a whole."""
    headed: frozenset[int] = frozenset()
    """The numbers of the cells whose first line must stay the first."""

    @property
    def cells(self) -> re.Pattern[str]:
        """Finds the lines above cells."""
        return re.compile(rf"^#!{self.mark} (\d+)(?:\r\n|\r|\n)", re.MULTILINE)

    @property
    def rows(self) -> re.Pattern[str]:
        """Finds masked commands: a row each, and one for each line that is joined to it."""
        return re.compile(
            rf"(?<![^\r\n])[^\r\n]*#{self.mark}=(\d+)((?: [\w-]+)*)(?:\r?\n#!{self.mark}\+)*(?=[\r\n]|\Z)"
        )

    def lifted(self, row: re.Match[str]) -> str:
        """The command that a masked row stands for, with the names that stand behind its mark."""
        number = int(row[1])
        pieces: list[str] = []
        at = 0
        for mention, name in zip(self.mentions[number], row[2].split()):
            pieces += (self.commands[number][at : mention.start], name)
            at = mention.end
        return "".join((*pieces, self.commands[number][at:]))


class NotebookSource(Source):
    """A notebook as the text of one program."""

    notebook: Notebook = Notebook("", ())
    masks: Masks = Masks()
    complaints: Mapping[int, SourceError] = {}
    """Why no parser takes a cell, by its number."""

    def to_bytes(self, text: str) -> bytes:
        """The file with the cells of ``text``."""
        return Source("", "", "utf-8", self.bom).to_bytes(self.written(text))

    @property
    def is_run(self) -> bool:
        """Nobody imports a notebook."""
        return True

    def written(self, text: str) -> str:
        """The JSON with the cells of ``text``; SourceError where that is no longer a text of these cells."""
        old, new = self._own_cells, self._cells(text)
        if list(old) != list(new) or self._marks(text) != self._marks(self.text):
            raise SourceError("a cell, or a line that is no Python, would be lost")
        sources = {cell.number: cell.source for cell in self.notebook.cells}
        changed = {number: source for number, source in new.items() if source != sources[number]}
        raw = self.notebook.with_sources(changed)
        if changed:
            written = {cell.number: cell.source for cell in Notebook.parse(raw).cells}
            if written != {**sources, **changed}:
                raise SourceError("the new cells cannot be written to the notebook")
        return raw

    def file_row(self, offset: int) -> int:
        """The row of the file that holds the row of a character."""
        return self.in_file(self.place(offset)).row

    def in_file(self, location: Location) -> Location:
        """The row of the file that holds a row of a cell, as it was read."""
        cell = next(cell for cell in self.notebook.cells if cell.number == location.cell)
        return Location(self.notebook.row_of(cell, location.row), 1)

    def display_location(self, location: Location) -> Location:
        """Row and column in the cell; just below its last row for what stands between two cells."""
        location = self._in_command(location)
        at = max(bisect_left(self._marker_rows, location.row) - 1, 0)
        return Location(location.row - self._marker_rows[at], location.column, self._numbers[at])

    def lines_of(self, location: Location) -> Callable[[int], str]:
        """The rows of the cell of a place, as the notebook has them."""
        return Source.from_text(self.path, self._own_cells.get(location.cell or 0, "")).line

    @property
    def has_parts(self) -> bool:
        """Its cells."""
        return True

    def parts(self, text: str) -> list[tuple[str, str]]:
        """The cells of ``text``, each with a last line ending, as ``patch`` likes it."""
        cells = self._cells(text).items()
        return [(f"{self.path}:cell {number}", re.sub(r"(?<=[^\r\n])\Z", "\n", cell)) for number, cell in cells]

    def protects(self, span: Span) -> bool:
        """Whether an edit there would touch a marker, a masked line or cell, or get above a first line."""
        if span in self._named:
            return False
        starts, furthest = self._zones
        before = bisect_left(starts, span.end)
        return before > 0 and furthest[before - 1] > span.start

    @property
    def errors(self) -> list[SourceError]:
        """The complaints about cells, at their places in the text."""
        rows = dict(zip(self._numbers, self._marker_rows))
        return [
            SourceError(error.message, rows[number] + error.row, error.column)
            for number, error in self.complaints.items()
        ]

    @property
    def commands(self) -> list[Span]:
        """Where the misspelled names in commands stand behind the marks."""
        return list(self._named)

    def masked_commands(self) -> Iterator[tuple[int, str]]:
        """Each masked command, with the offset at which its row begins."""
        for row in self.masks.rows.finditer(self.text):
            yield row.start(), self.masks.commands[int(row[1])]

    @cached_property
    def _named(self) -> dict[Span, tuple[int, int]]:
        """For each misspelled name behind a mark, the number of its command and its own number in it."""
        found: dict[Span, tuple[int, int]] = {}
        for row in self.masks.rows.finditer(self.text):
            for number, name in enumerate(re.finditer(r"[\w-]+", row[2])):
                found[Span(row.start(2) + name.start(), row.start(2) + name.end())] = int(row[1]), number
        return found

    def _in_command(self, location: Location) -> Location:
        """The row and column of a name in its command, for those of the name behind the mark."""
        if not self._named:
            return location
        found = self._edges.get(self.offset(location))
        if found is None:
            return location
        span, is_start = found
        command, number = self._named[span]
        mention = self.masks.mentions[command][number]
        before = self.masks.commands[command][: mention.start if is_start else mention.end]
        place = Source("", before).location(len(before))
        return Location(location.row + place.row - 1, place.column)

    @cached_property
    def _edges(self) -> dict[int, tuple[Span, bool]]:
        """Where misspelled names behind marks begin, and end."""
        edges = [(at, (span, at == span.start)) for span in self._named for at in (span.end, span.start)]
        return dict(reversed(edges))

    @cached_property
    def _numbers(self) -> list[int]:
        """The numbers of the cells in the text."""
        return [int(found[1]) for found in self.masks.cells.finditer(self.text)]

    @cached_property
    def _marker_rows(self) -> list[int]:
        """The rows above the first rows of the cells."""
        return [self.location(found.start()).row for found in self.masks.cells.finditer(self.text)]

    @cached_property
    def _zones(self) -> tuple[list[int], list[int]]:
        """Where zones begin that no edit may touch, and the furthest end of one up to each.

        Between two zones, or at the edge of one, text may be inserted.
        """
        markers = list(self.masks.cells.finditer(self.text))
        ends = [*(found.end() for found in markers[1:]), len(self.text) + 1]
        commands = [found.span() for found in self.masks.rows.finditer(self.text)]
        zones = [Span(start, end + 1) for start, end in commands]
        for found, end in zip(markers, ends):
            number = int(found[1])
            if number in self.masks.headed and number not in self.masks.whole:
                end = commands[bisect_left(commands, (found.end(),))][1] + 1
            elif number not in self.masks.whole:
                end = found.end()
            zones.append(Span(found.start(), end))
        zones.sort()
        return [zone.start for zone in zones], [*accumulate((zone.end for zone in zones), max)]

    def _marks(self, text: str) -> list[str]:
        """The marks in a text, in order."""
        return [found[1] for found in self.masks.rows.finditer(text)]

    @cached_property
    def _own_cells(self) -> dict[int, str]:
        """The sources of its cells as they are."""
        return self._cells(self.text)

    def _cells(self, text: str) -> dict[int, str]:
        """The sources of the cells in a text of this program, by their numbers."""
        originals = {cell.number: cell.source for cell in self.notebook.cells}
        markers = list(self.masks.cells.finditer(text))
        ends = [*(found.start() for found in markers[1:]), len(text)]
        found = {}
        for marker, end in zip(markers, ends):
            number = int(marker[1])
            original = originals.get(number, "")
            body = text[marker.end() : end]
            if number in self.masks.whole:
                row = self.masks.rows.match(body)
                found[number] = original if row is None else self.masks.lifted(row)
            else:
                found[number] = self._source(body, original)
        return found

    def _source(self, text: str, original: str) -> str:
        """The source of one cell: masks lifted, and no line ending behind it where the original had none."""
        lifted = self.masks.rows.sub(self.masks.lifted, text)
        source = re.sub(r"(?:\r\n|\r|\n)\Z", "", lifted)
        return source if source == original or original.endswith(("\n", "\r")) else source.rstrip("\r\n")
