from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, found, places

CODE = "DEV602"
HEAD = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
first = torch.device("cuda:0")
cpu = torch.device("cpu")
x = torch.ones(4).to(device)
"""

SILENT = [
    'x.device.type == "cuda"',
    'x.device == torch.device("cpu")',
    'x.device == torch.device("meta")',
    'x.device == torch.device("cuda:0")',
    'x.device == torch.device("cuda", 0)',
    "x.device == torch.device(0)",
    "x.device == torch.device(name)",
    "x.device == torch.device(*name)",
    "x.device == first",
    "x.device == cpu",
    "x.device == y.device",
    "x.device == x.device",
    'device == torch.device("cuda")',
    'y.device == torch.device("cuda")',
    'args.device == torch.device("cuda")',
    'x.device is torch.device("cuda")',
    'x.device == device == torch.device("cuda")',
    "if x.device != device:\n    x = x.to(device)",
    "if x.device != device: x = x.to(device)",
    "if x.device != device:\n    x = x.to(device)\n    y = x.to(device)",
    "def f(device):\n    return x.device == device",
    "def f(device=torch.device('cuda')):\n    return x.device == device",
]
FIXED = [
    ('x.device == torch.device("cuda")', 'x.device.type == "cuda"'),
    ('x.device != torch.device("mps")', 'x.device.type != "mps"'),
    ('torch.device("cuda") == x.device', '"cuda" == x.device.type'),
    ('(x.device) == (torch.device("cuda"))', '(x.device).type == "cuda"'),
    ("x.device == device", "x.device.type == device.type"),
    ("x.device == (device)", "x.device.type == (device).type"),
    ("(x.device  # why\n == device)", "(x.device.type  # why\n == device.type)"),
    ("assert x.device == device, x.device", "assert x.device.type == device.type, x.device"),
    ("if x.device != device:\n    raise ValueError", "if x.device.type != device.type:\n    raise ValueError"),
    ("if x.device != device:\n    print(x.to(device))", "if x.device.type != device.type:\n    print(x.to(device))"),
    ("if x.device != device:\n    x = x.to(device)\nelse:\n    y = 1", "if x.device.type != device.type:\n    x = x.to(device)\nelse:\n    y = 1"),
    ("y = f'{x.device == torch.device(\"cuda\")}'", "y = f'{x.device.type == \"cuda\"}'"),
    ("y = [z for z in w if x.device == device]", "y = [z for z in w if x.device.type == device.type]"),
    ("def f(y: torch.Tensor):\n    return y.device == torch.device('cuda')", "def f(y: torch.Tensor):\n    return y.device.type == 'cuda'"),
    ("d = x.device\ny = d == device", "d = x.device\ny = d.type == device.type"),
    ("y = net.weight.device == device", "y = net.weight.device.type == device.type"),
    ("y = next(net.parameters()).device == device", "y = next(net.parameters()).device.type == device.type"),
    ("name = 'cuda'\nother = torch.device(name)\ny = x.device == other", "name = 'cuda'\nother = torch.device(name)\ny = x.device.type == other.type"),
]  # fmt: skip
NO_FIX = ['x.device == torch.device(  # the GPU\n    "cuda")']
PROGRAMS = [f"{HEAD}{text}\n" for text in [*NO_FIX, *(before for before, _ in FIXED)]]
"""For the disguises of tests/rules/test_hazards.py."""


@pytest.mark.parametrize("text", SILENT)
def test_nothing_found(text: str) -> None:
    assert not found(CODE, f"{HEAD}{text}\n")


@pytest.mark.parametrize(("before", "after"), FIXED)
def test_fixed(before: str, after: str) -> None:
    for target in (Target(), Target("accelerator", torch_min_version=(2, 6)), Target("project", device="get()")):
        check(CODE, f"{HEAD}{before}\n", f"{HEAD}{after}\n", "unsafe", target=target)


@pytest.mark.parametrize("text", NO_FIX)
def test_no_fix(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"{HEAD}{text}\n")] == ["none"]


def test_torch_under_another_name() -> None:
    text = "import torch as th\n\ndef f(y: th.Tensor):\n    return y.device == th.device('cuda')\n"
    assert places(CODE, text) == [(4, "unsafe")]
