"""Runs one rule over a piece of code, as the tests of rules do."""

from __future__ import annotations

from textwrap import dedent, indent

from devlint.core.diagnostic import Diagnostic
from devlint.core.target import Target
from devlint.rules.base import Rule
from devlint.rules.generate import all_rules
from devlint.sources.source import Source
from tests.support import engine

CUDA = Target()


def rule(code: str) -> type[Rule]:
    """The rule's class."""
    return next(one for one in all_rules() if one.code == code and issubclass(one, Rule))


def source(text: str) -> Source:
    """``text``, dedented, as a file; with CRLF as it is, since Python 3.14's ``dedent`` makes LF of its empty lines."""
    return Source.from_text("case.py", text if "\r" in text else dedent(text).lstrip("\n"))


def function(head: str, body: str) -> str:
    """A function of which ``head`` ends with the first line, with a body."""
    return f"{head}{indent(body, '    ')}\n"


def found(code: str, text: str, target: Target = CUDA) -> tuple[Diagnostic, ...]:
    """The findings of one rule."""
    result = engine.lint(source(text), [rule(code)], target)
    assert result.failure is None, result.failure
    return tuple(one for one in result.diagnostics if one.code == code)


def places(code: str, text: str, target: Target = CUDA) -> list[tuple[int, str]]:
    """Row and applicability of each finding: ``safe``, ``unsafe`` or ``none``."""
    return [(one.location.row, one.fix.applicability.value if one.fix else "none") for one in found(code, text, target)]


def fixed(code: str, text: str, unsafe: bool = True, target: Target = CUDA) -> str:
    """The text after the rule's fixes; the engine has seen to it that the result compiles and settles."""
    result = engine.fix(source(text), [rule(code)], target, unsafe)
    assert result.failure is None, result.failure
    return result.text


def check(code: str, before: str, after: str, *kinds: str, target: Target = CUDA) -> None:
    """Assert that fixing ``before`` gives exactly ``after``, and that the findings' fixes are of these ``kinds``."""
    assert fixed(code, before, target=target) == source(after).text
    if kinds:
        assert [kind for _, kind in places(code, before, target)] == list(kinds)
