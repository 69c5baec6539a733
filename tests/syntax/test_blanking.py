"""Functions in which no rule finds anything become strings before LibCST parses a file."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Container

import pytest

from devlint.config.selection import catalogue
from devlint.engine.analyze import analyze
from devlint.engine.finding_filter import FindingFilter
from devlint.engine.request import Request
from devlint.engine.ruleset import load_rule
from devlint.rules.prefilter.rule_filter import Prefilter
from devlint.sources.source import Source
from devlint.syntax.blanking import blank_functions
from tests.support.paths import PACKAGE, ROOT
from tests.support.sampling import some

CODES = {info.code for info in catalogue() if info.trigger}
LONG = "\n".join(f"    value_{i} = {i} + len('é') # why" for i in range(12)) + "\n    return value_0\n"
KEPT = {
    "a place of a rule": ("def f():\n    x.cuda()\n" + LONG, [2]),
    "a word of devices": ("def f():\n    y = gpu_id\n" + LONG, []),
    "a short body": ("def f():\n    return 1\n", []),
    "a body on the line of its definition": ("def f(): return (1,\n" + " 2,\n" * 90 + ")\n", []),
    "a form feed": ("def f():\n" + LONG + "\f\n", []),
    "code that is in no function": ("if x:\n" + LONG.replace("return", "del"), []),
}


@pytest.mark.parametrize("name", KEPT)
def test_is_parsed_as_it_is(name: str) -> None:
    text, rows = KEPT[name]
    tree = ast.parse(text)
    places = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.lineno in rows]
    assert bool(places) == bool(rows)
    assert blank_functions(text, tree, places) == text


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "head", ["def f():\n", "class A:\n  async def f(self):\n", "try:\n  pass\nfinally:\n  def f():\n"]
)
def test_becomes_a_string_in_the_same_place(head: str, newline: str) -> None:
    text = f"{head}{LONG}\nafter = 'é', f\n".replace("\n", newline)
    blanked = blank_functions(text, ast.parse(text), [])
    assert len(blanked) == len(text) and [len(line) for line in blanked.split(newline)] == [
        len(line) for line in text.split(newline)
    ]
    assert "value_0" not in blanked and blanked.endswith(f"after = 'é', f{newline}")
    ast.parse(blanked)


def test_a_decorated_first_statement_goes_with_its_decorator() -> None:
    text = "def f():\n    @wraps\n    def g():\n        pass\n" + LONG
    blanked = blank_functions(text, ast.parse(text), [])
    assert "wraps" not in blanked and ast.unparse(ast.parse(blanked).body[0]).startswith("def f():")


def test_a_place_without_a_row_keeps_everything() -> None:
    text = "def f():\n" + LONG
    assert blank_functions(text, ast.parse(text), [ast.arguments()]) == text


CLASSES = f"""\
class Base(Module):
    def __init__(self):
        self.fc = Linear(3)
{LONG.replace("    ", "        ").replace("return", "del")}
class Other(Base):
    def setup(self):
        self.depth = 3
{LONG.replace("    ", "        ")}
    def forward(self, x):
        return x.cuda()

    def loss(self, x):
        first = self.depth
{LONG.replace("    ", "        ")}
class Third:
    def __init__(self):
        self.width = 3
{LONG.replace("    ", "        ")}"""


def test_what_gives_the_objects_of_a_class_their_attributes_is_kept_with_its_methods() -> None:
    blanked = blank_functions(CLASSES, ast.parse(CLASSES), [])
    assert "self.fc = " in blanked and "self.depth = 3" in blanked
    assert "first = self.depth" not in blanked and "self.width" not in blanked


def test_a_fix_uses_what_a_method_without_findings_assigns() -> None:
    text = f"""\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
{LONG.replace("    ", "        ").replace("return", "del")}
    def loss(self, y):
        z = torch.zeros(len(y), 4)
        z[range(len(y)), y] = 1
        z = z.to("cuda")
        return self(y) - z
"""
    assert_findings_are_the_same(Source.from_text("a.py", text), {"DEV102"})


FILES = [*sorted((ROOT / "fixtures").glob("*/input.py")), *sorted(PACKAGE.rglob("*.py"))[::9]]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_findings_are_the_same(part: int) -> None:
    for path in some(FILES[part::8], 4):
        with tokenize.open(path) as file:
            assert_findings_are_the_same(Source.from_text(str(path), file.read()))


def assert_findings_are_the_same(source: Source, codes: Container[str] = CODES) -> None:
    """Rules find the same, with the same fixes, in a source and in what is left of it."""
    candidates = Prefilter([info for info in catalogue() if info.code in codes]).candidates(source.text.encode())
    rules = list(map(load_rule, candidates.rules))
    blanked = blank_functions(source.text, candidates.tree, candidates.places) if candidates.tree else ""
    request = Request(FindingFilter(), rules, enabled=frozenset(rule.code for rule in rules))
    assert analyze(source, request.replace(parsed_text=blanked)) == analyze(source, request)
