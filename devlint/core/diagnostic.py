"""Findings, fixes and failures as plain values that sort, compare and pickle."""

from __future__ import annotations

from enum import Enum

from devlint.core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


class Applicability(str, Enum):
    """Whether a fix keeps what the program does."""

    SAFE = "safe"
    """On a CUDA machine the program does what it did; where it failed without CUDA it now runs."""
    UNSAFE = "unsafe"
    """Probably meant, but something may change; the fix's message says what."""


class Span(Record, order=True):
    """A half-open range of characters ``[start, end)`` in the decoded text of a file (no BOM)."""

    start: int
    end: int

    def overlaps(self, other: Span) -> bool:
        """Whether the two share a character, or are insertions at the same place."""
        if self.start == self.end or other.start == other.end:
            return self.start <= other.end and other.start <= self.end
        return self.start < other.end and other.start < self.end


class Edit(Record, order=True):
    """Replace the characters of ``span`` by ``text``."""

    span: Span
    text: str


class Fix(Record):
    """Everything one rewrite needs, applied as a whole or not at all."""

    edits: tuple[Edit, ...]
    applicability: Applicability
    message: str
    """What the fix does, in the imperative: "Replace `.cuda()` by `.to(device)`"."""

    @property
    def is_safe(self) -> bool:
        """Whether it is made without ``--unsafe-fixes``."""
        return self.applicability is Applicability.SAFE

    def made_unsafe(self, why: str) -> Fix:
        """The same, but for ``--unsafe-fixes``, and with the reason in its message."""
        return self.replace(applicability=Applicability.UNSAFE, message=f"{self.message} ({why})")


class Location(Record, order=True):
    """A place in a file: ``row`` and ``column`` both count from 1, the column in characters."""

    row: int
    column: int
    cell: int | None = None
    """In a notebook, the cell in which the row is counted; all its cells count, from 1."""

    def __str__(self) -> str:
        """``row:column``, in a notebook ``cell 3:row:column``."""
        return f"{'' if self.cell is None else f'cell {self.cell}:'}{self.row}:{self.column}"


class Diagnostic(Record):
    """One finding: the place, the rule, the message, and a fix if there is one."""

    path: str
    code: str
    message: str
    span: Span
    location: Location
    end_location: Location
    fix: Fix | None = None

    @property
    def sort_key(self) -> tuple[str, Span, str, str]:
        """The order of the output: by file, place and code."""
        return (self.path, self.span, self.code, self.message)

    def will_be_fixed(self, unsafe_fixes: bool) -> bool:
        """Whether ``devlint fix`` applies the fix, with unsafe ones allowed or not."""
        return self.fix is not None and (unsafe_fixes or self.fix.applicability is Applicability.SAFE)


class Failure(Record):
    """Something devlint could not do with one path; the run goes on with the others."""

    path: str
    message: str
