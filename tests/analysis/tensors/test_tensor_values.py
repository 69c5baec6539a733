"""Whether an expression is a tensor for certain."""

from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.tensors.tensor_uses import is_used_as_tensor
from devlint.analysis.tensors.tensor_values import is_tensor
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext
from tests.support.questions import asked

CASES = [
    ("ask(torch.ones(2))", True),
    ("ask(x)", False),
    ("x = torch.ones(2)\nask(x)", True),
    ("x = torch.ones(2) + 1\nask(x)", True),
    ("ask(torch.ones(2).to(d))", True),
    ("ask(torch.device('cpu'))", False),
    ("ask(torch.ones(2)[0])", True),
    ("ask(-torch.ones(2))", True),
    ("ask(1)", False),
    ("ask([torch.ones(2)])", False),
    ("ask(net(torch.ones(2)))", False),
    ("def f(x: torch.Tensor):\n    ask(x)", True),
    ("def f(x: 'torch.Tensor'):\n    ask(x)", True),
    ("def f(x: 'Tensor'):\n    ask(x)", True),
    ("def f(x: 'Sensor'):\n    ask(x)", False),
    ("def f(x: torch.Tensor | None):\n    ask(x)", False),
    ("from typing import Optional\ndef f(x: Optional[torch.Tensor]):\n    ask(x)", True),
    ("def f(x: int):\n    ask(x)", False),
    ("def f(x):\n    x.unsqueeze(0)\n    ask(x)", True),
    ("def f(x):\n    ask(x)", False),
    ("def f(x):\n    x.append(1)\n    ask(x)", False),
    ("def f(x):\n    ask(x)\n    x = torch.tensor(x)\n    x.unsqueeze(0)", False),
    ("x = load()\nask(x)\nx = Net()(x)\nx.unsqueeze(0)", False),
    ("def f(x):\n    ask(x)\n    x = x.float()\n    x.unsqueeze(0)", True),
    ("x = load()\nask(x)\nx += 1\nx.unsqueeze(0)", True),
    ("def f(x):\n    ask(x)\n    torch.sigmoid(x)\n    x = net(x)\n    x.unsqueeze(0)", True),
    ("def f(x, n):\n    ask(x)\n    if n:\n        x = net(x)\n    x.unsqueeze(0)", True),
    ("def f(x):\n    for n in range(3):\n        x.unsqueeze(0)\n        x = net(ask(x))", True),
    ("ask(next(net.parameters()))", True),
    ("ask(next(iter(net.parameters())))", True),
    ("ask(next(x))", False),
    ("ask(torch.ones(2).shape)", False),
    ("ask(torch.ones(2).T)", True),
    ("ask(torch.ones(2).data)", True),
    ("ask(torch.ones(2).numpy())", False),
    ("ask(torch.ones(2).max(1))", False),
    ("ask(torch.ones(2).max())", False),
    ("ask(torch.ones(2).size(0))", False),
    ("ask(torch.ones(2).split(1))", False),
    ("ask(torch.nn.Parameter(x))", True),
    ("ask(torch.nn.Linear(1, 2))", False),
    ("ask(torch.load(x))", False),
    ("ask(torch.is_tensor(x))", False),
    ("x = torch.ones(2)\nx = 3\nask(x)", False),
    ("if n:\n    x = torch.ones(2)\nelse:\n    x = torch.zeros(2)\nask(x)", True),
    ("if n:\n    x = torch.ones(2)\nelse:\n    x = None\nask(x)", False),
    ("for x in torch.ones(2):\n    ask(x)", False),
    ("for x in y:\n    ask(x)", False),
    ("x = [torch.ones(n) for n in y]\nz = [ask(a) for a in x]", True),
    ("x = load()\nx = [torch.ones(n) for n in x]\nx = [a.long() for a in x]\nz = [ask(a) for a in x]", True),
    ("x = [torch.ones(n) for n in y]\nx.append(1)\nz = [ask(a) for a in x]", False),
    ("x = [torch.ones(n) for n in y]\nif n:\n    x = [1]\nz = [ask(a) for a in x]", False),
    ("x = [n for n in y]\nz = [ask(a) for a in x]", False),
    ("x, y = torch.ones(2), 1\nask(x)", True),
    ("with a as x:\n    ask(x)", False),
    (
        "class A(torch.nn.Module):\n    def __init__(self):\n        self.w = torch.nn.Parameter(torch.ones(2))\n    def forward(self, x):\n        ask(self.w)",
        True,
    ),
    ("class A:\n    def __init__(self):\n        self.w = torch.ones(2)\n    def f(self):\n        ask(self.w)", True),
    (
        "class A:\n    def __init__(self):\n        self.w = torch.ones(2)\n    def g(self):\n        self.w = None\n    def f(self):\n        ask(self.w)",
        False,
    ),
    ("class A:\n    def f(self):\n        ask(self.w)", False),
    ("ask(torch.ones(2) @ x)", True),
    ("ask(x @ y)", False),
    ("ask((x * 2 - 1).unsqueeze(0))", True),
    ("ask((x * 2 - 1).copy())", False),
    ("ask((x * 2 - 1).data_ptr())", False),
    ("ask(torch.ones(2) > 1)", True),
    ("ask(torch.ones(2) is x)", False),
    ("ask(0 < torch.ones(2).sum() < 2)", False),
    ("ask(torch.cuda.FloatTensor(2))", True),
    ("ask(torch.FloatTensor(2))", True),
    ("ask(torch.zeros_like(x))", True),
    ("ask(x.new_zeros(2))", True),
    ("ask(torch.cat([x]))", True),
    ("ask(torch.Generator())", False),
    ("ask(torch.ones(2) if n else torch.zeros(2))", True),
    ("ask(torch.ones(2) if n else None)", False),
    ("ask((y := torch.ones(2)))", False),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_is_tensor(text: str, expected: bool) -> None:
    assert is_tensor(*asked(f"import torch\n{text}")) is expected


USES = [
    ("x.unsqueeze(0)", [True]),
    ("x.append(0)", [False]),
    ("x.unsqueeze", [False]),
    ("y.x.unsqueeze(0)", [False]),
    ("y.x", [False]),
    ("torch.relu(x)", [True]),
    ("torch.relu(y, x)", [False]),
    ("torch.cat([x, y])", [True]),
    ("torch.cat([x + 1, y])", [True]),
    ("torch.relu(input=x)", [True]),
    ("f(x)", [False]),
    ("torch.device(x)", [False]),
    ("x(1)", [False]),
    ("x[0]", [False]),
    ("x + 1", [False]),
    ("torch.relu(x.data)", [False]),
    ("torch.add(1, x)", [False]),
    ("torch.stack(x)", [False]),
    ("torch.stack(x, dim=0)", [False]),
    ("torch.cat(tensors=[x, y])", [True]),
    ("torch.cat([y] * x)", [False]),
    ("torch.cat([y] + x)", [False]),
    ("torch.cat([x] + y)", [True]),
    ("torch.cat(dim=x, tensors=y)", [False]),
    ("torch.exp(x * y)", [False]),
    ("torch.exp(1 - x)", [True]),
    ("torch.einsum(x, y)", [False]),
    ("torch.pow(x, y)", [False]),
    ("torch.add(*x)", [False]),
]
"""Uses of ``x``, and whether each shows that it is a tensor."""


@pytest.mark.parametrize(("text", "expected"), USES)
def test_is_used_as_tensor(text: str, expected: list[bool]) -> None:
    ctx = FileContext(Source.from_text("case.py", f"import torch\n{text}"))
    uses = [one for one in ctx.tree.of_type(cst.Name) if one.value == "x"]
    assert [is_used_as_tensor(ctx, one) for one in uses] == expected
