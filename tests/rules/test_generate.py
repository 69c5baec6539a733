"""What is derived from the rules is up to date, and says what the rules say."""

from __future__ import annotations

import pytest

from devlint.core.catalogue import RULES
from devlint.core.rule_info import RuleInfo
from devlint.engine.ruleset import load_rule
from devlint.rules import generate
from devlint.rules.prefilter.rule_filter import trigger_of


@pytest.mark.parametrize("path", sorted(generate.outputs()), ids=lambda path: path.name)
def test_generated_files_are_fresh(path: generate.Path) -> None:
    assert path.read_text(encoding="utf-8") == generate.outputs()[path], "stale: run `make docs`"


def test_the_catalogue_has_every_rule_once_and_in_order() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert [generate.rule_info(rule) for rule in generate.all_rules()] == list(RULES)


@pytest.mark.parametrize("info", RULES, ids=lambda info: info.code)
def test_every_rule_says_what_to_do_where_it_has_no_fix(info: RuleInfo) -> None:
    assert len(info.advice.split()) >= 3 or info.code in ("DEV304",)
    assert info.advice[0].isupper() and not info.advice.endswith(".")
    assert len(f"help: {info.advice}") <= 120
    assert info.advice == load_rule(info).advice


def test_no_two_rules_give_the_same_advice() -> None:
    assert len({info.advice for info in RULES}) == len(RULES)


@pytest.mark.parametrize("info", RULES, ids=lambda info: info.code)
def test_a_rules_class_is_found_from_its_row(info: RuleInfo) -> None:
    rule = load_rule(info)
    assert (rule.code, rule.name, rule.default) == (info.code, info.name, info.default)
    if info.trigger:
        assert trigger_of(info).words == rule.trigger.words == info.words
        assert trigger_of(info).nodes == rule.trigger.nodes


def test_a_row_without_its_rule_says_what_to_do() -> None:
    with pytest.raises(LookupError, match="make docs"):
        load_rule(RuleInfo("DEV999", "nothing", "", "none", True, "devlint.rules.tool_rules"))
