"""What every rule promises: a code, a name, and a manual whose examples are true."""

from __future__ import annotations

import re

import pytest

from devlint.core.diagnostic import Diagnostic
from devlint.rules.base import Rule
from devlint.rules.generate import AnyRule, all_rules, rule_info
from devlint.sources.source import Source
from tests.support import engine
from tests.support.manual import SECTIONS, examples, sections
from tests.support.paths import ROOT
from tests.support.targets import target_for

RULES = all_rules()
TREE_RULES = [rule for rule in RULES if issubclass(rule, Rule)]
every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
every_tree_rule = pytest.mark.parametrize("rule", TREE_RULES, ids=lambda rule: rule.code)


def findings(rule: type[Rule], text: str) -> list[Diagnostic]:
    result = engine.lint(Source.from_text("example.py", text), [rule], target_for(rule))
    assert result.failure is None
    return [one for one in result.diagnostics if one.code == rule.code]


def test_codes_and_names_are_unique() -> None:
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)


@every_rule
def test_metadata(rule: AnyRule) -> None:
    assert re.fullmatch(r"DEV\d{3}", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert all(isinstance(word, bytes) and word for word in rule_info(rule).words)
    assert rule_info(rule).fix in ("safe", "mostly safe", "sometimes", "unsafe", "none")


@every_tree_rule
def test_one_rule_one_file_one_test(rule: type[Rule]) -> None:
    file = rule.name.replace("-", "_")
    assert rule.__module__ == f"devlint.rules.{file}"
    assert (ROOT / "tests" / "rules" / f"test_{file}.py").is_file()


@every_rule
def test_manual(rule: AnyRule) -> None:
    found = sections(rule)
    summary = found.pop("").strip()
    assert summary and "\n" not in summary and summary.endswith(".")
    assert tuple(found) == SECTIONS
    assert all(text.strip() for text in found.values())
    assert examples(rule)


@every_tree_rule
def test_examples(rule: type[Rule]) -> None:
    for example in examples(rule):
        assert any(word in example.before.encode() for word in rule.trigger.words)
        assert findings(rule, example.before), "the example is not found"
        if example.after is not None:
            assert not findings(rule, example.after), "what to use instead is found too"


@every_tree_rule
def test_fixes_of_the_examples(rule: type[Rule]) -> None:
    for example in examples(rule):
        if all(one.fix is None for one in findings(rule, example.before)):
            continue
        result = engine.fix(Source.from_text("example.py", example.before), [rule], target_for(rule), unsafe=True)
        assert result.failure is None
        assert result.text == example.after
