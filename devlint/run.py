"""Runs the engine over files: reads, looks at bytes first, fixes, writes, and lets no file stop the others."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Optional, Union

from devlint.config import ConfigFinder
from devlint.diagnostic import Diagnostic, Failure, Span
from devlint.directives import Heeded
from devlint.discover import NOTEBOOK, Found, describe, discover, is_looked_at
from devlint.errors import ConfigError, DevlintError
from devlint.report import FileReport, Mode
from devlint.ruleset import SYNTAX_ERROR, RuleSet, RuleSets
from devlint.source import FileChangedError, Source, SourceError, write_source
from devlint.text_files import RULE, kind_of
from devlint.variable_names import Syntax

if TYPE_CHECKING:
    from devlint.diff_base import ChangedRows
    from devlint.rule import Rule
    from devlint.screen import Screen
    from devlint.target import Target
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
        """A report for every file below ``paths``."""
        for found in discover(paths, self._finder, is_looked_at):
            if isinstance(found, Failure):
                yield FileReport(found.path, failures=(found,))
            else:
                yield self.file(found)

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
        try:
            return self._file(found, data)
        except (OSError, FileChangedError, DevlintError) as error:
            message = describe(error)
        except Exception as error:  # the only catch-all: one bad file must not end the run
            message = f"internal error, please report it: {type(error).__name__}: {error}"
        return FileReport(found.path, failures=(Failure(found.path, " ".join(message.split())),))

    def _file(self, found: Found, data: Optional[Content]) -> FileReport:
        in_memory = data is not None
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
            return _undecodable(found.path, error, rule_set, screen)
        if source is None:
            return FileReport(found.path)
        heeded = Heeded(self._noqa, found.settings.suppression_comments)
        if kind is not None and not source.has_programs:
            from devlint import text_lint

            report = text_lint.report(source, kind, rule_set.enabled, self._mode, heeded, screen)
            return self._written(source, replace(report, unsafe_fixes=found.settings.unsafe_fixes), in_memory)
        target = self._finder.target(found.settings, found.directory)
        rules = rule_set.rules_for(raw)
        if self._mode is Mode.CHECK:
            return _checked(source, rules, target, rule_set, found.settings.unsafe_fixes, heeded, screen)
        report = _fixed(source, rules, target, rule_set, found.settings.unsafe_fixes, heeded, screen)
        return self._written(source, report, in_memory)

    def _written(self, source: Source, report: FileReport, in_memory: bool) -> FileReport:
        """The report, once the file holds what it says."""
        if self._mode is Mode.FIX and not in_memory and report.changed:
            write_source(source, report.after_text)
        return report

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


def _checked(
    source: Source,
    rules: list[type[Rule]],
    target: Target,
    rule_set: RuleSet,
    unsafe_fixes: bool,
    heeded: Heeded,
    screen: Optional[Screen],
) -> FileReport:
    """Lint one file."""
    from devlint import documents, engine

    lint = documents.lint if source.has_programs else engine.lint
    result = lint(source, rules, target, rule_set.enabled, heeded, screen)
    return FileReport(
        source.path,
        _shown(result.diagnostics, rule_set, source),
        (result.failure,) if result.failure else (),
        source=source,
        unsafe_fixes=unsafe_fixes,
        known=screen.known if screen else 0,
    )


def _fixed(
    source: Source,
    rules: list[type[Rule]],
    target: Target,
    rule_set: RuleSet,
    unsafe_fixes: bool,
    heeded: Heeded,
    screen: Optional[Screen],
) -> FileReport:
    """Fix one file, in memory."""
    from devlint import documents, engine

    fix = documents.fix if source.has_programs else engine.fix
    result = fix(source, rules, target, unsafe_fixes, rule_set.enabled, heeded, screen)
    after = replace(source, text=result.text)
    return FileReport(
        source.path,
        _shown(result.remaining, rule_set, after),
        (result.failure,) if result.failure else (),
        result.applied,
        after,
        source.text,
        result.text,
        unsafe_fixes,
        screen.known if screen else 0,
    )


def _shown(diagnostics: Iterable[Diagnostic], rule_set: RuleSet, source: Source) -> tuple[Diagnostic, ...]:
    """The findings of enabled rules, in order, at the places that people are told."""
    enabled = (diagnostic for diagnostic in diagnostics if diagnostic.code in rule_set.enabled)
    return tuple(
        replace(one, location=source.shown(one.location), end_location=source.shown(one.end_location))
        for one in sorted(enabled, key=lambda diagnostic: diagnostic.sort_key)
    )


def _undecodable(path: str, error: SourceError, rule_set: RuleSet, screen: Optional[Screen]) -> FileReport:
    """The report for bytes that are no Python text."""
    if SYNTAX_ERROR not in rule_set.enabled:
        return FileReport(path)
    place = error.location
    found: tuple[Diagnostic, ...] = (Diagnostic(path, SYNTAX_ERROR, error.message, Span(0, 0), place, place),)
    if screen is None:
        return FileReport(path, found)
    return FileReport(path, screen.passing(found), known=screen.known)


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
