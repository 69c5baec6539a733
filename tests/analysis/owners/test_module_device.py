"""The device of a module where one of its methods needs it: that of its input, or of a weight."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.analysis.owners.module_device import input_device, weight_device
from tests.support.projects import fix_files, write_files
from tests.support.questions import asked

INIT = """class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
"""
CASES = [
    (
        INIT + "    def forward(self, x: torch.Tensor):\n        ask(0)\n        return self.lin(x)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (
        INIT + "    def forward(self, x: torch.Tensor):\n        ask(0)\n        return x\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def forward(self, x: torch.Tensor = None):\n        ask(0)\n        return self.lin(x)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def forward(self, x: torch.Tensor, y: torch.Tensor):\n        ask(0)\n        return self.lin(y)\n",
        "y.device",
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x: torch.Tensor, y: torch.Tensor):\n        ask(y)\n        return self.lin(x) + self.lin(y)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x: torch.Tensor, y: torch.Tensor):\n        ask(0)\n        return self.lin(x) + self.lin(y)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x: torch.Tensor):\n        x = x.cuda()\n        ask(0)\n        return self.lin(x)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x: torch.Tensor):\n        x = x.to(torch.float16)\n        ask(0)\n        return self.lin(x)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x: torch.Tensor):\n        x = x.to(dtype=self.kind, copy=True)\n        ask(0)\n        return self.lin(x)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x: torch.Tensor):\n        x = x.cuda(non_blocking=True)\n        ask(0)\n        return self.lin(x)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x: torch.Tensor):\n        y = torch.ones(x.size(0)).cuda()\n        ask(0)\n        return self.lin(x)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x: torch.Tensor):\n        y = torch.ones(x.shape).cuda()\n        ask(0)\n        return self.lin(x)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x: torch.Tensor):\n        y = (x + 1).cuda()\n        ask(0)\n        return self.lin(x)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def forward(self, x: torch.Tensor):\n        ask(x)\n        return self.lin(x)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def forward(self, x: torch.Tensor):\n        ask(x.size(0))\n        return self.lin(x)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x: torch.Tensor):\n        ask(torch.ones(x.shape).cuda())\n        return self.lin(x)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (
        INIT + "    def forward(self, x: torch.Tensor):\n        ask((x + 1).cuda())\n        return self.lin(x)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x: torch.Tensor):\n        for x in y:\n            ask(0)\n        return self.lin(x)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x: torch.Tensor):\n        x = x + 1\n        ask(0)\n        return self.lin(x)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x: torch.Tensor):\n        def inner(x):\n            ask(0)\n        return self.lin(x)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def forward(self, x: torch.Tensor):\n        ask(0)\n        return self.lin(y=x)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (
        INIT + "    def forward(self, x: torch.Tensor):\n        ask(0)\n        return f(x)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x: torch.Tensor, *, z: torch.Tensor):\n        ask(0)\n        return self.lin(z)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def forward(this, x: torch.Tensor):\n        ask(0)\n        return this.lin(x)\n",
        "x.device",
        "this.lin.weight.device",
    ),
    (
        INIT + "    def other(self, x: list):\n        ask(0)\n        return self.lin(x)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def other(self, x: torch.Tensor):\n        ask(0)\n        return self.lin(x)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (
        INIT + "    def step(self, x, first):\n        if first:\n            x = ask(0)\n        else:\n"
        "            x = self.lin(x)\n        return x.sum()\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def step(self, x, skip):\n        mask = ask(0)\n        if skip:\n            return mask\n"
        "        return self.lin(x)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def step(self, x, skip):\n        if skip or x is None:\n            return ask(0)\n"
        "        return self.lin(x)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def step(self, x, many):\n        for one in many:\n            if x is None:\n"
        "                ask(0)\n                continue\n            one = self.lin(x)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def step(self, x, first):\n        n = x.size(0)\n        if first:\n            ask(0)\n"
        "        else:\n            return self.lin(x)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (INIT + "    @staticmethod\n    def forward(x):\n        ask(0)\n        return lin(x)\n", None, None),
    (
        INIT
        + "    def forward(self, x: torch.Tensor):\n        self.lin.cuda()\n        ask(0)\n        return self.lin(x)\n",
        None,
        None,
    ),
    (
        INIT + "    def forward(self, x: torch.Tensor):\n        self.h = ask(0)\n        return self.lin(x)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.start()\n        self.lin = nn.Linear(2, 2)\n    def start(self):\n        ask(0)\n",
        None,
        None,
    ),
    (INIT + "        ask(0)\n", None, None),
    ("class A:\n    def forward(self, x):\n        ask(0)\n        return self.lin(x)\n", None, None),
    (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.rnn = nn.LSTM(2, 2)\n    def start(self):\n        ask(0)\n",
        None,
        "self.rnn.weight_ih_l0.device",
    ),
    (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.emb = nn.Embedding(2, 2)\n    def start(self):\n        ask(0)\n",
        None,
        "self.emb.weight.device",
    ),
    (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.cell = nn.GRUCell(2, 2)\n    def start(self):\n        ask(0)\n",
        None,
        "self.cell.weight_ih.device",
    ),
    (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.act = nn.ReLU()\n    def start(self):\n        ask(0)\n",
        None,
        None,
    ),
    (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = nn.Parameter(torch.ones(2))\n    def start(self):\n        ask(0)\n",
        None,
        "self.w.device",
    ),
    (
        "class A(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n        if n:\n            self.lin = nn.Linear(2, 2)\n    def start(self):\n        ask(0)\n",
        None,
        None,
    ),
    (
        INIT
        + "    def forward(self, x):\n        if isinstance(x, tuple):\n            x = x[0]\n        ask(0)\n        return self.lin(x.view(-1))\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x, y):\n        y = y.detach().cpu().numpy()\n        self.put(y)\n        ask(0)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def forward(self, x, y):\n        y = y.detach()\n        self.put(y)\n        ask(0)\n",
        "y.device",
        "self.lin.weight.device",
    ),
    (  # what becomes a tensor further down
        INIT
        + "    def forward(self, x):\n        ask(0)\n        x = pad(x)\n        return self.lin(x) + x.size(0)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x):\n        ask(0)\n        x = x['a']\n        return self.lin(x) + x.size(0)\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT
        + "    def forward(self, x):\n        ask(0)\n        x = x.view(-1)\n        return self.lin(x) + x.size(0)\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (  # what may be None, for who asks
        INIT + "    def forward(self, x):\n        ask(0)\n        y = self.add(x)\n        if x is not None:\n"
        "            y = y + x.unsqueeze(0)\n        return y\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def forward(self, x):\n        ask(0)\n        y = self.add(x)\n"
        "        return y + x.unsqueeze(0) if x else y\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def forward(self, x, many):\n        ask(0)\n        y = self.add(1, x)\n        for one in many:\n"
        "            y = y + x.unsqueeze(0)\n        return y\n\n"
        "    def add(self, y, x):\n        return y if x is None else x\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def step(self, x, many):\n        ask(0)\n        y = self.add(1, x)\n        for one in many:\n"
        "            y = y + x.unsqueeze(0)\n        return y\n\nnet = A()\nnet.step(None, [])\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def forward(self, x, many):\n        ask(0)\n        y = self.add(1, x)\n        for one in many:\n"
        "            y = y + x.unsqueeze(0)\n        return y\n",
        "x.device",
        "self.lin.weight.device",
    ),
    (
        "class B(nn.Module):\n    def forward(self, y, x):\n        return y if x is None else x\n\n"
        + INIT
        + "        self.b = B()\n\n    def step(self, x, n):\n        ask(0)\n        y = self.b(1, x)\n"
        "        return y + x.unsqueeze(0) if n else y\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def step(self, x):\n        ask(0)\n        y = self.add(1, x)\n"
        "        return y + x.unsqueeze(0) if hasattr(x, 'data_ptr') else y\n",
        None,
        "self.lin.weight.device",
    ),
    (
        INIT + "    def step(self, x: torch.Tensor):\n        ask(0)\n        return self.lin(x) + x.dim()\n\n"
        "net = A()\nnet.step(None)\n",
        None,
        "self.lin.weight.device",
    ),
    ("class A(nn.Module):\n    def start(self):\n        ask(0)\n", None, None),
    ("def f(x):\n    ask(0)\n", None, None),
]
"""Modules, and the two devices where they ask."""


@pytest.mark.parametrize(("text", "of_input", "of_weight"), CASES)
def test_devices(text: str, of_input: str | None, of_weight: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    # What is asked about here meets nothing; whether it would is a question of its own.
    monkeypatch.setattr("devlint.analysis.owners.module_device.meets_module", lambda ctx, at: True)
    ctx, at = asked(f"import torch\nfrom torch import nn\n{text}")
    assert (input_device(ctx, at), weight_device(ctx, at)) == (of_input, of_weight)


NET = (
    "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.fc = nn.Linear(3, 2)\n\n    def stats(self):\n        return self.fc(torch.ones(3).cuda())\n"
)
OTHER = "from torch import nn\nfrom net import Net\n\n\n"
HEIR = "class Small(Net):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Identity()\n"


@pytest.mark.parametrize(
    ("lines", "is_weight"),
    [
        ("def main(net):\n    net.fc = nn.Identity()\n", False),
        ('def main(net):\n    setattr(net, "fc", nn.Identity())\n', False),
        (HEIR, False),
        (HEIR.replace("Net", "nn.Module"), True),
        ("def main(net):\n    net.fc.bias = None\n    print(net.fc)\n", True),
    ],
)
@pytest.mark.parametrize("is_here", [True, False])
def test_a_layer_that_is_replaced_has_no_weight(tmp_path: Path, lines: str, is_weight: bool, is_here: bool) -> None:
    files = {"setup.py": "", "net.py": f"{NET}\n\n{lines}" if is_here else NET}
    files |= {} if is_here else {"other.py": f"{OTHER}{lines}"}
    after = fix_files(write_files(tmp_path / "p", files), unsafe=False)["net.py"]
    assert (".to(self.fc.weight.device)" in after or "device=self.fc.weight.device" in after) is is_weight


MASK = """class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = None
        self.lin = nn.Linear(2, 2)

    def _masked(self, n):
        {made}

    def forward(self, x):
        if self.mask is None or len(self.mask) != len(x):
            self.mask = {call}.cuda()
        x = self.lin(x)
        return x + self.mask
