"""Runs the engine over files: reads, looks at bytes first, fixes, writes, and lets no file stop the others."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Callable, Optional, Union

from devlint.config import ConfigFinder
from devlint.diagnostic import Failure
from devlint.directives import Heeded
from devlint.discover import NOTEBOOK, Found, describe, discover, is_looked_at
from devlint.errors import ConfigError, DevlintError
from devlint.report import FileReport, Mode
from devlint.results import checked, fixed, undecodable
from devlint.ruleset import RuleSets
from devlint.source import FileChangedError, Source, SourceError, write_source
from devlint.text_files import RULE, kind_of
from devlint.variable_names import Syntax

if TYPE_CHECKING:
    from devlint.diff_base import ChangedRows
    from devlint.screen import Screen
    from devlint.text_files import TextKind

Content = Union[bytes, str]
"""What a file holds: its bytes, or text where whoever has read it gives no bytes."""

_EXAMPLES = (b">>>", b"```", b"~~~", b"::")
"""One of them stands in every docstring with an example."""
_SYNTAX_ONLY = 0x400
"""``ast.PyCF_ONLY_AST``, without the import of ast."""


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
            yield FileReport(found.path, failures=(found,)) if isinstance(found, Failure) else found

    def text(self, path: str, data: Content, explicit: bool = True) -> FileReport:
        """The report for ``data`` as if it were the contents of ``path``; nothing is written."""
        absolute = os.path.abspath(path)
        try:
            settings = self._finder.settings(os.path.dirname(absolute))
        except ConfigError as error:
            return FileReport(path, failures=(Failure(error.origin, error.problem),))
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
            return undecodable(found.path, error, rule_set, screen)
        if source is None:
            return FileReport(found.path)
        heeded = Heeded(self._noqa, found.settings.suppression_comments)
        if kind is not None and not source.has_programs:
            from devlint import text_lint

            report = text_lint.report(source, kind, rule_set.enabled, self._mode, heeded, screen)
            return replace(report, unsafe_fixes=found.settings.unsafe_fixes)
        target = self._finder.target(found.settings, found.directory)
        rules = rule_set.rules_for(raw)
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
            with suppress(SourceError):
                return _document(Source.from_bytes(found.path, raw), kind)
        return read_text(found.path, raw, kind, found.explicit)

    def _to_look_at(self, found: Found, data: Content, may_fire: bool) -> Optional[Source]:
        """The file as text, or None where no rule can find anything in it.

        A file that holds none of the words of any rule is parsed only when it was named itself.
        """
        if found.path.endswith(NOTEBOOK):
            return _notebook(found, data, may_fire)
        if not may_fire and not found.explicit and data.isascii():
            return None
        source = Source.from_text(found.path, data) if isinstance(data, str) else Source.from_bytes(found.path, data)
        if may_fire:
            return source
        return source if found.explicit and not _parses(source.text) else None


def _guarded(path: str, work: Callable[[], FileReport]) -> FileReport:
    """The report that ``work`` gives, or one of its failure."""
    try:
        return work()
    except (OSError, FileChangedError, DevlintError) as error:
        message = describe(error)
    except Exception as error:  # the only catch-all: one bad file must not end the run
        message = f"internal error, please report it: {type(error).__name__}: {error}"
    return FileReport(path, failures=(Failure(path, " ".join(message.split())),))


def _written(report: FileReport) -> FileReport:
    """The report, once the file holds the text that fixes made."""
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


def _parses(text: str) -> bool:
    """Whether the running Python can parse ``text``: a quick look without LibCST, which then has the last word."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<devlint>", "exec", _SYNTAX_ONLY, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
