"""Asks the engine about one program in memory, as most tests of rules do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from devlint.core.target import Target
from devlint.engine.analyze import analyze
from devlint.engine.finding_filter import FindingFilter
from devlint.engine.request import Request, Result
from devlint.rules.base import Rule
from devlint.sources.source import Source

if TYPE_CHECKING:
    from devlint.engine.request import FixChoice

TOOL_RULES = frozenset({"DEV001", "DEV002"})


def lint(source: Source, rules: Sequence[type[Rule]], target: Target) -> Result:
    """The findings of the rules, and of those of devlint itself that are on by default."""
    return analyze(source, Request(FindingFilter(), rules, target, TOOL_RULES))


def fix(
    source: Source,
    rules: Sequence[type[Rule]],
    target: Target,
    unsafe: bool = False,
    chooses_fix: FixChoice | None = None,
) -> Result:
    """The same, with the fixes made that the engine would make."""
    return analyze(
        source,
        Request(FindingFilter(), rules, target, TOOL_RULES, fix=True, unsafe_fixes=unsafe, chooses_fix=chooses_fix),
    )