"""
SIZED = "self._masked(len(x))"


@pytest.mark.parametrize(
    ("made", "call", "is_input"),
    [
        ("return torch.triu(torch.ones(n, n)) == 1", SIZED, True),
        ("m = torch.triu(torch.ones(n, n)) == 1\n        return m.float().masked_fill(m == 0, -1.0)", SIZED, True),
        ("return torch.ones(n, n)", "self._masked(x.size(0))", True),
        ("return torch.ones(n, n)", "self._masked(x.shape[0])", True),
        # What the method gives is no tensor for certain, is made of the module's own, or of what it is given.
        ("return nn.Linear(n, n)", SIZED, False),
        ("return make(n) == 1", SIZED, False),
        ("return self.lin(torch.ones(n, 2))", SIZED, False),
        ("return torch.ones(2) + n", "self._masked(self.lin(x))", False),
        ("return torch.ones(2) + n", "self._masked(x)", False),
        ("return torch.ones(2) is n", SIZED, False),
    ],
)
def test_a_mask_that_a_method_makes_of_a_size_goes_to_the_input(
    tmp_path: Path, made: str, call: str, is_input: bool
) -> None:
    text = f"import torch\nfrom torch import nn\n\n\n{MASK.format(made=made, call=call)}"
    write_files(tmp_path, {"a.py": text})
    assert (f"{call}.to(x.device)" in fix_files(tmp_path)["a.py"]) is is_input
