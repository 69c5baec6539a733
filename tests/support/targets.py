"""The target that a rule's own examples are written for."""

from __future__ import annotations

from devlint.core.target import Target
from devlint.rules.base import Rule
from devlint.rules.tool_rules import ToolRule

NEWEST_TORCH = (2, 13)


def target_for(rule: type[Rule] | type[ToolRule]) -> Target:
    """The default target with the oldest torch that the rule is for, or its first target with the newest torch."""
    if "cuda" in rule.targets:
        return Target(torch_min_version=rule.torch_since) if issubclass(rule, Rule) else Target()
    return Target(rule.targets[0], torch_min_version=NEWEST_TORCH)
