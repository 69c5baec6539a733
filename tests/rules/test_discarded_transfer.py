from __future__ import annotations

import pytest

from tests.support.rule_cases import check, found, places

CODE = "DEV405"
HEAD = 'import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'

SILENT = [
    # The parameters of bitsandbytes are quantized where they are moved.
    "from bitsandbytes.nn import Params4bit\nclass Q(nn.Linear):\n    def __init__(self):\n"
    "        self.weight = Params4bit(self.weight.data)\n        self.weight.cuda()",
    "import bitsandbytes as bnb\nlayer = bnb.nn.Linear4bit(2, 3)\nlayer.weight.cuda()",
    # Modules move in place, and so may all that is not known to be a tensor.
    "model = nn.Linear(2, 2)\nmodel.to(device)",
    "model = Net()\nmodel.cuda()",
    "def f(batch):\n    batch.to(device)\n    return batch",
    "def f(model):\n    model.to(device)\n    return model(torch.ones(1))",
    "def f(batch):\n    batch.to(device)\n    return batch.size(0), batch.clone(), batch.contiguous()",
    "def f(batch: Batch):\n    batch.to(device)",
    "for batch in loader:\n    batch.to(device)",
    "x = load()\nx.to(device)",
    "x = torch.load('x')\nx.to(device)",
    "x = torch.jit.load('x')\nx.to(device)",
    "x = torch.nn.utils.rnn.pack_sequence(y)\nx.to(device)",
    "x = torch.compile(model)\nx.to(device)",
    "x = torch.optim.SGD(y)\nx.to(device)",
    "x = torch.zeros(2)\nx = Net(x)\nx.to(device)",
    "x = torch.zeros(2) if y else nn.Linear(2, 2)\nx.to(device)",
    "x = 0\nx += torch.zeros(2)\nx.to(device)",
    "x, y = torch.zeros(2), Net()\ny.to(device)",
    "class Net(nn.Module):\n    def f(self):\n        super().to(device)\n        self.to(device)",
    "class Net(nn.Module):\n    def __init__(self):\n        self.a = nn.Linear(2, 2)\n    def f(self):\n        self.a.to(device)",
    "class A:\n    def f(self):\n        self.a = torch.ones(2)\n    def g(self):\n        self.a = Net()\n        self.a.to(device)",
    # What comes back is taken.
    "x = torch.zeros(2)\nx = x.to(device)",
    "x = torch.zeros(2)\ny = x.cuda()",
    "x = torch.zeros(2)\nprint(x.to(device))",
    "x = torch.zeros(2)\nx.to(device).fill_(1)",
    # Not a move.
    "x = torch.zeros(2)\nx.to(torch.float64)",
    "x = torch.zeros(2)\nx.to(dtype=torch.float64)",
    "x = torch.zeros(2)\nx.to(y)",
    "x = torch.zeros(2)\nx.float()",
    # A fresh value wakes CUDA up, and a try is there to fail.
    "torch.ones(1).cuda()",
    "torch.ones(1).to(device)",
    "def f(n):\n    x = torch.ones(1)\n    x = x.to('cuda:0')\n    for i in range(n):\n        x.to(f'cuda:{i}')",
    "x = torch.ones(1)\ntry:\n    x.cuda()\nexcept RuntimeError:\n    pass",
    "import pytest\nx = torch.ones(1)\nwith pytest.raises(RuntimeError):\n    x.cuda()",
    "import contextlib\nx = torch.ones(1)\nwith contextlib.suppress(RuntimeError):\n    x.cuda()",
    "x = 'torch.zeros(2).to(device)'",
    "import numpy as torch\nx = torch.zeros(2)\nx.to(device)",
]

# Ways to know that `x` is a tensor.
TENSORS = [
    "x = torch.zeros(2)",
    "x = torch.from_numpy(a)",
    "x = torch.tensor([1, 2])",
    "x = torch.FloatTensor([1, 2])",
    "x = torch.autograd.Variable(a)",
    "x = torch.cat([a, b])",
    "x = F.relu(a)",
    "x = a.unsqueeze(0).to(device) + torch.ones(2)",
    "x = torch.ones(2).view(1, 2).float().requires_grad_()",
    "x = -torch.ones(2)[0]",
    "x = 2 * torch.ones(2)",
    "x = torch.ones(2) if a else torch.zeros(2)",
    "x = torch.ones(2)\nx += 1",
    "x = torch.ones(2)\nx = x[0]",
    "x = a\nx = torch.ones(2)",
    "x, y = torch.zeros(2), Net()",
    "if a:\n    x = torch.ones(2)\nelse:\n    x = torch.zeros(2)",
    "y = torch.ones(2)\nx = y.new_zeros(2)",
]

