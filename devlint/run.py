"""Runs the engine over files: reads, looks at bytes first, fixes, writes, and lets no file stop the others."""

from __future__ import annotations

import os

from devlint.discover import NOTEBOOK, Found, describe, discover, is_looked_at
from devlint.encoding import SourceError, read
from devlint.errors import ConfigError, DevlintError
from devlint.heeded import Heeded
from devlint.report import FileReport, Mode
from devlint.ruleset import RuleSets
from devlint.syntax import parses
from devlint.text_kinds import RULE, Syntax, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator
    from typing import Callable, Optional, Union

    from devlint.config import ConfigFinder
    from devlint.diff_base import ChangedRows
    from devlint.screen import Screen
    from devlint.source import Source
    from devlint.text_kinds import TextKind

    Content = Union[bytes, str]
    """What a file holds: its bytes, or text where whoever has read it gives no bytes."""

_EXAMPLES = (b">>>", b"```", b"~~~", b"::")
"""One of them stands in every docstring with an example."""


class Runner:
    """One run over many files."""

    def __init__(
        self, finder: ConfigFinder, mode: Mode = Mode.CHECK, noqa: bool = True, changes: Optional[ChangedRows] = None
    ) -> None:
        """``noqa`` is False where a check is not to heed ``# noqa``; with ``changes`` only what they touch counts."""
        self._finder = finder
        self._mode = mode
        self._noqa = noqa
        self._changes = changes
        self._rule_sets = RuleSets()

    def run(self, paths: Iterable[str]) -> Iterator[FileReport]:
        """A report for every file below ``paths``, in order."""
        for one in self._items(paths):
            yield one if isinstance(one, FileReport) else self.file(one)

    def _items(self, paths: Iterable[str]) -> Iterator[Union[Found, FileReport]]:
        """The files to look at, in order, and reports on what cannot be."""
        for found in discover(paths, self._finder, is_looked_at):
            yield found if isinstance(found, Found) else FileReport(found.path, failures=(found,))

    def text(self, path: str, data: Content, explicit: bool = True) -> FileReport:
        """The report for ``data`` as if it were the contents of ``path``; nothing is written."""
        absolute = os.path.abspath(path)
        try:
            settings = self._finder.settings(os.path.dirname(absolute))
        except ConfigError as error:
            return _failed(path, error.problem, error.origin)
        if settings.force_exclude and settings.excluded_with_parents(absolute):
            return FileReport(path)
        return self.file(Found(path, absolute, settings, explicit), data)

    def file(self, found: Found, data: Optional[Content] = None) -> FileReport:
        """The report for one file, or for ``data`` under its name: never raises, whatever the file holds."""
        report = self.look(found, data)
        return report if data is not None else self.settled(found, report)

    def look(self, found: Found, data: Optional[Content] = None) -> FileReport:
        """What ``file`` says, before the file holds it: never raises."""
        return _guarded(found.path, lambda: self._file(found, data))

    def settled(self, found: Found, report: FileReport) -> FileReport:
        """What ``look`` said, once the file holds it, or another report of why it does not: never raises."""
        if self._mode is not Mode.FIX or not report.changed or report.source is None:
            return report
        return _guarded(found.path, lambda: _written(report))

    def _file(self, found: Found, data: Optional[Content]) -> FileReport:
        rule_set = self._rule_sets.of(found.settings, found.absolute)
        kind = kind_of(found.path)
        if kind is not None and RULE not in rule_set.enabled and not _has_code(kind, found):
            return FileReport(found.path)
        changed = self._changes.rows(found.absolute, data) if self._changes else None
        if changed is not None and not changed:
            return FileReport(found.path)
        if data is None:
            with open(found.path, "rb") as file:
                data = file.read()
        screen = self._screen(found, changed)
        raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        try:
            source = self._source(found, data, raw, rule_set.may_fire(raw), kind)
        except SourceError as error:
            from devlint.results import undecodable

            return undecodable(found.path, error, rule_set, screen)
        if source is None:
            return FileReport(found.path)
        heeded = Heeded(self._noqa, found.settings.suppression_comments)
        if kind is not None and not source.has_programs:
            from devlint import text_lint

            report = text_lint.report(source, kind, rule_set.enabled, self._mode, heeded, screen)
            return report.replace(unsafe_fixes=found.settings.unsafe_fixes)
        target = self._finder.target(found.settings, found.directory)
        rules = rule_set.rules_for(raw)
        from devlint.results import checked, fixed

        if self._mode is Mode.CHECK:
            return checked(source, rules, target, rule_set, found.settings.unsafe_fixes, heeded, screen)
        return fixed(source, rules, target, rule_set, found.settings.unsafe_fixes, heeded, screen)

    def _screen(self, found: Found, changed: Optional[Container[int]]) -> Optional[Screen]:
        """What decides which findings in a file count; None where all of them do."""
        baseline = self._finder.baseline(found.settings)
        if baseline is None and changed is None:
            return None
        from devlint.screen import Screen

        return Screen(baseline.known(found.absolute) if baseline else None, changed)

    def _source(
        self, found: Found, data: Content, raw: bytes, may_fire: bool, kind: Optional[TextKind]
    ) -> Optional[Source]:
        """What is to be looked at in a file; None where there is nothing."""
        if kind is None:
            source = self._to_look_at(found, data, may_fire)
            if source is None or not found.settings.docstring_code or found.path.endswith(NOTEBOOK):
                return source
            return _document(source, None) if any(mark in raw for mark in _EXAMPLES) else source
        from devlint.text_lint import read_text

        if may_fire and _has_code(kind, found):
            from devlint.source import Source

            try:
                return _document(Source.from_bytes(found.path, raw), kind)
            except SourceError:
                pass  # it may still be read as text
        return read_text(found.path, raw, kind, found.explicit)

    def _to_look_at(self, found: Found, data: Content, may_fire: bool) -> Optional[Source]:
        """The file as text, or None where no rule can find anything in it.

        A file that holds none of the words of any rule is parsed only when it was named itself.
        """
        if found.path.endswith(NOTEBOOK):
            return _notebook(found, data, may_fire)
        if not may_fire:
            if not found.explicit and data.isascii():
                return None
            text = data.removeprefix("\ufeff") if isinstance(data, str) else read(data)[0]
            if not found.explicit or parses(text):
                return None
        from devlint.source import Source

        return Source.from_text(found.path, data) if isinstance(data, str) else Source.from_bytes(found.path, data)


