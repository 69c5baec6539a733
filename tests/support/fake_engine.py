"""An engine of a few lines with the real one's interface, so that what runs around it is tested alone."""

from __future__ import annotations

import re

import pytest

from devlint.core import catalogue
from devlint.core.diagnostic import Applicability, Diagnostic, Edit, Failure, Fix, Span
from devlint.core.rule_info import RuleInfo
from devlint.engine.finding_filter import FindingFilter
from devlint.engine.request import Request, Result
from devlint.sources.source import Source
from devlint.sources.suppressions.suppressions import Suppressions


class Safe:
    """Finds ``.cuda()``; fixed safely."""

    code = "DEV101"
    pattern, replacement, applicability = r"\.cuda\(\)", ".to(device)", Applicability.SAFE


class Unsafe:
    """Finds ``pinned``; fixed unsafely."""

    code = "DEV201"
    pattern, replacement, applicability = r"pinned", "free", Applicability.UNSAFE


class Plain:
    """Finds ``nccl``; not fixed."""

    code = "DEV505"
    pattern, replacement, applicability = r"nccl", None, Applicability.SAFE


CLASSES = (Safe, Unsafe, Plain)
TOOL = [row for row in catalogue.RULES if row.module == "devlint.rules.tool_rules"]
CUDA_OR_BOOM = "names.Method('cuda') | names.Name('boom')"
ROWS = (
    *TOOL,
    RuleInfo(
        "DEV101", "cuda-method", "Moves to CUDA only.", "safe", True, __name__, (b".cuda(", b"boom"), CUDA_OR_BOOM
    ),
    RuleInfo("DEV201", "pinned", "Pins memory.", "unsafe", True, __name__, (b"pinned",), "names.Name('pinned')"),
    RuleInfo(
        "DEV505",
        "nccl-backend",
        "Names a backend.",
        "none",
        False,
        __name__,
        (b"nccl",),
        "names.Name('nccl')",
        advice="Choose by what there is",
    ),
)


def analyze(source: Source, request: Request) -> Result:
    return fix(source, request) if request.fix else lint(source, request)


def lint(source: Source, request: Request) -> Result:
    if "boom" in source.text:
        raise RecursionError("deep\ninside")
    if "def (" in source.text:
        place = source.location(0)
        return Result(source.text, (Diagnostic(source.path, "DEV001", "invalid syntax", Span(0, 0), place, place),))
    suppressions = Suppressions(source, request.suppression_settings)
    found = []
    for rule in request.rules:
        for match in re.finditer(rule.pattern, source.text):  # type: ignore[attr-defined]
            found.append(_diagnostic(source, rule, match))
    shown = [one for one in found if not suppressions.suppresses(one.code, one.location.row, one.end_location.row)]
    failure = Failure(source.path, "is left alone") if "half" in source.text else None
    request.finding_filter.begin(source)
    return Result(source.text, request.finding_filter.passing(shown[::-1]), failure=failure)


def _diagnostic(source: Source, rule: type, match: re.Match[str]) -> Diagnostic:
    span = Span(*match.span())
    replacement = rule.replacement  # type: ignore[attr-defined]
    edit = None if replacement is None else (Edit(span, replacement),)
    fix = edit and Fix(edit, rule.applicability, f"Replace `{match.group()}`")  # type: ignore[attr-defined]
    places = source.location(span.start), source.location(span.end)
    return Diagnostic(source.path, rule.code, f"`{match.group()}` found", span, *places, fix)  # type: ignore[attr-defined]


def fix(source: Source, request: Request) -> Result:
    result = lint(source, request)
    applied = []
    text = source.text
    for one in sorted(result.diagnostics, key=lambda one: one.span, reverse=True):
        if one.fix and (request.unsafe_fixes or one.fix.applicability is Applicability.SAFE):
            text = text[: one.span.start] + one.fix.edits[0].text + text[one.span.end :]
            applied.append(one)
    remaining = lint(source.replace(text=text), Request(FindingFilter(), request.rules))
    return Result(text, remaining.diagnostics, tuple(applied), result.failure)


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put this engine in the place of the real one, and its rules into the catalogue."""
    monkeypatch.setattr("devlint.engine.analyze.analyze", analyze)
    monkeypatch.setattr(catalogue, "RULES", ROWS)
