"""Every fix of every rule with every target: it holds, and says nothing that the target or the oldest torch forbids."""

from __future__ import annotations

import ast
import re

import pytest

import devlint
from devlint.core.target import KINDS, Target
from devlint.rules.base import Rule
from devlint.rules.generate import all_rules
from devlint.sources.source import Source
from devlint.torch_api.accelerator_api import SINCE
from tests.rules.test_hazards import registered
from tests.support import engine
from tests.support.manual import examples
from tests.support.sampling import some

RULES = [rule for rule in all_rules() if issubclass(rule, Rule)]
SHARE = 15
"""One case in so many is tried with a target, beside the examples of the manuals."""
TARGETS = {
    "cuda": Target(),
    "accelerator": Target("accelerator", torch_min_version=(2, 6)),
    "accelerator, newest": Target("accelerator", torch_min_version=(2, 14)),
    "project": Target("project", "torch_device", "from testing import torch_device"),
    "project, a call": Target("project", "get_device()", "from testing import get_device"),
}
NEWER: dict[str, tuple[int, int]] = {
    "torch.accelerator": (2, 6),
    "torch.OutOfMemoryError": (2, 5),
    "torch.amp.GradScaler": (2, 3),
    "torch.get_default_device": (2, 3),
    "torch.distributed.get_default_backend_for_device": (2, 6),
    "torch.amp.custom_fwd": (2, 4),
    "torch.amp.custom_bwd": (2, 4),
    **{f"torch.accelerator.{name}": since for name, since in SINCE.items()},
}
"""What torch did not have in 2.0, and the release that has it first."""
NAMES_CUDA = {
    "DEV107": "torch.cuda.device becomes torch.device as it was meant; which one is DEV103's question",
    "DEV605": "a misspelled name of torch.cuda becomes the one that exists; whether to ask for CUDA is DEV508's question",
}
"""Rules whose fix may name CUDA with the target accelerator, and why."""
CUDA_WORDS = re.compile(r"""["']cuda(?::\d+)?["']""")
ASKS_CUDA = re.compile(r"\bcuda\.is_available\(\)")


def programs(rule: type[Rule]) -> list[str]:
    """The examples of a rule's manual, and some of the cases of its tests."""
    return [one.before for one in examples(rule)] + some(registered(rule), SHARE)


def names(text: str) -> list[str]:
    """Every dotted name of a program."""
    return [ast.unparse(node) for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Attribute, ast.Name))]


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_fixes_hold_for_every_target(rule: type[Rule], target: Target) -> None:
    if target.kind not in rule.targets:
        return
    for text in programs(rule):
        result = engine.fix(Source.from_text("program.py", text), [rule], target, unsafe=True)
        assert result.failure is None, (text, result.failure)
        if result.text == text:
            continue
        before, after = names(text), names(result.text)
        oldest = max(target.torch_min_version, *(since for name, since in NEWER.items() if name in before), (2, 0))
        for name, since in NEWER.items():
            assert since <= oldest or name not in after, (name, result.text)
        if target.kind == "accelerator" and rule.code not in NAMES_CUDA:
            assert len(ASKS_CUDA.findall(result.text)) <= len(ASKS_CUDA.findall(text)), result.text
            assert len(CUDA_WORDS.findall(result.text)) <= len(CUDA_WORDS.findall(text)), result.text
        if target.kind != "accelerator":
            assert result.text.count("accelerator") <= text.count("accelerator") or rule.code.startswith("DEV7")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_names_targets_that_there_are(rule: type[Rule]) -> None:
    assert rule.targets and set(rule.targets) <= set(KINDS)


def test_rules_of_another_target_do_not_run() -> None:
    text = "import torch\ntorch.cuda.empty_cache()\n"
    found = {
        kind: [one.code for one in devlint.check(text, target=kind, isolated=True).diagnostics]
        for kind in ("cuda", "accelerator")
    }
    assert found == {"cuda": [], "accelerator": ["DEV507"]}
