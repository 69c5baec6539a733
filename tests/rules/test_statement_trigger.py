"""Which text is taken for a move that is all of a statement, without a tree."""

from __future__ import annotations

import ast

import pytest

from devlint.rules.prefilter.code import Code
from devlint.rules.triggers.statements import Statement
from devlint.syntax.python_tree.code_text import POSSESSIVE

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
    "f(y).z.to(device)\n",
    "f(\n    x\n).z.to(device)\n",
    "x.y.to(device)\nf(y=1)\nx.y == 1\nx.y.z = 1\n",
    "y.append(x['z'].to(device))\n",
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
    "f(y)[0].to(device)\n",
    "(x).to(device)\n",
    "(x\n + y).to(device)\n",
    "(\n    x * z\n).to(device)\n",
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
    "x.y.to(device)\nx.y = 1\n",
    "x . \\\n y .to(device)\nx.\\\n  y = 1\n",
    "x.é.to(device)\n",
    "x.y.weight.to(device)\n",
    "x.grad.to(device)\n",
    "f(1); x['z'].to(device)\n",
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