FOUND = [
    (
        "def f(x: torch.Tensor):\n    x.to(device)\n    return x",
        "def f(x: torch.Tensor):\n    x = x.to(device)\n    return x",
    ),
    (
        "def f(x: 'torch.Tensor'):\n    x.to(device)\n    return x",
        "def f(x: 'torch.Tensor'):\n    x = x.to(device)\n    return x",
    ),
    (
        "from typing import Optional\ndef f(x: Optional[torch.Tensor]):\n    x = x[:, 1:]\n    x.to(device)\n    return x",
        "from typing import Optional\ndef f(x: Optional[torch.Tensor]):\n    x = x[:, 1:]\n    x = x.to(device)\n    return x",
    ),
    (
        "def f(loader):\n    for x, y in loader:\n        x.to(device)\n        print(x.unsqueeze(0))",
        "def f(loader):\n    for x, y in loader:\n        x = x.to(device)\n        print(x.unsqueeze(0))",
    ),
    (
        "def f(x, y):\n    y.to(x.device)\n    return y.masked_fill(x, 0)",
        "def f(x, y):\n    y = y.to(x.device)\n    return y.masked_fill(x, 0)",
    ),
    (
        "class A:\n    def f(self):\n        self.x = torch.ones(2)\n    def g(self):\n        self.x.cuda()",
        "class A:\n    def f(self):\n        self.x = torch.ones(2)\n    def g(self):\n        self.x = self.x.cuda()",
    ),
]

HAZARDS = [
    ("x.to(device); print(x)", "x = x.to(device); print(x)"),
    ("if a: x.to(device)\nprint(x)", "if a: x = x.to(device)\nprint(x)"),
    ("(x.to(device))  # there\nprint(x)", "x = (x.to(device))  # there\nprint(x)"),
    ("(x).to(device)\nprint(x)", "x = (x).to(device)\nprint(x)"),
    ("x.to(\n    device,  # there\n)\nprint(x)", "x = x.to(\n    device,  # there\n)\nprint(x)"),
    ("x \\\n    .to(device)\nprint(x)", "x = x \\\n    .to(device)\nprint(x)"),
    ("x.cuda(non_blocking=True)\nprint(x)", "x = x.cuda(non_blocking=True)\nprint(x)"),
    ("for i in a:\n    x.to(device=device)\n    print(x)", "for i in a:\n    x = x.to(device=device)\n    print(x)"),
]

# Whole programs, as tests/rules/test_spellings.py takes them.
PROGRAMS = [
    *((f"{HEAD}{text}\nx.to(device)\nprint(x)\n", f"{HEAD}{text}\nx = x.to(device)\nprint(x)\n") for text in TENSORS),
    *((f"{HEAD}{before}\n", f"{HEAD}{after}\n") for before, after in FOUND),
    *((f"{HEAD}x = torch.ones(2)\n{before}\n", f"{HEAD}x = torch.ones(2)\n{after}\n") for before, after in HAZARDS),
]

NO_FIX = [
    "x = [torch.ones(2)]\ny = torch.ones(2)\ny[0].to(device)",
    "x = torch.ones(2)\nx.to(device)",
    "def f(y):\n    x = y.unsqueeze(0)\n    x.to(device)",
    "x = torch.ones(2)\ndef f():\n    x.to(device)\n    return x",
    "for p in model.parameters():\n    p.to(device)",
    "class A(nn.Module):\n    def __init__(self):\n        self.x = nn.Parameter(torch.ones(2))\n    def f(self):\n        self.x.to(device)",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"{HEAD}{text}\n") == ()


@pytest.mark.parametrize(("before", "after"), PROGRAMS)
def test_found(before: str, after: str) -> None:
    check(CODE, before, after, "unsafe")


@pytest.mark.parametrize("text", NO_FIX)
def test_reported_without_a_fix(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"{HEAD}{text}\n")] == ["none"]
