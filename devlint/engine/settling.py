"""Looks again at files that go by what other files hold, where the fixes of a run change that, until nothing changes.

In one run this does what running again would do: each round goes by what the files are after the round before. Only
what the run itself has written twice is looked at as the file was before: see ``fresh_looks``.
"""

from __future__ import annotations

from devlint.engine.parallel.scheduler import reports
from devlint.sources.encoding import SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from devlint.engine.fresh_looks import Earlier, FreshLooks
    from devlint.engine.report import FileReport
    from devlint.engine.runner import Runner
    from devlint.sources.discovery import Found

MOST_ROUNDS = 4
"""How often a file is looked at, the first time included; projects settle in two rounds, or three."""


class Concerns:
    """What the files of a run ask about each other, and what the run makes of them."""

    def __init__(self) -> None:
        self._found: dict[str, Found] = {}
        """The files that have no report yet, and those that have asked."""
        self._asks: dict[str, tuple[str, ...]] = {}
        self._names: dict[str, str] = {}
        """Each question once, however many files ask it."""
        self._contents: dict[str, bytes] = {}
        """What changed files will hold, by their absolute paths."""
        self._changed: set[str] = set()
        """Those of them that have changed in this round."""

    def note(self, found: Found) -> None:
        """Take note of a file before it is looked at."""
        self._found[found.path] = found

    def see(self, report: FileReport) -> FileReport:
        """The report on a file, without what only this needs to know of it."""
        found = self._found.get(report.path)
        if found is not None and report.changed:
            self._take(found.absolute, report)
        if report.asks:
            self._asks[report.path] = tuple(self._names.setdefault(one, one) for one in report.asks)
        else:
            self._asks.pop(report.path, None)
            self._found.pop(report.path, None)
        return report.replace(asks=()) if report.asks else report

    def _take(self, path: str, report: FileReport) -> None:
        """Take note of what a file will hold, if it can be written."""
        assert report.source is not None
        try:
            self._contents[path] = report.source.to_bytes(report.after_text)
        except SourceError:
            return
        self._changed.add(path)

    def concerned(self, before: Mapping[str, bytes]) -> list[Found]:
        """The files for which an answer has changed, in order."""
        if not self._changed or not self._asks:
            return []
        from devlint.analysis.project.changed_files import ChangedAnswers

        asks = {self._found[path].absolute: asked for path, asked in self._asks.items()}
        found = ChangedAnswers(before, self._contents, self._changed).concerned(asks)
        return [one for one in map(self._found.__getitem__, self._asks) if one.absolute in found]

    def next_round(self) -> dict[str, bytes]:
        """What changed files hold after this round, which ends."""
        self._changed = set()
        return dict(self._contents)


class Settling(Concerns):
    """Looks at files again, as often as the run changes what they ask about."""

    def __init__(self, runner: Runner, jobs: int | None) -> None:
        super().__init__()
        self._runner = runner
        self._jobs = jobs
        self.rounds: list[dict[str, bytes]] = []
        """The reports of each round after the first, packed, by the paths of their files."""
        self.unsettled: frozenset[str] = frozenset()
        """The files that another round would look at."""
        self._fresh: FreshLooks | None = None
        """Chooses files to look at anew, once one has changed."""
        self._fixed: dict[str, Found] = {}
        """The files that have changed, by their absolute paths."""

    def settle(self) -> None:
        """Look at files again, all but those that nothing changes for."""
        from devlint.engine.parallel.messages import packed_report

        before: dict[str, bytes] = {}
        while True:
            again = self.concerned(before)
            asks = {self._found[path].absolute: asked for path, asked in self._asks.items()}
            anew = self._fresh.chosen(asks, self._contents) if self._fresh is not None else {}
            if len(self.rounds) == MOST_ROUNDS - 1 or not (again or anew):
                self.unsettled = frozenset(one.path for one in again)
                return
            before = self.next_round()
            concerned = {one.absolute for one in again}
            files = [*again, *(self._fixed[path] for path in anew if path not in concerned)]
            for one in files:
                self.note(one)
            looks = reports(Repeater(self._runner, before, anew), iter(files), self._jobs)
            self.rounds.append({one.path: packed_report(self.see(one)) for one in looks})

    def _take(self, path: str, report: FileReport) -> None:
        """Take note of a file, and of what it defines now."""
        from devlint.engine.fresh_looks import FreshLooks

        super()._take(path, report)
        self._fixed[path] = self._found[report.path]
        self._fresh = self._fresh or FreshLooks()
        self._fresh.see(path, report)


class Repeater:
    """Analyzes files as a run has changed them, in this process or a worker."""

    def __init__(self, runner: Runner, contents: Mapping[str, bytes], anew: Mapping[str, Earlier]) -> None:
        self._runner = runner
        self._contents = contents
        self._changed = runner.with_changed(contents)
        self._anew = anew
        """What is known of files that are looked at as they were before the run."""

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._runner, self._contents, self._anew)

    def analyze(self, found: Found) -> FileReport:
        """The report on a file; never raises."""
        earlier = self._anew.get(found.absolute)
        if earlier is not None:
            others = {path: data for path, data in self._contents.items() if path != found.absolute}
            report = self._runner.with_changed(others).analyze(found)
            if earlier.is_worse_than(report):
                return report.replace(before_text=earlier.text)
        return self._changed.analyze(found, self._contents.get(found.absolute))

    def keep(self, _found: Found, report: FileReport) -> FileReport:
        """The report, which no other run asks for: it is of what is not written yet."""
        return report


def unsettled(runner: Runner, reports: Iterable[tuple[Found | None, FileReport]]) -> frozenset[str]:
    """The files of which ``runner`` makes something else once files hold what these reports say."""
    concerns = Concerns()
    for found, report in reports:
        if found is not None:
            concerns.note(found)
            concerns.see(report)
    again = concerns.concerned({})
    contents = concerns.next_round()
    changed = runner.with_changed(contents)

    def becomes(runner: Runner, found: Found) -> str:
        """What a file with its own fixes becomes next."""
        return runner.analyze(found, contents.get(found.absolute)).after_text

    return frozenset(one.path for one in again if becomes(changed, one) != becomes(runner, one))


def of_both_looks(earlier: FileReport, later: FileReport) -> FileReport:
    """One report on a file that was looked at twice."""
    failures = (*earlier.failures, *later.failures)
    if not later.changed and (later.source is None or not later.diagnostics):
        return earlier.replace(diagnostics=() if not later.failures else earlier.diagnostics, failures=failures)
    first = earlier.first
    if first is None:
        first = tuple(one.code for one in (*earlier.applied, *earlier.diagnostics))
    both = later.replace(applied=(*earlier.applied, *later.applied), first=first, failures=failures)
    if not earlier.changed or earlier.source is None:
        return both
    # A notebook that was changed is the same with other texts: its cells and commands are where they were.
    source = earlier.source.replace(text=later.after_text)
    return both.replace(source=source, before_text=earlier.before_text)
