"""Methods that are told apart by their lines are those that Python sees."""

from __future__ import annotations

import ast

import pytest

from devlint.analysis.places.results.missing_devices import missing_devices
from devlint.analysis.places.written.pieces import members_of, members_of_text

CLASSES = [
    "class A:\n    def f(self):\n        return 1\n",
    "class A:\n    x = 1\n\n    def f(self):\n        return 1\n\n    y = 2\n\n    def g(self):\n        return 2\n",
    "class A:\n    @property\n    def f(self):\n        return 1\n    @a\n    @b(\n        1\n    )\n    def g(self): pass\n",
    "@dataclass\nclass A:\n    async def f(self):\n        return 1\n    async   def g(self):\n        pass\n",
    "class A(\n    B,\n):\n    def f(\n        self,\n    ):\n        def inner():\n            pass\n        return inner\n",
    'class A:\n    """Doc."""\n\n    def f(self):\n        return """\n    def g(self):\n"""\n    def h(self): pass\n',
    "class A:\n    def f(self):\n        pass\n    # between\n    def g(self):\n        pass\n    class B:\n        x = 1\n",
    "class A:\n\tdef f(self):\n\t\tpass\n\tx: int = 1\n\tdef g(self):\n\t\tpass\n",
]
NOT_CLASSES = ["x = 1\n", "def f():\n    def g():\n        pass\n", "class A:\n    x = 1\n", "class A: pass\n"]


@pytest.mark.parametrize("text", CLASSES)
def test_methods_and_their_rows(text: str) -> None:
    (node,) = ast.parse(f"\n\n{text}").body
    assert isinstance(node, ast.ClassDef)
    members, rest = members_of_text(text, 3)
    seen = members_of(node, f"\n\n{text}", 1)
    if '"""\n    def' not in text:  # a string that looks like a method hides what is below it
        assert {name: one.row for name, one in members.items()} == {name: one.row for name, one in seen.items()}
        assert [one.text.strip().splitlines()[-1] for one in members.values() if "#" not in one.text] == [
            one.text.strip().splitlines()[-1] for name, one in seen.items() if "#" not in members[name].text
        ]
    (left,) = ast.parse(rest).body
    assert isinstance(left, ast.ClassDef)
    kept = [ast.unparse(one) for one in node.body if not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
    assert [*map(ast.unparse, left.body)] == [*kept, "pass"]


@pytest.mark.parametrize("text", NOT_CLASSES)
def test_what_has_no_methods(text: str) -> None:
    assert members_of_text(text, 1) == ({}, text)


LONG = """
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
{rest}
    @torch.no_grad()
    def forward(self, x):
        return self.lin(torch.ones(2)) + x

    def later(self, x):
        return self.lin(torch.zeros(2))
"""


def test_rows_of_a_long_class_are_those_of_the_file() -> None:
    others = "".join(f"\n    def f{one}(self, x):\n        return x + {one}\n" for one in range(80))
    text = LONG.format(rest=others)
    found = [(one.maker, one.site.row, one.place.row) for one in missing_devices(text)]
    rows = [row for row, line in enumerate(text.splitlines(), 1) if "torch.ones" in line or "torch.zeros" in line]
    assert found == [("ones", rows[0], rows[0]), ("zeros", rows[1], rows[1])]
