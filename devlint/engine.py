"""Lints one file, and fixes it: choose fixes, splice them in, parse again, until nothing is left."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Callable, Optional, Union

import libcst as cst

from devlint.context import FileContext
from devlint.diagnostic import Applicability, Diagnostic, Edit, Failure
from devlint.directives import USUAL, Heeded
from devlint.encoding import SourceError
from devlint.facts.names import undefined_names
from devlint.facts.scopes import scopes
from devlint.parse import TooComplexError, compiles, parse_module
from devlint.rule import Rule
from devlint.screen import Screen
from devlint.source import Source
from devlint.suppress import Suppressions
from devlint.target import Target
from devlint.tool_findings import part_diagnostics, suppression_diagnostics, syntax_diagnostic

MAX_PASSES = 10
"""More would be a bug: every fix must be settled, or wait for another one, a few times at most."""

_EVERY_TOOL_RULE = frozenset({"DEV001", "DEV002"})


@dataclass(frozen=True)
class LintResult:
    """What was found in one file."""

    diagnostics: tuple[Diagnostic, ...]
    failure: Optional[Failure] = None


@dataclass(frozen=True)
class FixResult:
    """What became of one file."""

    text: str
    applied: tuple[Diagnostic, ...]
    remaining: tuple[Diagnostic, ...]
    failure: Optional[Failure] = None


def lint(
    source: Source,
    rules: Sequence[type[Rule]],
    target: Target,
    enabled: frozenset[str] = _EVERY_TOOL_RULE,
    heeded: Heeded = USUAL,
    screen: Optional[Screen] = None,
) -> LintResult:
    """The findings of ``rules`` in ``source``, with the tool's own that are ``enabled``, without suppressed ones.

    ``heeded`` says which comments suppress some; only what passes the ``screen`` counts.
    """
    screen = screen or Screen()
    screen.begin(source)
    return _lint(source, rules, target, enabled, heeded, screen)


def _lint(
    source: Source,
    rules: Sequence[type[Rule]],
    target: Target,
    enabled: frozenset[str],
    heeded: Heeded,
    screen: Screen,
) -> LintResult:
    """The findings in a text, which fixes may have made of the one that the screen began with."""
    try:
        return LintResult(screen.passing(_findings(_open(source, target), rules, enabled, heeded)))
    except SourceError as error:
        broken = (syntax_diagnostic(source, error), *part_diagnostics(source))
        return LintResult(screen.passing(_visible(source, broken, Suppressions(source, heeded))))
    except TooComplexError as error:
        return LintResult((), Failure(source.path, str(error)))
    except RecursionError:
        return LintResult((), Failure(source.path, "is nested too deeply, left alone"))


def fix(
    source: Source,
    rules: Sequence[type[Rule]],
    target: Target,
    unsafe: bool = False,
    enabled: frozenset[str] = _EVERY_TOOL_RULE,
    heeded: Heeded = USUAL,
    screen: Optional[Screen] = None,
) -> FixResult:
    """Apply the fixes of ``rules``, all of them or, if the result is worse in any way, none.

    What does not pass the ``screen`` is neither fixed nor found.
    """
    blamed: frozenset[str] = frozenset()
    failure: Optional[Failure] = None
    while True:
        result = _settle(source, rules, target, unsafe, enabled, blamed, heeded, screen or Screen())
        if isinstance(result, FixResult):
            return replace(result, failure=result.failure or failure)
        codes = ", ".join(sorted(result.codes))
        failure = Failure(source.path, f"fix of {codes} not applied, please report it: {result.reason}")
        blamed |= result.codes


@dataclass(frozen=True)
class _Blame:
    """Why nothing was fixed: the rules at fault, and what they did."""

    codes: frozenset[str]
    reason: str


def _settle(
    source: Source,
    rules: Sequence[type[Rule]],
    target: Target,
    unsafe: bool,
    enabled: frozenset[str],
    blamed: frozenset[str],
    heeded: Heeded,
    screen: Screen,
) -> Union[FixResult, _Blame]:
    """Fix in passes, without the fixes of ``blamed`` rules."""
    current = source
    applied: list[Diagnostic] = []
    screen.begin(source)
    for _ in range(MAX_PASSES):
        result = _lint(current, rules, target, enabled, heeded, screen)
        if result.failure is not None:
            return (
                _blame(applied, result.failure.message) if applied else FixResult(source.text, (), (), result.failure)
            )
        chosen = list(_choose(result.diagnostics, unsafe, blamed))
        if not chosen:
            return FixResult(current.text, tuple(applied), result.diagnostics)
        text = splice(current.text, _edits(chosen))
        complaint = worse(current, text, target)
        if complaint is not None:
            return _culprits(current, chosen, target, complaint)
        applied += chosen
        screen.edited(_edits(chosen))
        current = replace(current, text=text)
    return _blame(chosen, f"fixes did not settle in {MAX_PASSES} passes")


def splice(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with all ``edits`` made; they must not overlap."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits):
        pieces += (text[at : edit.span.start], edit.text)
        at = edit.span.end
    pieces.append(text[at:])
    return "".join(pieces)


def worse(source: Source, text: str, target: Target) -> Optional[str]:
    """What is wrong with ``text`` that was not wrong with ``source``; None if nothing is."""
    try:
        source.to_bytes(text)
        after = _open(replace(source, text=text), target)
    except (SourceError, TooComplexError) as error:
        return f"the result does not parse: {error}"
    if after.module.code != text and "\f" not in text:
        return "LibCST does not give back the result"
    complaint = compiles(text)
    if complaint is not None and compiles(source.text) is None:
        return f"the result does not compile: {complaint}"
    try:
        before = undefined_names(_open(source, target))
    except SourceError:
        return None
    new = undefined_names(after) - before
    if scopes(after).star_import and target.device is not None:
        # The configured expression is taken to come from there.
        new = frozenset(name for name in new if not re.search(rf"\b{name}\b", target.device))
    return f"the result uses undefined names: {', '.join(sorted(new))}" if new else None


def _open(source: Source, target: Target) -> FileContext:
    return FileContext(source, target, parse_module(source.text))


def _findings(
    ctx: FileContext, rules: Sequence[type[Rule]], enabled: frozenset[str], heeded: Heeded
) -> tuple[Diagnostic, ...]:
    """Run the rules in one walk, drop what is suppressed, judge the suppressions."""
    visitors = [rule(ctx) for rule in rules]
    calls: dict[type, list[Callable[[cst.CSTNode], object]]] = {}
    for visitor in visitors:
        for node_type, name in _visit_methods(type(visitor)):
            calls.setdefault(node_type, []).append(getattr(visitor, name))
    for node in ctx.tree.nodes:
        for call in calls.get(node.__class__, ()):
            call(node)
    found = [diagnostic for visitor in visitors for diagnostic in visitor.diagnostics]
    if found and not ctx.spans.exact:
        found = [replace(diagnostic, fix=None) for diagnostic in found]
    found += part_diagnostics(ctx.source)
    suppressions = Suppressions(ctx.source, heeded)
    visible = _visible(ctx.source, found, suppressions)
    return (*visible, *suppression_diagnostics(ctx.source, suppressions, enabled))


@cache
def _visit_methods(rule: type[Rule]) -> tuple[tuple[type, str], ...]:
    """The node types a rule wants to see, with the names of its methods."""
    names = [name for name in dir(rule) if name.startswith("visit_") and not name.endswith("_attribute")]
    own = [name for name in names if getattr(rule, name) is not getattr(cst.BatchableCSTVisitor, name, None)]
    return tuple((getattr(cst, name[len("visit_") :]), name) for name in own if name.count("_") == 1)


def _visible(source: Source, found: Iterable[Diagnostic], suppressions: Suppressions) -> tuple[Diagnostic, ...]:
    """The findings that show, without fixes that would touch a suppressed line."""
    visible = []
    for diagnostic in sorted(found, key=lambda one: one.sort_key):
        if not suppressions.suppresses(diagnostic.code, diagnostic.location.row, diagnostic.end_location.row):
            visible.append(_keep_off(source, diagnostic, suppressions))
    return tuple(visible)


def _keep_off(source: Source, diagnostic: Diagnostic, suppressions: Suppressions) -> Diagnostic:
    """The finding without its fix if that touches what no edit may, or a line on which its code is suppressed."""
    if diagnostic.fix is None:
        return diagnostic
    if any(source.protects(edit.span) for edit in diagnostic.fix.edits):
        return replace(diagnostic, fix=None)
    forbidden = suppressions.rows(diagnostic.code)
    if not forbidden:
        return diagnostic
    for edit in diagnostic.fix.edits:
        first = source.location(edit.span.start)
        last = source.location(edit.span.end)
        inserts_lines = edit.span.start == edit.span.end and first.column == 1 and edit.text.endswith(("\n", "\r"))
        if not inserts_lines and not forbidden.isdisjoint(range(first.row, last.row + 1)):
            return replace(diagnostic, fix=None)
    return diagnostic


def _choose(diagnostics: Iterable[Diagnostic], unsafe: bool, blamed: frozenset[str]) -> Iterator[Diagnostic]:
    """Findings whose fixes can be made together: equal edits merge, touching ones wait for the next pass."""
    taken: set[Edit] = set()
    for diagnostic in diagnostics:
        fix = diagnostic.fix
        if fix is None or diagnostic.code in blamed:
            continue
        if fix.applicability is Applicability.UNSAFE and not unsafe:
            continue
        if all(edit in taken or not any(edit.span.overlaps(other.span) for other in taken) for edit in fix.edits):
            taken.update(fix.edits)
            yield diagnostic


def _edits(diagnostics: Iterable[Diagnostic]) -> set[Edit]:
    return {edit for diagnostic in diagnostics if diagnostic.fix for edit in diagnostic.fix.edits}


def _blame(diagnostics: Iterable[Diagnostic], reason: str) -> _Blame:
    return _Blame(frozenset(diagnostic.code for diagnostic in diagnostics), reason)


def _culprits(source: Source, chosen: Sequence[Diagnostic], target: Target, complaint: str) -> _Blame:
    """The rules whose own fixes make the file worse; all of them if only their combination does."""
    guilty = []
    for code in sorted({diagnostic.code for diagnostic in chosen}):
        own = [diagnostic for diagnostic in chosen if diagnostic.code == code]
        reason = worse(source, splice(source.text, _edits(own)), target)
        if reason is not None:
            guilty += own
            complaint = reason
    return _blame(guilty or chosen, complaint)
