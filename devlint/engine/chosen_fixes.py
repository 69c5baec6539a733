"""The fixes of one file of which somebody chooses some, one after the other; the others follow from what was chosen."""

from __future__ import annotations

from devlint.core.diagnostic import Span
from devlint.core.record import Record
from devlint.engine.report import FileReport, Mode
from devlint.engine.runner import Runner
from devlint.engine.suppressing import suppressed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from devlint.config.finder import ConfigFinder
    from devlint.core.diagnostic import Diagnostic, Edit
    from devlint.sources.changed_lines import ChangedRows
    from devlint.sources.discovery import Found

Key = tuple[str, Span]
"""A finding by its code, and by its place in the file before any fix."""


class Wishes(Record, eq=False):
    """What holds for all files: the rules whose safe, or whose unsafe fixes are all made, and those of no fix."""

    all_safe: set[str]
    all_unsafe: set[str]
    none: set[str]

    def decide(self, one: Diagnostic) -> bool | None:
        """Whether to make the fix of a finding; None where nothing was said of its rule."""
        if one.code in self.none:
            return False
        is_safe = one.fix is not None and one.fix.is_safe
        return True if one.code in (self.all_safe if is_safe else self.all_unsafe) else None


class ChosenFixes:
    """One file; what was chosen is made in memory, so that the next fix is shown as it would be made then."""

    def __init__(self, found: Found, finder: ConfigFinder, wishes: Wishes, changes: ChangedRows | None = None) -> None:
        """``finder`` allows unsafe fixes, which are chosen as the others."""
        self.found = found
        self._checker = Runner(finder, changes=changes)
        self._fixer = Runner(finder, Mode.DIFF, changes=changes, chooses_fix=self._chooses)
        self._wishes = wishes
        self._accepted: set[Key] = set()
        self._declined: set[Key] = set()
        self._origins: dict[Key, Span] = {}
        self.suppressed = 0
        """How many findings were suppressed since then."""
        self.report = self._fixer.analyze(found)
        """On the file with the fixes that were chosen."""
        self._text = self._disk_text = self.report.before_text

    @property
    def fixed(self) -> int:
        """How many findings are gone by fixes, since the file was opened or went by other contents of others."""
        return sum(self.report.fixed.values())

    def next(self) -> Diagnostic | None:
        """The first finding whose fix is still to be decided upon."""
        return next(iter(self._open()), None)

    def open_count(self) -> int:
        """How many fixes are still to be decided upon."""
        return len(self._open())

    def _open(self) -> list[Diagnostic]:
        known = self._accepted | self._declined
        return [
            one
            for one in self.report.diagnostics
            if one.fix is not None and self._wishes.decide(one) is None and self._key(one) not in known
        ]

    def accept(self, one: Diagnostic) -> None:
        """Make the fix of a finding."""
        self._accepted.add(self._key(one))
        self.refresh()

    def decline(self, one: Diagnostic) -> None:
        """Do not make the fix of a finding."""
        self._declined.add(self._key(one))

    def suppress(self, one: Diagnostic, reason: str) -> bool:
        """Suppress a finding with a reason; False where that would not work."""
        code, span = self._key(one)
        wanted = one.replace(span=span)
        source = self.report.source
        if source is None:
            return False
        data = source.to_bytes(self._text)
        result = suppressed(self._checker, self.found, reason, [wanted], data)
        if not result.done:
            return False
        self._move_keys(result.edits)
        self._text = result.report.after_text
        self.suppressed += len(result.done)
        self.refresh()
        return True

    def refresh(self) -> None:
        """Make all that was chosen, again from the start."""
        source = self.report.source
        if source is not None:
            self._origins = {}
            self.report = self._fixer.analyze(self.found, source.to_bytes(self._text))

    def go_by(self, contents: Mapping[str, bytes]) -> None:
        """Go on from the text with all that was chosen, by these contents of other files.

        What was declined stays so, as far as the fix is the same.
        """
        if self.report.source is None:
            return
        declined = {(one.code, one.span): _texts(one) for one in self.report.diagnostics}
        self._declined, self._accepted = set(declined), set()
        self._text = self._disk_text = self.report.after_text
        self.suppressed = 0
        self._checker, self._fixer = (one.with_changed(contents) for one in (self._checker, self._fixer))
        self.refresh()
        self._declined -= {key for one in self.report.diagnostics if declined.get(key := self._key(one)) != _texts(one)}

    def written(self) -> FileReport:
        """The report that says what to write: from the text on the disk to the one with all that was chosen."""
        after = self.report.after_text if self.report.source is not None else self._text
        return self.report.replace(before_text=self._disk_text, after_text=after)

    def _chooses(self, one: Diagnostic, origin: Span) -> bool:
        self._origins[one.code, one.span] = origin
        wish = self._wishes.decide(one)
        return (one.code, origin) in self._accepted if wish is None else wish

    def _key(self, one: Diagnostic) -> Key:
        return one.code, self._origins.get((one.code, one.span), one.span)

    def _move_keys(self, edits: Iterable[Edit]) -> None:
        """Let the places of decisions follow the text that comments were added to."""
        for edit in sorted(edits, reverse=True):
            self._accepted = {_moved(key, edit) for key in self._accepted}
            self._declined = {_moved(key, edit) for key in self._declined}


def _texts(one: Diagnostic) -> list[str] | None:
    """What the fix of a finding would write."""
    return [edit.text for edit in one.fix.edits] if one.fix is not None else None


def _moved(key: Key, edit: Edit) -> Key:
    """A place after an edit that touches no finding."""
    code, span = key
    added = len(edit.text) - (edit.span.end - edit.span.start)
    start = span.start + added * (span.start >= edit.span.end)
    end = span.end + added * (span.end > edit.span.end or span.start >= edit.span.end)
    return code, Span(start, end)
