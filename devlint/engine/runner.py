"""Runs the engine over files: discovers, reads, filters, analyzes and writes; no file stops the others."""

from __future__ import annotations

import os

from devlint.core.errors import ConfigError
from devlint.core.file_reading import read_file
from devlint.engine.load_source import has_code, is_program, parsed_text, source_of
from devlint.engine.report import FileReport, Mode, failed_report, guarded, left_alone, with_questions
from devlint.engine.ruleset import OBSERVED_RULE, RuleSets, load_rule
from devlint.rules.prefilter.rule_filter import RuleCandidates
from devlint.sources.discovery import NOTEBOOK, Found, discover, is_looked_at
from devlint.sources.encoding import SourceError
from devlint.sources.text_kinds import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping

    from devlint.analysis.project.project import Index, Project
    from devlint.config.finder import ConfigFinder
    from devlint.core.rule_info import RuleInfo
    from devlint.engine.cache import Cache
    from devlint.engine.load_source import Content
    from devlint.engine.request import FixChoice, Request
    from devlint.engine.ruleset import RuleSet
    from devlint.sources.changed_lines import ChangedRows

    Watch = Callable[[Iterable[FileReport]], Iterable[FileReport]]

_FEW = 16
"""How many clean files can be read in the time that opening the cache takes."""


