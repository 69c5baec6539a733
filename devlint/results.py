"""Asks the engine about one file, and makes a report of what it says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Optional

from devlint.diagnostic import Diagnostic, Span
from devlint.heeded import Heeded
from devlint.report import FileReport
from devlint.ruleset import SYNTAX_ERROR, RuleSet
from devlint.source import Source, SourceError

if TYPE_CHECKING:
    from devlint.rule import Rule
    from devlint.screen import Screen
    from devlint.target import Target


def checked(
    source: Source,
    rules: list[type[Rule]],
    target: Target,
    rule_set: RuleSet,
    unsafe_fixes: bool,
    heeded: Heeded,
    screen: Optional[Screen],
) -> FileReport:
    """Lint one file."""
    given = (source, rules, target, rule_set.enabled, heeded, screen)
    if source.has_programs:
        from devlint import documents

        result = documents.lint(*given)
    else:
        from devlint import engine

        result = engine.lint(*given)
    return FileReport(
        source.path,
        _shown(result.diagnostics, rule_set, source),
        (result.failure,) if result.failure else (),
        source=source,
        unsafe_fixes=unsafe_fixes,
        known=screen.known if screen else 0,
    )


def fixed(
    source: Source,
    rules: list[type[Rule]],
    target: Target,
    rule_set: RuleSet,
    unsafe_fixes: bool,
    heeded: Heeded,
    screen: Optional[Screen],
) -> FileReport:
    """Fix one file, in memory."""
    given = (source, rules, target, unsafe_fixes, rule_set.enabled, heeded, screen)
    if source.has_programs:
        from devlint import documents

        result = documents.fix(*given)
    else:
        from devlint import engine

        result = engine.fix(*given)
    after = source.replace(text=result.text)
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
        one.replace(location=source.shown(one.location), end_location=source.shown(one.end_location))
        for one in sorted(enabled, key=lambda diagnostic: diagnostic.sort_key)
    )


def undecodable(path: str, error: SourceError, rule_set: RuleSet, screen: Optional[Screen]) -> FileReport:
    """The report for bytes that are no Python text."""
    if SYNTAX_ERROR not in rule_set.enabled:
        return FileReport(path)
    place = error.location
    found: tuple[Diagnostic, ...] = (Diagnostic(path, SYNTAX_ERROR, error.message, Span(0, 0), place, place),)
    if screen is None:
        return FileReport(path, found)
    return FileReport(path, screen.passing(found), known=screen.known)
