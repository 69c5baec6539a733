"""Asks the engine about one file, and makes a report of what it says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from devlint.core.diagnostic import Diagnostic, Span
from devlint.core.record import Record
from devlint.engine.report import FileReport
from devlint.engine.ruleset import SYNTAX_ERROR, RuleSet
from devlint.sources.source import Source, SourceError
from devlint.sources.suppression_settings import Heeded

if TYPE_CHECKING:
    from devlint.core.target import Target
    from devlint.engine.finding_filter import Screen
    from devlint.rules.base import Rule


class Asked(Record, eq=False):
    """What is asked of one file."""

    rules: list[type[Rule]]
    target: Target
    rule_set: RuleSet
    unsafe_fixes: bool
    heeded: Heeded
    screen: Screen | None = None

    @property
    def known(self) -> int:
        """How many findings the screen has kept back, so far."""
        return self.screen.known if self.screen else 0


def checked(source: Source, asked: Asked) -> FileReport:
    """Lint one file."""
    given = (source, asked.rules, asked.target, asked.rule_set.enabled, asked.heeded, asked.screen)
    if source.has_programs:
        from devlint.engine import documents

        result = documents.lint(*given)
    else:
        from devlint.engine import lint as engine

        result = engine.lint(*given)
    return FileReport(
        source.path,
        _shown(result.diagnostics, asked.rule_set, source),
        (result.failure,) if result.failure else (),
        source=source,
        unsafe_fixes=asked.unsafe_fixes,
        known=asked.known,
    )


def fixed(source: Source, asked: Asked) -> FileReport:
    """Fix one file, in memory."""
    enabled = asked.rule_set.enabled
    given = (source, asked.rules, asked.target, asked.unsafe_fixes, enabled, asked.heeded, asked.screen)
    if source.has_programs:
        from devlint.engine import documents

        result = documents.fix(*given)
    else:
        from devlint.engine import lint as engine

        result = engine.fix(*given)
    after = source.replace(text=result.text)
    return FileReport(
        source.path,
        _shown(result.remaining, asked.rule_set, after),
        (result.failure,) if result.failure else (),
        result.applied,
        after,
        source.text,
        result.text,
        asked.unsafe_fixes,
        asked.known,
    )


def _shown(diagnostics: Iterable[Diagnostic], rule_set: RuleSet, source: Source) -> tuple[Diagnostic, ...]:
    """The findings of enabled rules, in order, at the places that people are told."""
    enabled = (diagnostic for diagnostic in diagnostics if diagnostic.code in rule_set.enabled)
    return tuple(
        one.replace(location=source.shown(one.location), end_location=source.shown(one.end_location))
        for one in sorted(enabled, key=lambda diagnostic: diagnostic.sort_key)
    )


def undecodable(path: str, error: SourceError, rule_set: RuleSet, screen: Screen | None) -> FileReport:
    """The report for bytes that are no Python text."""
    if SYNTAX_ERROR not in rule_set.enabled:
        return FileReport(path)
    place = error.location
    found: tuple[Diagnostic, ...] = (Diagnostic(path, SYNTAX_ERROR, error.message, Span(0, 0), place, place),)
    if screen is None:
        return FileReport(path, found)
    return FileReport(path, screen.passing(found), known=screen.known)
