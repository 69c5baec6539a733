"""Which text is taken for a move that is all of a statement, without a tree."""

from __future__ import annotations

import ast

import pytest

from devlint.rules.prefilter.code import POSSESSIVE, Code
from devlint.rules.triggers.statements import Statement, TensorStatement

pytestmark = pytest.mark.skipif(not POSSESSIVE, reason="before Python 3.11 only trees are asked")

NONE = [
    "y = x.to(device)\n",
    "y[:, i, m[i].bool()] = x.to(device)\n",
    "f(x).to(device)\n",
    "x.y[0](z).to(device)\n",
    "y = (\n    f(x)\n    .to(device)\n)\n",
    "y = (\n    x.to(device)\n)\n",
    "y = [\n    x.to(device)\n]\n",
    "f(a,\n  x.to(device)\n)\n",
    "y = (\n    None\n    if x is None\n    else x.to(device)\n)\n",
    "y = (a\n     * x.to(device)\n)\n",
    "x.to(torch.float32)\n",
    "x.to(dtype=dtype)\n",
    "x.to(\n    torch.int64\n)\n",
    "x.to(y.dtype, copy=True)\n",
    "a, x.to(device)\n",
    "await x.to(device)\n",
    "x.to(device).y\n",
    "y = (\n    x * z\n).to(device)\n",
    "y = f(\n    x\n).z.to(device)\n",
    "y = f(\n    x\n)['z'].to(device)\n",
    "y.append(z['x'].to(device))\n",
]
SOME = [
    "x.to(device)\n",
    "x.cuda()\n",
    "x.to(torch.device)\n",
    "x.to(dtype=torch.float32, device=device)\n",
    "x.to(dtype=dtype, device=a)\n",
    "x.to(a.device, torch.float32)\n",
    "x.to(dtype)\n",
    "x[0].to(device)\n",
    "f(y).z.to(device)\n",
    "f(y)[0].to(device)\n",
    "(x).to(device)\n",
    "(x\n + y).to(device)\n",
    "(\n    x * z\n).to(device)\n",
    "f(\n    x\n).z.to(device)\n",
    "y = (  # z\n    x\n)\n(x).to(device)\n",
    "(x)  \\\n  .to(device)\n",
    "if a: (x).to(device)\n",
    "if a: x.to(device)\n",
    "y = 1; x.to(device)\n",
    "y = f(\n  1\n)\n(x).to(device)\n",
    "(\n    x.to(device)\n)\n",
    "((\n    x.to(device)\n))\n",
    "x . to(device)\n",
    "x.to(  # here\n  device\n)\n",
    "y = z  # and, (\nx.to(device)\n",
    "y = '# a,'\nx.to(device)\n",
    "(x  # as f(y\n).to(device)\n",
    "(x[')']).to(device)\n",
    "(x['\\')']).to(device)\n",
    "def f(y=1): x.to(device)\n",
    "f(lambda: 0, y)\nx.to(device)\n",
]


@pytest.mark.parametrize("program", NONE)
def test_needs_no_tree(program: str) -> None:
    assert not Statement("to", "cuda").matches(Code(b"import torch\n" + program.encode()))


@pytest.mark.parametrize("program", SOME)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_may_be_one(program: str, newline: str) -> None:
    ast.parse(program)
    for before in ("", "y = 2\n", f"{'# a, (' * 3}\n", "@f(1)\ndef g(): pass\n"):
        data = (before + program).replace("\n", newline).encode()
        assert Statement("to", "cuda").matches(Code(data)), data


NO_TENSOR = [
    "",
    "x = Model(1)\n",
    "x = a.Model(f(1), b=[2])\n",
    "x = y\ny = 3\nf(y, z)\n",
    "x = y if z else torch.zeros(2)\n",
    "x = x.cuda()\n",
    "def f(x, y) -> None:\n    pass\n",
    "def f(a, x: Module, b: int | None = None):\n    pass\n",
    "def f(\n    x: list[Module],\n    y: Tensor,\n):\n    pass\n",
    "g(x, y=torch.zeros(2))\n",
    "g(\n    x=x,\n    y=x,\n)\n",
    "g(\n    y,\n    x)\ny = torch.zeros(2)\n",
    "for x in models:\n    x.eval()\n",
    "if x is None or x == 3 and not x: pass\n",
    "y = 'of x or so' + f'{x}' + x.y['x']\n",
    "import torch.nn.functional as F\nx = G.Model(2)\n",
]
MAYBE_TENSOR = [
    "x = torch.zeros(2)\n",
    "x = (y)\n",
    "x = y\ny = torch.zeros(2)\n",
    "x = y.z\nz = w.cuda()\nw = a + b\n",
    "x = \\\n  torch.zeros(2)\n",
    "x = y.cuda()\ny = torch.zeros(2)\n",
    "x = y.weight\n",
    "x = [y][0]\n",
    "x, y = torch.zeros(1), 2\n",
    "y, x = 2, torch.zeros(1)\n",
    "y, (x) = 2, torch.zeros(1)\n",
    "(\n    y,\n    x,\n) = 2, torch.zeros(1)\n",
    "[\n    x,\n    y\n] = torch.zeros(1), 2\n",
    "a = x, y = torch.zeros(1), 2\n",
    "x: Any = torch.zeros(2)\n",
    "def f(x: Tensor): pass\n",
    "def f(x:\n  Tensor): pass\n",
    "def f(x: 'torch.Tensor | None' = None): pass\n",
    "def f(x: Optional[\n    Tensor\n]): pass\n",
    "def f(y=1, x=torch.zeros(2)): pass\n",
    "lambda x=torch.zeros(2): x\n",
    "def x(): return torch.zeros(2)\n",
    "(x := torch.zeros(2))\n",
    "x.unsqueeze(0)\n",
    "x . unsqueeze(0)\n",
    "(x).unsqueeze(0)\n",
    "(x\n .unsqueeze(0))\n",
    "for x in model.parameters(): pass\n",
    "for (x) in model.parameters(): pass\n",
    "for x in (\n  model.parameters()\n): pass\n",
    "from torch import zeros as make\nx = make(2)\n",
    "from torch.nn.functional import softmax\nx = softmax(2)\n",
    "import torch.nn.functional as F\nx = F.pad(2)\n",
    "x = torch.nn.functional.pad(y)\n",
    "x = next(model)\n",
    "x = y if z else w\ny = torch.zeros(2)\n",
]


@pytest.mark.parametrize("program", NO_TENSOR)
def test_is_no_tensor_by_its_name(program: str) -> None:
    for call in ("x.to(device)\n", "a.b.x.to(device)\n", "x.cuda()\n"):
        assert not TensorStatement("to", "cuda").matches(Code(f"{program}{call}# the end\n".encode()))


@pytest.mark.parametrize("program", MAYBE_TENSOR)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_may_be_a_tensor_by_its_name(program: str, newline: str) -> None:
    ast.parse(program)
    for call in ("x.to(device)\n", "a.b.x.to(device)\n", "x\\\n.cuda()\n"):
        data = (program + call).replace("\n", newline).encode()
        assert TensorStatement("to", "cuda").matches(Code(data)), data


def test_asks_about_few_names_and_places() -> None:
    text = "".join(f"x{number}.to(device)\n" for number in range(20))
    assert TensorStatement("to", "cuda").matches(Code(text.encode()))
    assert TensorStatement("to", "cuda").matches(Code(b"x.y\n" * 3_000 + b"x.to(device)\n"))
    assert not TensorStatement("to", "cuda").matches(Code(b"x.y\n" * 300 + b"x.to(device)\n"))
