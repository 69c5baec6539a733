"""An engine of a few lines with the real one's interface, so that what runs around it is tested alone."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import ModuleType

import pytest

from devlint.core import catalogue
from devlint.core.diagnostic import Applicability, Diagnostic, Edit, Failure, Fix, Span
from devlint.core.rule_info import RuleInfo
from devlint.engine.finding_filter import Screen
from devlint.sources.source import Source
from devlint.sources.suppression_settings import USUAL, Heeded
from devlint.sources.suppressions import Suppressions


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
ROWS = (
    *TOOL,
    RuleInfo("DEV101", "cuda-method", "Moves to CUDA only.", "safe", True, (b".cuda(", b"boom"), __name__),
    RuleInfo("DEV201", "pinned", "Pins memory.", "unsafe", True, (b"pinned",), __name__),
    RuleInfo("DEV505", "nccl-backend", "Names a backend.", "none", False, (b"nccl",), __name__),
)


@dataclass
class LintResult:
    diagnostics: tuple[Diagnostic, ...]
    failure: Failure | None = None


@dataclass
class FixResult:
    text: str
    applied: tuple[Diagnostic, ...]
    remaining: tuple[Diagnostic, ...]
    failure: Failure | None = None


def lint(
    source: Source,
    rules: Sequence[type],
    target: object,
    enabled: frozenset[str],
    heeded: Heeded = USUAL,
    screen: Screen | None = None,
) -> LintResult:
    if "boom" in source.text:
        raise RecursionError("deep\ninside")
    if "def (" in source.text:
        place = source.location(0)
        return LintResult((Diagnostic(source.path, "DEV001", "invalid syntax", Span(0, 0), place, place),))
    suppressions = Suppressions(source, heeded)
    found = []
    for rule in rules:
        for match in re.finditer(rule.pattern, source.text):  # type: ignore[attr-defined]
            found.append(_diagnostic(source, rule, match))
    shown = [one for one in found if not suppressions.suppresses(one.code, one.location.row, one.end_location.row)]
    failure = Failure(source.path, "is left alone") if "half" in source.text else None
    screen = screen or Screen()
    screen.begin(source)
    return LintResult(screen.passing(shown[::-1]), failure)


def _diagnostic(source: Source, rule: type, match: re.Match[str]) -> Diagnostic:
    span = Span(*match.span())
    replacement = rule.replacement  # type: ignore[attr-defined]
    edit = None if replacement is None else (Edit(span, replacement),)
    fix = edit and Fix(edit, rule.applicability, f"Replace `{match.group()}`")  # type: ignore[attr-defined]
    places = source.location(span.start), source.location(span.end)
    return Diagnostic(source.path, rule.code, f"`{match.group()}` found", span, *places, fix)  # type: ignore[attr-defined]


def fix(
    source: Source,
    rules: Sequence[type],
    target: object,
    unsafe: bool,
    enabled: frozenset[str],
    heeded: Heeded = USUAL,
    screen: Screen | None = None,
) -> FixResult:
    result = lint(source, rules, target, enabled, heeded, screen)
    applied = []
    text = source.text
    for one in sorted(result.diagnostics, key=lambda one: one.span, reverse=True):
        if one.fix and (unsafe or one.fix.applicability is Applicability.SAFE):
            text = text[: one.span.start] + one.fix.edits[0].text + text[one.span.end :]
            applied.append(one)
    remaining = lint(replace(source, text=text), rules, target, enabled)
    return FixResult(text, tuple(applied), remaining.diagnostics, result.failure)


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put this module in the place of the engine and of the catalogue."""
    import devlint.engine.documents  # with the real engine: it keeps the one that it has met first

    module: ModuleType = sys.modules[__name__]
    monkeypatch.setitem(sys.modules, "devlint.engine.lint", module)
    monkeypatch.setattr(devlint.engine, "lint", module)
    monkeypatch.setattr(catalogue, "RULES", ROWS)