def _guarded(path: str, work: Callable[[], FileReport]) -> FileReport:
    """The report that ``work`` gives, or one of its failure."""
    try:
        return work()
    except (OSError, DevlintError) as error:
        message = describe(error)
    except Exception as error:  # the only catch-all: one bad file must not end the run
        message = f"internal error, please report it: {type(error).__name__}: {error}"
    return _failed(path, " ".join(message.split()))


def _failed(path: str, message: str, origin: Optional[str] = None) -> FileReport:
    """The report of what could not be done, on a file or because of ``origin``."""
    from devlint.diagnostic import Failure

    return FileReport(path, failures=(Failure(origin or path, message),))


def _written(report: FileReport) -> FileReport:
    """The report, once the file holds the text that fixes made."""
    from dataclasses import replace

    from devlint.source import write_source

    assert report.source is not None
    write_source(replace(report.source, text=report.before_text), report.after_text)
    return report


def _has_code(kind: TextKind, found: Found) -> bool:
    """Whether the Python in a text is to be looked at."""
    return kind.syntax is Syntax.PROSE and found.settings.document_code


def _document(source: Source, kind: Optional[TextKind]) -> Source:
    """A text as one with programs in it."""
    from devlint.documents import Document

    return Document(source.path, source.text, source.encoding, source.bom, kind)


def check_paths(paths: Iterable[str], finder: ConfigFinder) -> Iterator[FileReport]:
    """Look for findings in every file below ``paths``."""
    return Runner(finder).run(paths)


def fix_paths(paths: Iterable[str], finder: ConfigFinder, write: bool = True) -> Iterator[FileReport]:
    """Fix every file below ``paths``, in place unless ``write`` is false."""
    return Runner(finder, Mode.FIX if write else Mode.DIFF).run(paths)


def _notebook(found: Found, data: Content, may_fire: bool) -> Optional[Source]:
    """A notebook as text; None where no rule can find anything in it, or it is of another language."""
    if not may_fire and not found.explicit:
        return None
    from devlint.cells import open_notebook

    source = open_notebook(found.path, data)
    return source if source is not None and (may_fire or source.errors) else None
