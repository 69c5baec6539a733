"""Lints one file, and fixes it: runs the rules, drops what is suppressed, and says what is worse than before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import libcst as cst

from devlint.analysis.names.resolution import undefined_names
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.unbound_reads import unbound_reads
from devlint.core.diagnostic import Diagnostic, Failure
from devlint.core.target import Target
from devlint.engine.finding_filter import Screen
from devlint.engine.fixpoint import FixResult, LintResult, settle, splice
from devlint.engine.tool_findings import part_diagnostics, suppression_diagnostics, syntax_diagnostic
from devlint.rules.base import Rule
from devlint.sources.encoding import SourceError
from devlint.sources.source import Source
from devlint.sources.suppression_settings import USUAL, Heeded
from devlint.sources.suppressions import Suppressions
from devlint.syntax.file_context import FileContext
from devlint.syntax.parse import TooComplexError, compiles
from devlint.syntax.parse_cache import Opened, opening

__all__ = ["FixResult", "LintResult", "fix", "lint", "splice", "worse"]

_TOO_DEEP = "is nested too deeply, left alone"
_MOST_EDITS = 100_000
"""Of all findings in a file; where thousands share a fix with an edit for each of them, there would be millions."""
_EVERY_TOOL_RULE = frozenset({"DEV001", "DEV002"})


def lint(
    source: Source,
    rules: Sequence[type[Rule]],
    target: Target,
    enabled: frozenset[str] = _EVERY_TOOL_RULE,
    heeded: Heeded = USUAL,
    screen: Screen | None = None,
) -> LintResult:
    """The findings of ``rules`` in ``source``, with the tool's own that are ``enabled``, without suppressed ones.

    ``heeded`` says which comments suppress some; only what passes the ``screen`` counts.
    """
    screen = screen or Screen()
    screen.begin(source)
    with opening(target) as opened:
        return _lint(source, rules, opened, enabled, heeded, screen)


def _lint(
    source: Source,
    rules: Sequence[type[Rule]],
    opened: Opened,
    enabled: frozenset[str],
    heeded: Heeded,
    screen: Screen,
) -> LintResult:
    """The findings in a text, which fixes may have made of the one that the screen began with."""
    try:
        return LintResult(screen.passing(_findings(opened.context(source), rules, enabled, heeded)))
    except SourceError as error:
        broken = (syntax_diagnostic(source, error), *part_diagnostics(source))
        return LintResult(screen.passing(_visible(source, broken, Suppressions(source, heeded))))
    except TooComplexError as error:
        return LintResult((), Failure(source.path, str(error)))
    except RecursionError:
        return LintResult((), Failure(source.path, _TOO_DEEP))


def fix(
    source: Source,
    rules: Sequence[type[Rule]],
    target: Target,
    unsafe: bool = False,
    enabled: frozenset[str] = _EVERY_TOOL_RULE,
    heeded: Heeded = USUAL,
    screen: Screen | None = None,
) -> FixResult:
    """Apply the fixes of ``rules``, all of them or, if the result is worse in any way, none.

    What does not pass the ``screen`` is neither fixed nor found.
    """
    screen = screen or Screen()

    def look(current: Source) -> LintResult:
        opened.keep_only(current)
        return _lint(current, rules, opened, enabled, heeded, screen)

    def judge(current: Source, text: str) -> str | None:
        opened.keep_only(current)
        return _worse(current, text, opened)

    try:
        with opening(target) as opened:
            return settle(source, look, judge, unsafe, screen)
    except RecursionError:  # the code of what is nested deepest is only generated to compare it
        return FixResult(source.text, (), (), Failure(source.path, _TOO_DEEP))


def worse(source: Source, text: str, target: Target) -> str | None:
    """What is wrong with ``text`` that was not wrong with ``source``; None if nothing is."""
    with opening(target) as opened:
        return _worse(source, text, opened)


def _worse(source: Source, text: str, opened: Opened) -> str | None:
    """The same, of texts that may be open."""
    try:
        source.to_bytes(text)
        after = opened.context(source.replace(text=text))
    except (SourceError, TooComplexError) as error:
        return f"the result does not parse: {error}"
    if after.module.code != text and "\f" not in text:
        return "LibCST does not give back the result"
    complaint = compiles(text)
    if complaint is not None and compiles(source.text) is None:
        return f"the result does not compile: {complaint}"
    try:
        before = undefined_names(opened.context(source))
    except SourceError:
        return None
    new = undefined_names(after) - before
    device = opened.target.device
    if scopes(after).star_import and device is not None:
        # The configured expression is taken to come from there.
        new = frozenset(name for name in new if not re.search(rf"\b{name}\b", device))
    if new:
        return f"the result uses undefined names: {', '.join(sorted(new))}"
    early = sorted({name for _, name in unbound_reads(text) - unbound_reads(source.text)})
    return f"the result may read names before they are bound: {', '.join(early)}" if early else None


def _findings(
    ctx: FileContext, rules: Sequence[type[Rule]], enabled: frozenset[str], heeded: Heeded
) -> tuple[Diagnostic, ...]:
    """Run the rules, drop what is suppressed, judge the suppressions."""
    source = ctx.source
    found = [*_reported(ctx, rules), *part_diagnostics(source)]
    suppressions = Suppressions(source, heeded)
    visible = _visible(source, found, suppressions)
    return (*visible, *suppression_diagnostics(source, suppressions, enabled))


def _reported(ctx: FileContext, rules: Sequence[type[Rule]]) -> list[Diagnostic]:
    """What the rules find, in one walk."""
    visitors = [rule(ctx) for rule in rules]
    calls: dict[type, list[Callable[[cst.CSTNode], object]]] = {}
    for visitor in visitors:
        for node_type, name in _visit_methods(type(visitor)):
            calls.setdefault(node_type, []).append(getattr(visitor, name))
    for node in ctx.tree.of_types(calls):
        for call in calls[node.__class__]:
            call(node)
    found = [diagnostic for visitor in visitors for diagnostic in visitor.diagnostics]
    if found and not ctx.spans.exact:
        found = [diagnostic.replace(fix=None) for diagnostic in found]
    return _within_bounds(found)


def _within_bounds(found: list[Diagnostic]) -> list[Diagnostic]:
    """The findings, where they have very many edits with fixes that several share at the first of those alone."""
    if sum(len(one.fix.edits) for one in found if one.fix is not None) <= _MOST_EDITS:
        return found
    known: set[int] = set()
    kept = []
    for one in found:
        kept.append(one.replace(fix=None) if id(one.fix) in known else one)
        known.add(id(one.fix))
    return kept


@cache
def _visit_methods(rule: type[Rule]) -> tuple[tuple[type, str], ...]:
    """The node types a rule wants to see, with the names of its methods."""
    own = {name for base in rule.__mro__ if base not in cst.BatchableCSTVisitor.__mro__ for name in vars(base)}
    names = [name for name in sorted(own) if name.startswith("visit_") and name.count("_") == 1]
    return tuple((getattr(cst, name[len("visit_") :]), name) for name in names)


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
        return diagnostic.replace(fix=None)
    forbidden = suppressions.rows(diagnostic.code)
    if not forbidden:
        return diagnostic
    for edit in diagnostic.fix.edits:
        first = source.location(edit.span.start)
        last = source.location(edit.span.end)
        inserts_lines = edit.span.start == edit.span.end and first.column == 1 and edit.text.endswith(("\n", "\r"))
        if not inserts_lines and not forbidden.isdisjoint(range(first.row, last.row + 1)):
            return diagnostic.replace(fix=None)
    return diagnostic
