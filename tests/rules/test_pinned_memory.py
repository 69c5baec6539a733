from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, found, places

CODE = "DEV503"
TEST = "torch.cuda.is_available()"

SILENT = [
    "loader = DataLoader(data, pin_memory=True)",
    "loader = torch.utils.data.DataLoader(data, pin_memory=True)",
    "kwargs = {'pin_memory': True}",
    "x = torch.zeros(3, pin_memory=False)",
    "x = torch.zeros(3, pin_memory=pin)",
    "x = torch.zeros(3, pin_memory=torch.cuda.is_available())",
    "x = f(3, pin_memory=True)",
    "x = np.zeros(3, pin_memory=True)",
    "if torch.cuda.is_available():\n    x = x.pin_memory()",
    "x = x.pin_memory() if use_cuda else x",
    "x = x.pin_memory() if args.pin_memory else x",
    "if self.usePinnedMemory:\n    x = x.pin_memory()",
    "if opt['PIN']:\n    x = x.pin_memory()",
    "if self.use_pinned:\n    x = torch.zeros(3, pin_memory=True)",
    "try:\n    x = x.pin_memory()\nexcept RuntimeError:\n    pass",
    "ema.pin_memory()",
    "class Batch:\n    def pin_memory(self):\n        self.x = self.x.pin_memory()\n        return self",
    "def pinned(x):\n    return x.pin_memory()",
    "y = super().pin_memory()",
    "y = self.pin_memory()",
    "y = x.pin_memory",
    "y = x.is_pinned()",
    "def to_cuda(x):\n    return x.pin_memory().cuda()",
    "class Batch:\n    def pin_memory(self):\n        return Batch(self.x.pin_memory())",
    "@implements(torch.Tensor.pin_memory)\ndef pinned(func, args):\n    return args[0].data.pin_memory()",
    "@implements([aten._pin_memory.default])\ndef of_op(func, args):\n    return args[0].data.pin_memory()",
    "def f(func, args):\n    if func is torch.Tensor.pin_memory:\n        return args[0].data.pin_memory()",
    "y = torch.utils.data._utils.pin_memory.pin_memory(x)",
    "import jax\ny = jax.pin_memory(x)",
    "y = get_accelerator().pin_memory(torch.empty_like(x))",
    "y = accelerator.pin_memory(x)",
    "y = pool.pin_memory(x, 3)",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


def test_not_torch() -> None:
    assert found(CODE, "y = x.pin_memory()\n") == ()


FIXED = [
    ("x = torch.zeros(3, pin_memory=True)", f"x = torch.zeros(3, pin_memory={TEST})"),
    (
        "x = torch.empty_like(y, device='cpu', pin_memory=True)",
        f"x = torch.empty_like(y, device='cpu', pin_memory={TEST})",
    ),
    (
        "x = torch.tensor(\n    [1],  # one\n    pin_memory=True,\n)",
        f"x = torch.tensor(\n    [1],  # one\n    pin_memory={TEST},\n)",
    ),
    ("x = x.pin_memory()", f"x = x.pin_memory() if {TEST} else x"),
    ("x.data = x.data.pin_memory()", f"x.data = x.data.pin_memory() if {TEST} else x.data"),
    ("d[k] = d[k].pin_memory()", f"d[k] = d[k].pin_memory() if {TEST} else d[k]"),
    (
        "y = x.pin_memory().to(device, non_blocking=True)",
        f"y = (x.pin_memory() if {TEST} else x).to(device, non_blocking=True)",
    ),
    ("f(x.pin_memory(), 1)", f"f(x.pin_memory() if {TEST} else x, 1)"),
    ("y = [t.pin_memory() for t in ts]", f"y = [(t.pin_memory() if {TEST} else t) for t in ts]"),
    ("y = torch.zeros(3).pin_memory()", f"y = torch.zeros(3, pin_memory={TEST})"),
    ("y = torch.zeros(3, dtype=t,).pin_memory()", f"y = torch.zeros(3, dtype=t, pin_memory={TEST},)"),
    ("y = a + x.pin_memory()", f"y = a + (x.pin_memory() if {TEST} else x)"),
    ("y = x.pin_memory(device)", f"y = x.pin_memory(device) if {TEST} else x"),
    ("def mapping(x):\n    return x.pin_memory()", f"def mapping(x):\n    return x.pin_memory() if {TEST} else x"),
    ("if clipping:\n    x = x.pin_memory()", f"if clipping:\n    x = x.pin_memory() if {TEST} else x"),
    (
        "if not x.is_pinned():\n    x = x.pin_memory()",
        f"if not x.is_pinned():\n    x = x.pin_memory() if {TEST} else x",
    ),
    ("f = lambda x: x.pin_memory()", f"f = lambda x: (x.pin_memory() if {TEST} else x)"),
]


@pytest.mark.parametrize(("before", "after"), FIXED)
def test_fixed(before: str, after: str) -> None:
    check(CODE, f"import torch\n{before}\n", f"import torch\n{after}\n", "unsafe")


REPORTED = [
    "y = f(x).pin_memory()",
    "y = torch.from_numpy(a).pin_memory()",
    "y = torch.zeros(3).half().pin_memory()",
    "y = torch.zeros(*sizes).pin_memory()",
    "y = torch.zeros(3, **options).pin_memory()",
    "y = (a\n    .b.pin_memory())",
    "y = d[i + 1].pin_memory()",
]


@pytest.mark.parametrize("text", REPORTED)
def test_no_fix(text: str) -> None:
    text = text.replace("(a\n    .b.pin", "(a.\n  b.pin")
    assert [kind for _, kind in places(CODE, f"import torch\n{text}\n")] == ["none"]


def test_accelerator() -> None:
    check(
        CODE,
        "import torch as th\nx = th.zeros(3, pin_memory=True)\ny = x.pin_memory()\n",
        "import torch as th\nx = th.zeros(3, pin_memory=th.accelerator.is_available())\n"
        "y = x.pin_memory() if th.accelerator.is_available() else x\n",
        "unsafe",
        "unsafe",
        target=Target("accelerator", torch_min_version=(2, 6)),
    )


def test_project() -> None:
    target = Target("project", "get_device()", "from lib import get_device")
    check(
        CODE,
        "import torch\ny = x.pin_memory()\n",
        f"import torch\ny = x.pin_memory() if {TEST} else x\n",
        target=target,
    )


def test_other_names_of_torch() -> None:
    check(
        CODE,
        "from torch import zeros\nx = zeros(3, pin_memory=True)\n",
        f"import torch\nfrom torch import zeros\nx = zeros(3, pin_memory={TEST})\n",
        "unsafe",
    )
