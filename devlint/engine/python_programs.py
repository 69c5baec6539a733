"""Finds what rules look for in one Python program, without what is suppressed, and judges what fixes make of it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

import libcst as cst

from devlint.analysis.devices.unseen_bindings import sole_star_import
from devlint.analysis.names.main_part_reads import new_reads_of_main_part
from devlint.analysis.names.resolution import undefined_names
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.unbound_reads import new_unbound_reads
from devlint.core.diagnostic import Diagnostic, Edit, Failure, Fix
from devlint.core.errors import Stopped
from devlint.core.gc_pause import gc_paused
from devlint.engine.fixpoint import TOO_DEEP, Analysis, splice
from devlint.engine.left_beside import with_left_beside
from devlint.engine.needless_definitions import with_needless_definitions
from devlint.engine.request import Request, Result
from devlint.engine.tool_findings import (
    command_diagnostics,
    part_diagnostics,
    suppression_diagnostics,
    syntax_diagnostic,
)
from devlint.fixes.torch_import import with_import_judged
from devlint.rules.base import Rule
from devlint.sources.comments import lost_comments
from devlint.sources.encoding import SourceError
from devlint.sources.source import Source
from devlint.sources.suppressions.suppressions import Suppressions
from devlint.sources.text_kinds import DEVICE_RULE
from devlint.syntax.file_context import FileContext
from devlint.syntax.kept_comments import with_comments_kept
from devlint.syntax.parse import TooComplexError, compiles
from devlint.syntax.parse_cache import ParseCache
from devlint.syntax.python_tree.python_ast import parses
from devlint.syntax.python_tree.untouched_statements import misplaced_statement

_MOST_EDITS = 100_000
"""Of all findings in a file; where thousands share a fix with an edit for each of them, there would be millions."""


class ProgramAnalysis(Analysis):
    """Runs the rules over a Python program; it parses each text once."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.enter_context(gc_paused())
        self._cache = ParseCache(request.target, request.around)
        self._observed_text: str | None = None
        self.callback(self._cache.keep_only)

    def findings(self, source: Source) -> Result:
        """All that is found in a text that is not suppressed."""
        self._cache.keep_only(source)
        try:
            return Result(source.text, self._found(source))
        except SourceError as error:
            is_old = self.request.target.torch_is_before_devices
            broken = (syntax_diagnostic(source, error, is_old), *part_diagnostics(source))
            suppressions = Suppressions(source, self.request.suppression_settings)
            return Result(source.text, _visible(source, broken, suppressions))
        except TooComplexError as error:
            return Result(source.text, failure=Failure(source.path, str(error)))
        except RecursionError:
            return Result(source.text, failure=Failure(source.path, TOO_DEEP))

    def _found(self, source: Source) -> tuple[Diagnostic, ...]:
        """Run the rules, drop what is suppressed, judge the suppressions."""
        found = [*self._reported(source), *part_diagnostics(source)]
        if DEVICE_RULE in self.request.enabled:
            found += command_diagnostics(source)
        suppressions = Suppressions(source, self.request.suppression_settings)
        visible = _visible(source, found, suppressions)
        return (*visible, *suppression_diagnostics(source, suppressions, self.request.enabled))

    def _reported(self, source: Source) -> list[Diagnostic]:
        """What the rules find; where there are none, as in a file that is looked at for its suppressions, no tree."""
        if not self.request.rules and self.request.observed is None and parses(source.text):
            return []
        ctx = self._cache.context(source, self.request.parsed_text)
        return self._observed(ctx, _reported(ctx, self.request.rules, self.request.is_stopped))

    def _observed(self, ctx: FileContext, found: list[Diagnostic]) -> list[Diagnostic]:
        """The findings with those of what was seen when the file was run as it is, which are certain."""
        if self.request.observed is None:
            return found
        if self._observed_text is None:
            self._observed_text = ctx.source.text
        if self._observed_text != ctx.source.text:  # fixes have changed it
            return found
        from devlint.engine.observed_findings import observed_diagnostics, tells_of_same

        seen = list(observed_diagnostics(ctx, self.request.observed))
        return [*seen, *(one for one in found if not any(tells_of_same(one, other) for other in seen))]

    def complaint(self, source: Source, text: str, comment_edits: Iterable[Edit] = ()) -> str | None:
        """What is wrong with another text that was not wrong with the one of ``source``; None for nothing."""
        lost = lost_comments(splice(source.text, comment_edits), text)
        if lost:
            return f"the result lacks a comment: {lost[0]}"
        self._cache.keep_only(source)
        try:
            source.to_bytes(text)
            after = self._cache.context(source.replace(text=text))
        except (SourceError, TooComplexError) as error:
            return f"the result does not parse: {error}"
        if not _is_given_back(after) and self._was_given_back(source):
            return "LibCST does not give back the result"
        complaint = compiles(text)
        if complaint is not None and compiles(source.text) is None:
            return f"the result does not compile: {complaint}"
        try:
            before = undefined_names(self._cache.context(source))
        except SourceError:
            return None
        new = undefined_names(after) - before
        device = self.request.target.device
        if scopes(after).star_import and device is not None:
            # The configured expression is taken to come from there.
            new = frozenset(name for name in new if not re.search(rf"\b{name}\b", device))
        new = frozenset(name for name in new if sole_star_import(after, name) is None)
        if new:
            return f"the result uses undefined names: {', '.join(sorted(new))}"
        early = new_unbound_reads(source.text, text) or new_reads_of_main_part(source.text, text)
        return f"the result may read names before they are bound: {', '.join(early)}" if early else None

    def _was_given_back(self, source: Source) -> bool:
        """Whether LibCST gives back a text as it was before its fixes; False where it does not parse."""
        try:
            return _is_given_back(self._cache.context(source))
        except (SourceError, TooComplexError):
            return False

    def misplacement(self, source: Source, edits: Iterable[Edit], text: str) -> str | None:
        """Which statement that no edit touches is no longer what and where it was; None for none."""
        row = misplaced_statement(source.text, edits, text)
        return None if row is None else f"the result changes what the fix does not touch, in line {row}"

    def layout(self, source: Source, text: str) -> Sequence[Edit]:
        """Edits that write what fixes added with the file's quotes, in lines that are not too long for the project."""
        from devlint.config.line_length import line_length
        from devlint.syntax.python_tree.long_lines import layout_edits

        return layout_edits(source.text, text, line_length(os.path.dirname(os.path.abspath(source.path))))


