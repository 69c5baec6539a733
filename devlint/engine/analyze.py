"""Finds and fixes what the rules look for in one file of any kind: the one way into the engine."""

from __future__ import annotations

from devlint.core.diagnostic import Diagnostic, Failure, Span
from devlint.engine.fixpoint import TOO_DEEP, apply_fixes
from devlint.engine.report import FileReport
from devlint.engine.request import Request, Result
from devlint.engine.ruleset import SYNTAX_ERROR, load_rule
from devlint.sources.source import Source, SourceError
from devlint.sources.text_kinds import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from devlint.core.rule_info import RuleInfo
    from devlint.engine.fixpoint import Analysis
    from devlint.engine.ruleset import RuleSet


def analyze(source: Source, request: Request) -> Result:
    """The findings in one file and, if the request is to fix it, its text with the fixes made."""
    try:
        with _analysis(source, request) as analysis:
            if request.fix:
                return apply_fixes(source, analysis)
            request.finding_filter.begin(source)
            result = analysis.findings(source)
    except RecursionError:
        return Result(source.text, failure=Failure(source.path, TOO_DEEP))
    return result.replace(diagnostics=request.finding_filter.passing(result.diagnostics))


def _analysis(source: Source, request: Request) -> Analysis:
    """What finds, and judges fixes, in a file of this kind."""
    if source.has_programs:
        from devlint.engine.documents import DocumentAnalysis

        return DocumentAnalysis(request)
    if kind_of(source.path) is not None:
        from devlint.engine.text_files import TextAnalysis

        return TextAnalysis(request)
    from devlint.engine.python_programs import ProgramAnalysis

    return ProgramAnalysis(request)


def analyzed(source: Source, request: Request) -> FileReport:
    """The report on one file: the findings of enabled rules in order, at the places that people are told."""
    result = analyze(source, request)
    after = source if result.text == source.text else source.replace(text=result.text)
    enabled = (diagnostic for diagnostic in result.diagnostics if diagnostic.code in request.enabled)
    return FileReport(
        source.path,
        tuple(
            one.replace(
                location=after.display_location(one.location), end_location=after.display_location(one.end_location)
            )
            for one in sorted(enabled, key=lambda diagnostic: diagnostic.sort_key)
        ),
        (result.failure,) if result.failure else (),
        result.applied,
        after,
        source.text if request.fix else "",
        result.text if request.fix else "",
        request.unsafe_fixes,
        request.finding_filter.baselined,
        first=None if result.first is None else tuple(one.code for one in result.first if one.code in request.enabled),
    )


def fixed(
    source: Source, request: Request, rule_set: RuleSet, rules: Iterable[RuleInfo], is_program: bool
) -> FileReport:
    """The report on one file after the fixes of ``rules``, and of others that find something in what fixes write."""
    known = list(rules)

    def is_new(rule: RuleInfo) -> bool:
        return rule not in known

    while True:
        report = analyzed(source, request.replace(rules=[load_rule(rule) for rule in known]))
        if not report.changed:
            return report
        data = report.after_text.encode("utf-8", "surrogatepass")
        more = rule_set.firing(data, is_program, is_new)
        if not more:
            return report
        known += more


def undecodable_report(path: str, error: SourceError, request: Request) -> FileReport:
    """The report on a file whose bytes are no Python text."""
    if SYNTAX_ERROR not in request.enabled:
        return FileReport(path)
    place = error.location
    found: tuple[Diagnostic, ...] = (Diagnostic(path, SYNTAX_ERROR, error.message, Span(0, 0), place, place),)
    return FileReport(path, request.finding_filter.passing(found), baselined=request.finding_filter.baselined)
