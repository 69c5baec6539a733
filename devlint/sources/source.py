"""Reads and writes source files: encoding, byte-order mark and newlines are kept, and writes are atomic."""

from __future__ import annotations

import codecs
import os
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from devlint.core.diagnostic import Location, Span
from devlint.core.errors import FileChangedError
from devlint.core.file_reading import read_file
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.sources.encoding import SourceError, encode, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["FileChangedError", "Source", "SourceError", "read_source", "write_source"]

_BOM = codecs.BOM_UTF8
_NEWLINE = regex(r"\r\n|\r|\n")


class Source(Record):
    """One file as text without its byte-order mark, with all that is needed to write it back byte for byte."""

    path: str
    text: str
    encoding: str = "utf-8"
    bom: bool = False

    @classmethod
    def from_bytes(cls, path: str, data: bytes) -> Source:
        """Decode as Python does (PEP 263), keeping newlines; raise SourceError where Python would refuse."""
        return cls(path, *read(data))

    @classmethod
    def from_text(cls, path: str, text: str) -> Source:
        """A source that is already text, with or without a byte-order mark, to be written as UTF-8."""
        return cls(path, text.removeprefix("\ufeff"), bom=text.startswith("\ufeff"))

    def to_bytes(self, text: str) -> bytes:
        """Encode ``text`` as this file was encoded, with its byte-order mark if it had one."""
        body = encode(text, self.encoding)
        if body is None:
            raise SourceError(f"the new text cannot be encoded as {self.encoding}")
        return _BOM + body if self.bom else body

    @cached_property
    def newline(self) -> str:
        """The file's first line ending, or a line feed where it has none."""
        found = _NEWLINE.search(self.text)
        return found.group() if found else "\n"

    @cached_property
    def _line_starts(self) -> list[int]:
        if "\r" in self.text:
            return [0, *(match.end() for match in _NEWLINE.finditer(self.text))]
        lengths = map(len, self.text.split("\n"))
        return [*accumulate(map((1).__add__, lengths), initial=0)][:-1]

    @property
    def row_count(self) -> int:
        """How many rows there are; text that ends in a newline has an empty last one."""
        return len(self._line_starts)

    def location(self, offset: int) -> Location:
        """Row and column of a character of the text, or of its end."""
        row = bisect_right(self._line_starts, offset)
        return Location(row, offset - self._line_starts[row - 1] + 1)

    def offset(self, location: Location) -> int:
        """The inverse of ``location``."""
        return self._line_starts[location.row - 1] + location.column - 1

    def line(self, row: int) -> str:
        """One row without its line ending; empty for a row that does not exist."""
        starts = self._line_starts
        if not 1 <= row <= len(starts):
            return ""
        end = starts[row] if row < len(starts) else len(self.text)
        return self.text[starts[row - 1] : end].rstrip("\r\n")

    @property
    def is_run(self) -> bool:
        """Whether the file is certainly run as a program and not imported."""
        return False

    @property
    def is_fragment(self) -> bool:
        """Whether the text is a part of a program, which may leave out the program's imports."""
        return False

    @property
    def has_programs(self) -> bool:
        """Whether programs may be embedded in the text, as in documents and docstrings."""
        return False

    def written(self, text: str) -> str:
        """The text of the whole file once ``text`` is its program."""
        return text

    def file_row(self, offset: int) -> int:
        """The row of the file that holds a character, where only line feeds end rows, as for git."""
        return self.text.count("\n", 0, offset) + 1

    def in_file(self, location: Location) -> Location:
        """The row of the file that a displayed location is in."""
        return location

    def display_location(self, location: Location) -> Location:
        """A location as it is displayed: in a notebook, relative to its cell."""
        return location

    def place(self, offset: int) -> Location:
        """The displayed location of a character."""
        return self.display_location(self.location(offset))

    def lines_of(self, location: Location) -> Callable[[int], str]:
        """Looks up rows in the numbering of a displayed location."""
        return self.line

    def parts(self, text: str) -> list[tuple[str, str]]:
        """The parts of ``text``, a text of this file, that a diff shows: their names and texts."""
        return [(self.path, text)]

    @property
    def has_parts(self) -> bool:
        """Whether a diff shows parts of the file one by one, as the cells of a notebook."""
        return False

    def protects(self, span: Span) -> bool:
        """Whether edits may neither touch ``span`` nor insert text in it."""
        return False

    @property
    def commands(self) -> Sequence[Span]:
        """Places in the text that stand for misspelled environment variables in shell commands of a notebook."""
        return ()

    @property
    def errors(self) -> Sequence[SourceError]:
        """Errors in parts of the file that are left out of the text, at their places in it."""
        return ()


def read_source(path: str) -> Source:
    """Read and decode one file; raises OSError or SourceError."""
    return Source.from_bytes(path, read_file(path))


def write_source(source: Source, new_text: str) -> None:
    """Replace the file by ``new_text`` in one step, or raise and leave it as it is.

    A symbolic link stays and its file is replaced; a file that changed since it was read is refused.
    """
    from devlint.sources.file_writing import rewrite_file

    rewrite_file(os.path.realpath(source.path), source.to_bytes(source.text), source.to_bytes(new_text))
