"""Every rule's examples in other spellings: conftest.py sees to it that no finding is lost to the prefilter.

`make spellings` tries every spelling of all code that the tests of rules list; DEVLINT_SPELLINGS is how many random ones.
"""

from __future__ import annotations

import os
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devlint.config.selection import catalogue
from devlint.core.target import Target
from devlint.rules.base import Rule
from devlint.rules.prefilter.rule_filter import Prefilter
from devlint.sources.source import Source
from tests.support import engine
from tests.support.disguises import STATEMENTS, is_python, split
from tests.support.manual import examples
from tests.support.registered import RULES, registered
from tests.support.sampling import some
from tests.support.spellings import SPELLINGS, SURROUNDINGS, spelled, surrounded
from tests.support.targets import target_for

SHARE = 50
"""One spelling in so many is tried with the code that the tests of rules list."""
RANDOM = int(os.environ.get("DEVLINT_SPELLINGS", "100"))
_RULES = {rule.code: rule for rule in RULES}
_INFOS = [info for info in catalogue() if info.code in _RULES]
_TARGETS = [Target(), *{target_for(rule) for rule in RULES} - {Target()}]


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_no_spelling_is_lost(rule: type[Rule]) -> None:
    names = (*SPELLINGS, *SURROUNDINGS)
    own = [(name, example.before) for example in examples(rule) for name in names]
    for name, text in own + some([(name, text) for text in registered(rule) for name in names], SHARE):
        found = _spelled(name, text)
        if is_python(found):
            result = engine.lint(Source.from_text("spelled.py", found), [rule], target_for(rule))
            assert result.failure is None, result.failure


def _spelled(name: str, text: str, random: Random | None = None) -> str:
    """``text`` in one spelling, everywhere or in random places."""
    if name in STATEMENTS:
        program = split(text)
        return program.imports + STATEMENTS[name](program.body)
    if name in SURROUNDINGS:
        return surrounded(SURROUNDINGS[name], text)
    return spelled(text, (one for one in SPELLINGS[name](text) if random is None or random.random() < 0.5))


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Some code in several random spellings, one upon the other."""
    rule = draw(st.sampled_from(RULES))
    texts = [*(example.before for example in examples(rule)), *registered(rule)]
    text = draw(st.sampled_from(texts))
    for name in draw(st.lists(st.sampled_from([*SPELLINGS, *SURROUNDINGS, *STATEMENTS]), min_size=1, max_size=4)):
        other = _spelled(name, text, Random(draw(st.integers(0, 255))))
        text = other if is_python(other) else text
    return draw(st.sampled_from([text, text.replace("\n", "\r\n")]))


# A spelling of a spelling may have escapes that Python does not know.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
@settings(max_examples=RANDOM, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs(), st.sampled_from(_TARGETS))
def test_what_the_prefilter_leaves_is_all_that_can_be_found(text: str, target: Target) -> None:
    """With every rule as with those that the prefilter lets look, whatever the spelling."""
    source = Source.from_text("spelled.py", text)
    rules = [rule for rule in RULES if target.kind in rule.targets]
    passed = {info.code for info in Prefilter(_INFOS, target.device_name).candidates(text.encode()).rules}
    few = engine.lint(source, [rule for rule in rules if rule.code in passed], target)
    assert few == engine.lint(source, rules, target)
