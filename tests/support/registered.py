"""The pieces of code that the tests of rules list, as far as the rules find something in them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache

import pytest

from devlint.core.diagnostic import Diagnostic
from devlint.rules.base import Rule
from devlint.rules.generate import all_rules
from devlint.sources.source import Source
from tests.support import engine
from tests.support.disguises import is_python
from tests.support.manual import examples
from tests.support.targets import target_for

RULES = [rule for rule in all_rules() if issubclass(rule, Rule)]
EXAMPLES = [
    pytest.param(rule, example.before, id=f"{rule.code}-example{number}")
    for rule in RULES
    for number, example in enumerate(examples(rule))
]
"""The code before the fix in the manual of each rule."""


@cache
def registered(rule: type[Rule]) -> list[str]:
    """Code in the lists of the rule's own test module in which the rule finds something."""
    name = f"tests.rules.test_{rule.name.replace('-', '_')}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError:
        return []
    found = [text for value in vars(module).values() if isinstance(value, (list, tuple)) for text in _strings(value)]
    return [text for text in dict.fromkeys(map(_program, found)) if text and _findings(rule, text)]


def _strings(value: object) -> Iterator[str]:
    """The first string of each entry: code before the fix."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _strings(one[0] if isinstance(one, tuple) and one else one)


def _program(text: str) -> str:
    if "\n" not in text and " " not in text:
        return ""
    text = text.strip("\n") + "\n"
    text = text if "import" in text else f"import torch\n{text}"
    return text if is_python(text) else ""


def _findings(rule: type[Rule], text: str) -> list[Diagnostic]:
    result = engine.lint(Source.from_text("example.py", text), [rule], target_for(rule))
    return [one for one in result.diagnostics if one.code == rule.code]
