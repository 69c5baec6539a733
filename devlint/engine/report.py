"""The report on one file, and the modes of a run."""

from __future__ import annotations

from devlint.core.errors import DevlintError
from devlint.core.gc_pause import gc_paused
from devlint.core.record import NamedValue, Record
from devlint.sources.discovery import describe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable
    from typing import ClassVar

    from devlint.core.diagnostic import Diagnostic, Failure
    from devlint.sources.discovery import Skipped
    from devlint.sources.source import Source


class Mode(NamedValue):
    """What to do about findings."""

    CHECK: ClassVar[Mode]
    FIX: ClassVar[Mode]
    DIFF: ClassVar[Mode]
    """Fix, but write nothing."""


class FileState(Record):
    """The state of the files that a report was made from; the cache keeps the report while it is the same."""

    digest: str
    """Of the contents of the file."""
    size: int
    mtime: int
    ctime: int
    """In nanoseconds, as ``mtime``."""
    questions: tuple[tuple[str, str], ...] = ()
    """Questions about other files, and their answers; see ``devlint.analysis.project.lookups``."""


class FileReport(Record):
    """The findings, failures and fixes of one file."""

    path: str
    diagnostics: tuple[Diagnostic, ...] = ()
    """What was found; after a fix, what remains."""
    failures: tuple[Failure, ...] = ()
    applied: tuple[Diagnostic, ...] = ()
    """The findings that were fixed."""
    source: Source | None = None
    """The text that the diagnostics refer to; None if there are none."""
    before_text: str = ""
    after_text: str = ""
    unsafe_fixes: bool = False
    """Whether unsafe fixes count as fixes here."""
    baselined: int = 0
    """How many findings a baseline holds back."""
    by_target: bool = False
    """Whether rules that did not run might find something with another target."""
    file_state: FileState | None = None
    """None without a cache, or if the file was not read."""
    skipped: str = ""
    """Why the file was left alone, where that is no failure."""
    first: tuple[str, ...] | None = None
    """The codes of what was found before any fix; None where that is what was fixed, and what remains."""
    asks: tuple[str, ...] = ()
    """Questions about what other files hold, whose answers fixes may change; none where nothing is fixed."""
    is_unsettled: bool = False
    """Whether another run may find more to fix, since what it goes by in other files has changed in this one."""

    @property
    def changed(self) -> bool:
        """Whether fixes made another text of it."""
        return self.before_text != self.after_text

    def parts(self) -> list[tuple[str, str, str]]:
        """Name, text before and text after of each part that a diff shows: the file, or the cells of a notebook."""
        if self.source is None or not self.changed:
            return []
        before, after = self.source.parts(self.before_text), self.source.parts(self.after_text)
        return [(name, old, new) for (name, old), (_, new) in zip(before, after)]

    @property
    def fixed(self) -> Counter[str]:
        """How many findings of each code are gone, by their own fix or by that of another one."""
        if self.first is None:
            return _counts(diagnostic.code for diagnostic in self.applied)
        return _counts(self.first) - self._remaining

    @property
    def new(self) -> Counter[str]:
        """How many findings of each code remain that were not there before the fixes."""
        return self._remaining - _counts(self.first) if self.first is not None else _counts(())

    @property
    def _remaining(self) -> Counter[str]:
        return _counts(diagnostic.code for diagnostic in self.diagnostics)


def _counts(codes: Iterable[str]) -> Counter[str]:
    from collections import Counter

    return Counter(codes)


def left_alone(found: Failure | Skipped) -> FileReport:
    """The report on a path under which there is no file to look at."""
    from devlint.core.diagnostic import Failure

    if isinstance(found, Failure):
        return FileReport(found.path, failures=(found,))
    return FileReport(found.path, skipped=found.message)


def failed_report(path: str, message: str, origin: str | None = None) -> FileReport:
    """The report of what could not be done, on a file or because of ``origin``."""
    from devlint.core.diagnostic import Failure

    return FileReport(path, failures=(Failure(origin or path, message),))


def guarded(path: str, work: Callable[[], FileReport]) -> FileReport:
    """The report that ``work`` gives, or one of its failure; the garbage collector rests meanwhile."""
    try:
        with gc_paused():
            return work()
    except (OSError, DevlintError) as error:
        message = describe(error)
    except Exception as error:  # the only catch-all: one bad file must not end the run
        if isinstance(error.__cause__, KeyboardInterrupt):  # Python 3.11 and older wrap what `__set_name__` raises
            raise KeyboardInterrupt from None
        message = f"internal error, please report it: {type(error).__name__}: {error}"
    return failed_report(path, " ".join(message.split()))


def with_questions(report: FileReport, asked: Iterable[str]) -> FileReport:
    """The report with those questions that the contents of other files answer, which fixes may change."""
    known = list(asked)
    if not known:
        return report
    from devlint.analysis.project.changed_files import on_contents

    return report.replace(asks=tuple(on_contents(known)))
