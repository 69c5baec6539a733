"""Where a text may make tensors on the CPU, told without a parse."""

from __future__ import annotations

import pytest

from devlint.analysis.places.written.made_in_text import rows_of_makers

LINES = [
    ("y = torch.ones(2)", True),
    ("y = torch.ones(2, device=x.device)", False),
    ("y = torch.ones((2, 3), device=d)", False),
    ("y = torch.ones(f(device=d))", True),
    ("y = torch.ones(2).to(x.device)", False),
    ("y = torch.ones(2).to(device=d)", False),
    ("y = torch.ones(2).to(torch.float)", True),
    ("y = torch.ones(2).cuda()", False),
    ("y = torch.ones(2).float().cuda()", False),
    ("y = torch.ones(2).float()", True),
    ("y = torch.ones(2).type_as(x)", False),
    ("self.w = nn.Parameter(torch.ones(2))", False),
    ("self.register_buffer('w', torch.ones(2))", True),
    ('self.register_buffer("a_name", torch.ones(2))', True),
    ("y = torch.zeros_like(x)", False),
    ("y = torch.arange(2)", True),
    ("y = torch.tensor(1)", True),
    ("y = torch.FloatTensor(2)", True),
    ("y = torch.from_numpy(a)", True),
    ("y = ones(2)", False),
    ("y = torch.ones(\n        2,\n        device=d,\n    )", False),
    ("y = torch.ones(\n        2,\n    )", True),
    ("y = torch.ones(2", True),
    ("# torch.ones(2)", False),
    ("y = torch.nn.Linear(2, 2)", False),
    ("y = torch.ones(my_device)", True),
    ("y = torch.ones(2, no_device=1)", True),
    ("y = torch.ones([i for i in device])", True),
    ("y = torch.rand([])\n    if y < x.drop: return", False),
    ("y = torch.rand(())\n    y = torch.rand([])\n    if 0.5 > x and y >= 1: return", False),
    ("y = torch.rand([])\n    if y < x.drop: return y", True),
    ("y = torch.rand([]) * x\n    if y < x.drop: return", True),
    ("y = torch.rand([2])\n    if y < x.drop: return", True),
    ("return torch.rand([])", True),
]
"""Lines of a function, and whether they may make a tensor that stays on the CPU."""
IMPORTED = [
    ("from torch import ones", "y = ones(2)", True),
    ("from torch import (\n    zeros,\n    ones,\n)", "y = ones(2)", True),
    ("from torch import nn", "y = ones(2)", False),
    ("import torch as t", "y = t.ones(2)", True),
    ("from numpy import ones", "y = ones(2)", False),
    ("from torch import Tensor", "y = Tensor(2)", True),
    ("from torch import Tensor", "y = torch.Tensor(2)", True),
    ("from torch import Tensor", "for i in range(2): g(x.range(2))", False),
    ("from torch import Tensor, nn  # no range", "y = [*x.ones(2), *ones(2)]", False),
    ("import torch as t", "for i in range(2): ones(2)", False),
]
PLACES = [
    ("y = torch.ones(2)\n", [], []),
    (
        "class A:\n    def __init__(self):\n        self.x = torch.ones(2)\n    def f(self):\n        return torch.ones(2)\n",
        [5],
        [3],
    ),
    ("def f():\n    def g():\n        return torch.ones(2)\n    return torch.ones(2)\n", [3, 4], []),
    ("class A:\n    x = torch.ones(2)\n", [], []),
    ("def f(): return torch.ones(2)\n", [], []),
    ("async def f():\n    return torch.ones(2)\n", [2], []),
    ("class A:\n\tdef f(self):\n\t\treturn torch.ones(2)\n", [3], []),
    ("def f():\n    pass\ny = torch.ones(2)\n", [], []),
]
"""Programs, the rows in functions that run once a module is moved, and those in initializers."""


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_what_is_moved_at_once_is_left_out(line: str, expected: bool) -> None:
    assert rows_of_makers(f"import torch\n\n\ndef f(x):\n    {line}\n").used == ([5] if expected else [])


@pytest.mark.parametrize(("imports", "line", "expected"), IMPORTED)
def test_other_names(imports: str, line: str, expected: bool) -> None:
    row = imports.count("\n") + 3
    assert rows_of_makers(f"{imports}\ndef f(x):\n    {line}\n").used == ([row] if expected else [])


@pytest.mark.parametrize(("text", "later", "early"), PLACES)
def test_rows(text: str, later: list[int], early: list[int]) -> None:
    assert rows_of_makers(text)[:2] == (later, early)