def _is_given_back(ctx: FileContext) -> bool:
    """Whether LibCST gives back a text, but for form feeds, and a last carriage return, which it drops."""
    text = ctx.source.text
    return ctx.module.code in (text, text.removesuffix("\r")) or "\f" in text


def _reported(
    ctx: FileContext, rules: Sequence[type[Rule]], is_stopped: Callable[[], bool] | None = None
) -> list[Diagnostic]:
    """What the rules find, in one walk."""
    visitors = [rule(ctx) for rule in rules]
    calls: dict[type, list[Callable[[cst.CSTNode], object]]] = {}
    for visitor in visitors:
        for node_type, name in _visit_methods(type(visitor)):
            calls.setdefault(node_type, []).append(getattr(visitor, name))
    nodes = ctx.tree.of_types(calls)
    for node in nodes if is_stopped is None else _until_stopped(nodes, is_stopped):
        for call in calls[node.__class__]:
            call(node)
    found = [diagnostic for visitor in visitors if not visitor.remainder for diagnostic in visitor.diagnostics]
    for visitor in sorted((one for one in visitors if one.remainder), key=lambda one: not one.default):
        found += _remaining(ctx, found, visitor.diagnostics)
    if found and not ctx.spans.exact:
        found = [diagnostic.replace(fix=None) for diagnostic in found]
    gaining = with_left_beside(ctx, _with_comments(ctx, found))
    return _within_bounds(with_needless_definitions(ctx, gaining))


def _until_stopped(nodes: Iterable[cst.CSTNode], is_stopped: Callable[[], bool]) -> Iterator[cst.CSTNode]:
    """The nodes; raises Stopped before the first one that nobody wants to have looked at."""
    for node in nodes:
        if is_stopped():
            raise Stopped
        yield node


def _remaining(ctx: FileContext, found: Sequence[Diagnostic], rest: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings of ``rest`` in lines where nothing else is found, nor changed by a fix, the first of each line."""
    rows = {row for one in found for row in range(one.location.row, one.end_location.row + 1)} if rest else set()
    fixes = {id(one.fix): one.fix for one in found if one.fix is not None} if rest else {}
    for edit in (edit for fix in fixes.values() for edit in fix.edits if edit.span.start < edit.span.end):
        first, last = (ctx.source.location(place).row for place in (edit.span.start, edit.span.end))
        rows.update(range(first, last + 1))
    kept = []
    for one in sorted(rest, key=lambda one: one.sort_key):
        if one.location.row not in rows:
            kept.append(one)
            rows.add(one.location.row)
    return kept


def _with_comments(ctx: FileContext, found: list[Diagnostic]) -> list[Diagnostic]:
    """The findings with fixes that keep all comments, and say what they import; several may share one."""
    kept: dict[int, Fix | None] = {}
    for one in found:
        if one.fix is not None and id(one.fix) not in kept:
            fix = with_comments_kept(ctx, one.fix)
            kept[id(one.fix)] = with_import_judged(ctx, fix) if fix is not None else None
    return [one if one.fix is None else one.replace(fix=kept[id(one.fix)]) for one in found]


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
    asked = rule.trigger.nodes if hasattr(rule, "check") else ()
    return (
        *((getattr(cst, node), "check_trigger") for node in asked),
        *((getattr(cst, name[len("visit_") :]), name) for name in names),
    )


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
