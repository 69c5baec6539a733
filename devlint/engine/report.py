"""What there is to say about one file, and what a run is to do about it."""

from __future__ import annotations

from collections import Counter
from enum import Enum

from devlint.core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.core.diagnostic import Diagnostic, Failure
    from devlint.sources.source import Source


class Mode(Enum):
    """What to do about findings."""

    CHECK = "check"
    FIX = "fix"
    DIFF = "diff"
    """Fix, but write nothing."""


class Seen(Record):
    """What of the disk a report was made of, so that it can be kept as long as that is the same."""

    digest: str
    """Of the contents of the file."""
    size: int
    mtime: int
    ctime: int
    """In nanoseconds, as ``mtime``."""
    asked: tuple[tuple[str, str], ...] = ()
    """Questions about other files, and their answers; see ``devlint.analysis.names.project_files``."""


class FileReport(Record):
    """All there is to say about one file."""

    path: str
    diagnostics: tuple[Diagnostic, ...] = ()
    """What was found; after a fix, what remains."""
    failures: tuple[Failure, ...] = ()
    applied: tuple[Diagnostic, ...] = ()
    """The findings that were fixed."""
    source: Source | None = None
    """The text the diagnostics speak of; None where there is nothing to say of it."""
    before_text: str = ""
    after_text: str = ""
    unsafe_fixes: bool = False
    """Whether unsafe fixes count as fixes here."""
    known: int = 0
    """How many findings a baseline holds back."""
    by_target: bool = False
    """Whether rules that nobody asked might find something with another target."""
    seen: Seen | None = None
    """None where nobody wanted to know, or the file was not read."""

    @property
    def changed(self) -> bool:
        """Whether fixes made another text of it."""
        return self.before_text != self.after_text

    def parts(self) -> list[tuple[str, str, str]]:
        """Name, text before and text after of each part that people see: of the file, or of the cells of a notebook."""
        if self.source is None or not self.changed:
            return []
        before, after = self.source.parts(self.before_text), self.source.parts(self.after_text)
        return [(name, old, new) for (name, old), (_, new) in zip(before, after)]

    @property
    def fixed(self) -> Counter[str]:
        """How many findings of each code were fixed."""
        return Counter(diagnostic.code for diagnostic in self.applied)
