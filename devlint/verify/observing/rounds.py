"""Fixes what a command shows to be on the wrong device, and runs it again, until nothing is left to fix."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from devlint.core.diagnostic import Diagnostic
from devlint.engine.report import FileReport, Mode, left_alone
from devlint.engine.ruleset import OBSERVED_RULE
from devlint.engine.runner import Runner
from devlint.sources.discovery import Found, discover, is_looked_at
from devlint.verify.observing.program_text import forget_files
from devlint.verify.observing.seen import Seen
from devlint.verify.observing.store import observed_files

if TYPE_CHECKING:
    from devlint.config.finder import ConfigFinder
    from devlint.config.observed import ObservedFiles

MOST_ROUNDS = 5

Run = Callable[[], tuple[int, Seen]]
"""Runs the command; its exit code, and what was seen."""

_Undo = dict[str, tuple[bytes, tuple[Diagnostic, ...]]]
"""For each file that has changed, its contents before and the fixes until then."""


class Rounds:
    """One command, and the files in which it may be fixed; they are put back at the end, and reported as fixed."""

    def __init__(
        self,
        finder: Callable[[ObservedFiles], ConfigFinder],
        paths: Sequence[str],
        run: Run,
        tell: Callable[[str], None],
    ) -> None:
        """``finder`` finds settings, and knows what was seen; ``tell`` is called with what happens."""
        self._finder = finder
        self._paths = paths
        self._run = run
        self._tell = tell
        self._before: dict[str, bytes] = {}
        self._first: dict[str, FileReport] = {}
        self._applied: dict[str, tuple[Diagnostic, ...]] = {}
        self.seen = Seen()
        """What the last run has shown."""
        self.failure: str | None = None
        """How the command failed with the fixes, though not without."""

    def reports(self) -> list[FileReport]:
        """The reports on all files, with the fixes of all rounds made in memory."""
        try:
            self._fix_until_quiet()
            return list(self._final())
        finally:
            for path, data in self._before.items():
                _write(path, data)

    def _fix_until_quiet(self) -> None:
        code, self.seen = self._run()
        for _ in range(MOST_ROUNDS):
            undo, fixed = self._fix()
            if self.seen.misplaced and not fixed:
                more, fixed = self._fix(is_second_choice=True)
                undo = {**more, **undo}
            found = len(self.seen.misplaced)
            self._tell(f"{found} {'tensor' if found == 1 else 'tensors'} on the wrong device, {fixed} fixes")
            if not undo:
                return
            again, seen = self._run()
            if again and not code:
                self.failure = seen.errors[-1] if seen.errors else f"exit code {again}"
                self._tell(f"with the fixes the command fails: {self.failure}; they were not made")
                for path, (data, applied) in undo.items():
                    _write(path, data)
                    self._applied[path] = applied
                return
            code, self.seen = again, seen
            if not seen.misplaced:
                self._tell("with the fixes the command ran again: no tensors of two devices met")
                return

    def _fix(self, is_second_choice: bool = False) -> tuple[_Undo, int]:
        """Fix the files where they are, and count the fixes for tensors on the wrong device."""
        forget_files()
        runner = Runner(self._finder(observed_files(self.seen, is_second_choice)), Mode.DIFF)
        undo: _Undo = {}
        fixed = 0
        changed = [(found.absolute, report) for found in self._files() if (report := runner.file(found)).changed]
        for path, report in changed:  # none is written before all are analyzed
            assert report.source is not None
            with open(path, "rb") as file:
                data = file.read()
            undo[path] = data, self._applied.get(path, ())
            self._before.setdefault(path, data)
            self._first.setdefault(path, report)
            self._applied[path] = (*self._applied.get(path, ()), *report.applied)
            _write(path, report.source.to_bytes(report.after_text))
            fixed += sum(one.code == OBSERVED_RULE for one in report.applied)
        return undo, fixed

    def _files(self) -> Iterator[Found]:
        for found in discover(self._paths, self._finder(observed_files(Seen())), is_looked_at):
            if isinstance(found, Found):
                yield found

    def _final(self) -> Iterator[FileReport]:
        """What there is to report on each file, as the last round has left it."""
        forget_files()
        runner = Runner(self._finder(observed_files(self.seen)), Mode.CHECK)
        for found in discover(self._paths, self._finder(observed_files(Seen())), is_looked_at):
            if not isinstance(found, Found):
                yield left_alone(found)
                continue
            report = runner.file(found)
            first = self._first.get(found.absolute)
            if first is not None and self._applied[found.absolute]:
                with open(found.absolute, "rb") as file:
                    source = first.source and type(first.source).from_bytes(found.path, file.read())
                assert source is not None
                report = report.replace(
                    source=source,
                    before_text=first.before_text,
                    after_text=source.text,
                    applied=self._applied[found.absolute],
                )
            yield report


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