class Runner:
    """One run over many files."""

    def __init__(
        self,
        finder: ConfigFinder,
        mode: Mode = Mode.CHECK,
        noqa: bool = True,
        changes: ChangedRows | None = None,
        caching: bool = False,
        alone: bool = False,
        chooses_fix: FixChoice | None = None,
        is_stopped: Callable[[], bool] | None = None,
        index: Index | None = None,
    ) -> None:
        """``noqa`` is False where a check is not to heed ``# noqa``; with ``changes`` only what they touch counts.

        With ``caching``, what earlier runs have found is asked for, and ``save`` keeps what this one has. ``alone`` is
        True where the process is devlint's own, and may import LibCST as it likes. ``chooses_fix`` says which fixes to
        make. Once ``is_stopped`` says so, a look at a file raises Stopped. ``index`` is what is known of other files.
        """
        self._finder = finder
        self._mode = mode
        self._noqa = noqa
        self._changes = changes
        self._alone = alone
        self._chooses_fix = chooses_fix
        self._is_stopped = is_stopped
        self._rule_sets = RuleSets()
        self.takes_notes = caching and noqa and changes is None and chooses_fix is None
        """Whether reports say what they depend on, so that they can be kept."""
        self._cache: Cache | None = None
        self._index = index
        self._glances = _FEW

    def __reduce__(self) -> tuple[object, ...]:
        # A worker looks; the process that has started it opens and saves the cache.
        settings = self._finder, self._mode, self._noqa, self._changes, self.takes_notes, self._alone
        return type(self), (*settings, self._chooses_fix)

    def run(self, paths: Iterable[str], jobs: int | None = 1, watch: Watch = iter) -> Generator[FileReport, None, None]:
        """A report for every file below ``paths``, in order, by that many processes; None for as many as pay.

        No file is written before all are analyzed, so that an interrupted run leaves all as they were; ``watch`` sees
        that. Files that go by what other files hold are looked at again where fixes change those.
        """
        from devlint.engine.parallel.scheduler import reports

        if self._mode is Mode.CHECK:
            return reports(self, self._items(paths), jobs)
        from devlint.engine.settling import Settling
        from devlint.engine.writing import written_last

        settling = Settling(self, jobs)
        return written_last(reports(self, self._items(paths, settling.note), jobs), self.written, watch, settling)

    def with_changed(self, contents: Mapping[str, bytes]) -> Runner:
        """A runner that goes by these contents of other files, by their absolute paths, and knows no earlier run."""
        from copy import copy

        from devlint.analysis.project.changed_files import ChangedDisk
        from devlint.analysis.project.project import Index

        other = copy(self)
        other._index, other._cache, other.takes_notes = Index(ChangedDisk(contents)), None, False
        return other

    def _items(
        self, paths: Iterable[str], note: Callable[[Found], object] = lambda found: None
    ) -> Iterator[Found | FileReport]:
        """The files to look at, in order, and reports on those that cannot be, or need not be."""
        for found in discover(paths, self._finder, is_looked_at):
            if not isinstance(found, Found):
                yield left_alone(found)
                continue
            note(found)
            if self.takes_notes:
                yield self._glance(found) or self._opened().report(found) or found
            else:
                yield found

    def save(self) -> None:
        """Keep what was found for the next run."""
        if self._cache is not None:
            self._cache.save()

    def _opened(self) -> Cache:
        """The cache, now that it is needed."""
        if self._cache is None:
            from devlint.engine.cache import Cache

            self._cache = Cache(self._finder, self._rule_sets, findings=self._mode is Mode.CHECK)
        return self._cache

    def _glance(self, found: Found) -> FileReport | None:
        """The report on one of the first files, where that costs less than to open the cache."""
        if self._glances == 0:
            return None
        self._glances -= 1
        try:
            data = read_file(found.path)
            rule_set = self._rule_sets.of(found.settings, found.absolute)
            may_fire = bool(rule_set.firing(data)) or rule_set.judges(data)
            is_dear = may_fire or (found.explicit and found.path.endswith(NOTEBOOK))
            if not is_dear and source_of(found, data, data, may_fire, kind_of(found.path), rule_set.enabled) is None:
                return FileReport(found.path)
        except (OSError, SourceError):
            pass  # the look itself will tell
        self._glances = 0
        return None

    def text(self, path: str, data: Content, explicit: bool = True) -> FileReport:
        """The report for ``data`` as if it were the contents of ``path``; nothing is written."""
        absolute = os.path.abspath(path)
        try:
            settings = self._finder.settings(os.path.dirname(absolute))
        except ConfigError as error:
            return failed_report(path, error.problem, error.origin)
        if settings.force_exclude and settings.excluded_with_parents(absolute):
            return FileReport(path)
        return self.file(Found(path, absolute, settings, explicit), data)

    def file(self, found: Found, data: Content | None = None) -> FileReport:
        """The report for one file, or for ``data`` under its name: never raises, whatever the file holds."""
        report = self.analyze(found, data)
        return report if data is not None else self.written(self.keep(found, report))

    def analyze(self, found: Found, data: Content | None = None) -> FileReport:
        """What ``file`` says, before the file holds it: never raises."""
        if self._index is not None:
            self._index.disk.asked = {}
        report = guarded(found.path, lambda: self._file(found, data))
        if self._mode is Mode.CHECK:
            return report
        return with_questions(report, (question for question, _ in self._questions()))

    def keep(self, found: Found, report: FileReport) -> FileReport:
        """The report, which the next run may ask for: never raises."""
        if report.file_state is not None:
            self._opened().keep(found, report)
        return report

    def written(self, report: FileReport) -> FileReport:
        """The report once the file holds its new text, if this run writes, or one of why it does not: never raises."""
        if self._mode is not Mode.FIX or not report.changed:
            return report
        from devlint.engine.writing import write_fixed

        return guarded(report.path, lambda: write_fixed(report))

    def _file(self, found: Found, data: Content | None) -> FileReport:
        rule_set = self._rule_sets.of(found.settings, found.absolute)
        kind = kind_of(found.path)
        if kind is not None and kind.rules.isdisjoint(rule_set.enabled) and not has_code(kind, found):
            return FileReport(found.path)
        changed = self._changes.rows(found.absolute, data) if self._changes else None
        if changed is not None and not changed:
            return FileReport(found.path)
        if data is None and self.takes_notes:
            from devlint.engine.cache.dependencies import report_with_notes

            return report_with_notes(
                found.path, lambda read: self._report(found, read, rule_set, changed), self._questions
            )
        return self._report(found, read_file(found.path) if data is None else data, rule_set, changed)

    def _questions(self) -> Iterable[tuple[str, str]]:
        """What was asked about other files for the one that was looked at last."""
        return self._index.disk.asked.items() if self._index is not None else ()

    def _report(self, found: Found, data: Content, rule_set: RuleSet, changed: Container[int] | None) -> FileReport:
        """What there is to say about the contents of a file."""
        kind = kind_of(found.path)
        raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        try:
            candidates, by_target = self._candidates(found, raw, rule_set)
            observed = self._finder.observed(raw) if rule_set.reports_observed and kind is None else None
            may_fire = bool(candidates.rules) or observed is not None or rule_set.judges(raw)
            is_clean = candidates.is_parsed and not may_fire
            source = None if is_clean else source_of(found, data, raw, may_fire, kind, rule_set.enabled)
        except SourceError as error:
            from devlint.engine.analyze import undecodable_report

            return undecodable_report(found.path, error, self._request(found, rule_set, changed))
        if source is None:
            return FileReport(found.path, by_target=by_target)
        from devlint.engine.analyze import analyzed, fixed

        request = self._request(found, rule_set, changed)
        if kind is not None and not source.has_programs:
            return analyzed(source, request)
        if self._alone:
            from devlint.syntax import fast_libcst_import

            fast_libcst_import.load()
        request = request.replace(target=self._finder.target(found.settings, found.directory))
        if observed is not None:
            request = request.replace(observed=observed, enabled=request.enabled | {OBSERVED_RULE})
        if request.fix:
            return fixed(source, request, rule_set, rule_set.firing(raw), is_program(found))
        rules = list(map(load_rule, candidates.rules))
        text = parsed_text(source, raw, candidates, self._project(found).index) if observed is None else ""
        del candidates  # Python's tree goes before LibCST's is made: the two would take much memory
        return analyzed(source, request.replace(rules=rules, parsed_text=text))

    def _request(self, found: Found, rule_set: RuleSet, changed: Container[int] | None) -> Request:
        """What to do with a file, but for the rules to run."""
        from devlint.engine.finding_filter import FindingFilter
        from devlint.engine.request import Request
        from devlint.sources.suppressions.suppression_settings import SuppressionSettings

        baseline = self._finder.baseline(found.settings)
        return Request(
            FindingFilter(baseline.known(found.absolute) if baseline else None, changed),
            (),
            found.settings.target,
            rule_set.enabled,
            SuppressionSettings(self._noqa, found.settings.suppression_comments),
            self._mode is not Mode.CHECK,
            found.settings.unsafe_fixes,
            self._chooses_fix,
            (self._project(found).index, found.settings.file_filter),
            is_stopped=self._is_stopped,
        )

    def _project(self, found: Found) -> Project:
        """The project of a file, as this process knows it."""
        from devlint.analysis.project.project import Index, Project

        self._index = self._index or Index()
        return Project(found.absolute, self._index, found.settings.file_filter)

    def _candidates(self, found: Found, data: bytes, rule_set: RuleSet) -> tuple[RuleCandidates, bool]:
        """The rules that may find something, and whether others might if the project said which torch is the oldest."""
        left: list[RuleInfo] = []

        def can(rule: RuleInfo) -> bool:
            if rule.needs_torch_min and self._finder.target(found.settings, found.directory).torch_min_is_guess:
                left.append(rule)
                return False
            return True

        if not is_program(found):
            return RuleCandidates(rule_set.firing(data, can=can)), bool(left)
        return rule_set.candidates(data, can, lambda: self._project(found)), bool(left)
