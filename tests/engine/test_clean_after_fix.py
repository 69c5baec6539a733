"""After a fix nothing is found in what the fix wrote, unless the program had it before.

The programs are the examples of the rules' manuals, some in a disguise, generated ones, and those under ``fixtures``.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator

import pytest

from benchmarks.runnable_programs import runnable_program
from devlint.core.diagnostic import Diagnostic
from devlint.core.target import Target
from devlint.rules.base import Rule
from devlint.sources.source import Source
from tests.support import engine
from tests.support.disguises import disguises, is_python
from tests.support.manual import examples
from tests.support.paths import ROOT
from tests.support.registered import RULES
from tests.support.sampling import some
from tests.support.targets import target_for

DEFAULT = [rule for rule in RULES if rule.default and "cuda" in rule.targets]
EXAMPLES = [
    pytest.param(rule, example.before, id=f"{rule.code}-{number}")
    for rule in DEFAULT
    for number, example in enumerate(examples(rule))
]
PROGRAMS = sorted(ROOT.glob("fixtures/*/input.py"))


_SHOWN_BY = {"DEV704": "DEV703"}
"""What is found as soon as a name is right: it was so before."""


def brought_in(text: str, target: Target, unsafe: bool = False) -> Iterator[Diagnostic]:
    """The findings at lines that a fix has written, that the program did not have before."""
    before = Source.from_text("case.py", text)
    result = engine.fix(before, DEFAULT, target, unsafe)
    assert result.failure is None, result.failure
    had = Counter(one.code for one in engine.lint(before, DEFAULT, target).diagnostics)
    left = engine.lint(Source.from_text("case.py", result.text), DEFAULT, target).diagnostics
    written = _written_lines(text, result.text)
    new = Counter(one.code for one in left) - had
    for code in had:
        del new[_SHOWN_BY.get(code, "")]
    yield from (one for one in left if new[one.code] and one.location.row in written)


def _target(rule: type[Rule]) -> Target:
    """The target of a rule's examples, where nobody has said which torch is the oldest."""
    return target_for(rule).replace(torch_min_is_guess=True)


def _written_lines(before: str, after: str) -> set[int]:
    """The numbers of the lines of a text that another one does not have."""
    pieces = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False).get_opcodes()
    return {row + 1 for kind, _, _, start, end in pieces if kind != "equal" for row in range(start, end)}


@pytest.mark.parametrize(("rule", "text"), EXAMPLES)
@pytest.mark.parametrize("unsafe", [False, True])
def test_examples(rule: type[Rule], text: str, unsafe: bool) -> None:
    assert not list(brought_in(text, _target(rule), unsafe))


@pytest.mark.parametrize(("rule", "text"), EXAMPLES)
def test_disguised_examples(rule: type[Rule], text: str) -> None:
    for disguise in some(list(disguises(text)), 40):
        if isinstance(disguise.data, bytes) and is_python(disguise.data):
            try:
                worn = disguise.data.decode("utf-8")
            except UnicodeDecodeError:
                continue
            assert not list(brought_in(worn, _target(rule))), disguise.name


@pytest.mark.slow
def test_generated_programs() -> None:
    for seed in some(range(400), 20):
        assert not list(brought_in(runnable_program(seed), Target(torch_min_is_guess=True))), seed


def test_whole_programs() -> None:
    for path in some(PROGRAMS, 8):
        assert not list(brought_in(path.read_text("latin-1"), Target(torch_min_is_guess=True))), path
