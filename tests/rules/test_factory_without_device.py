from __future__ import annotations

import pytest

from tests.support.rule_cases import check, found, function, places

CODE = "DEV402"
HEAD = "import numpy as np\nimport torch\n\ndef f(x, n, device):\n"

SILENT = [
    "y = x.to(device)\nreturn y * 2",
    "y = x.to(device)\nz = torch.ones(n)\nreturn z",
    "z = torch.ones(n)\nreturn x * z",
    "y = x.to(device)\nz = torch.ones(n, device=device)\nreturn y * z",
    "y = x.to(device)\nz = torch.ones(n).to(device)\nreturn y * z",
    "y = x.to(device)\nz = torch.ones(n)\nz = z.to(device)\nreturn y * z",
    "y = x.to(device)\nreturn y * torch.ones(n).to(y)",
    "y = x.to(device)\nreturn y * torch.tensor(1.0)",
    "y = x.to(device)\nreturn y * torch.ones_like(y)",
    "y = x.to(device)\nreturn y[torch.arange(n)]",
    "y = x.to(device)\nreturn y.cpu() * torch.ones(n)",
    "y = x.to('cpu')\nreturn y * torch.ones(n)",
    "y = x.to(device)\ny = y.cpu()\nreturn y * torch.ones(n)",
    "y = x.to(torch.float64)\nreturn y * torch.ones(n)",
    "y = x.to(device)\nreturn torch.ones(n).numpy() * y",
    "y = x.to(device)\nwith torch.device(device):\n    return y * torch.ones(n)",
    "y = x.to(device)\ny.index_put_((torch.arange(n), x), x)",
    "z = torch.arange(n).float() / n\ny = torch.ones(n, device=z.device)\nreturn y * z",
    "y = x.to(device)\ny, _ = torch.broadcast_tensors(y, torch.empty(n))\nreturn y",
    "y = x.to(device)\nreturn torch.result_type(y, torch.ones(n))",
    "y = x.to(device)\nreturn torch.ones(n).reshape_as(y)",
    "y = x.to(device)\nif n:\n    y = x\nreturn y * torch.ones(n)",
    "z = x.scale\nreturn z * torch.ones(n)",
    "z = measure(x.to(device))\nreturn z * torch.ones(n)",
    "y = x.image.unsqueeze(0).cpu()\nreturn y * torch.ones(n)",
    "y = blur(x.to(device), torch.ones(n))\nreturn y @ torch.ones(n, n)",
    "y = x.image\nreturn y.numel() * torch.ones(n)",
    "y = x.image\ny = y.unsqueeze(0)\nreturn y * torch.ones(n)",
    "z = torch.ones(n)\ny = x.to(torch.device('cuda:0'))\nreturn y * z",
    "y = x.to(device)\nreturn y * torch.tensor(2 * np.log(n))",
    "y = x.to(device)\nkept = Kept(y)\nkept.log('rate', torch.tensor([n, n]), every=True)",
    "y = x.to(device)\na, b = torch.tensor([n + 1, 2.0])\nreturn y * a",
    "y = x.to(device)\nif torch.jit.is_tracing():\n    y = y * torch.ones(n)\nreturn y",
    "y = torch.zeros(n, device=device)\nreturn y[torch.zeros(n, device=device), torch.ones(n)]",
]

UNSAFE = [
    (
        "y = torch.zeros(n, device=device)\nreturn [y, torch.ones(n)]",
        "y = torch.zeros(n, device=device)\nreturn [y, torch.ones(n, device=device)]",
    ),
    ("y = x.to(device)\nreturn y * torch.ones(n)", "y = x.to(device)\nreturn y * torch.ones(n, device=device)"),
    (
        "y = x.to(device)\nz = torch.arange(n).float()\nreturn torch.cat([y, z])",
        "y = x.to(device)\nz = torch.arange(n, device=device).float()\nreturn torch.cat([y, z])",
    ),
    (
        "y = torch.zeros(n, device=x.device)\nreturn y + 2 * torch.ones(n)",
        "y = torch.zeros(n, device=x.device)\nreturn y + 2 * torch.ones(n, device=x.device)",
    ),
    (
        "y = x.to(device).float()\nz = torch.eye(n)\nreturn y.matmul(z)",
        "y = x.to(device).float()\nz = torch.eye(n, device=device)\nreturn y.matmul(z)",
    ),
    (
        "y = blur(x.to(device))\nreturn y @ torch.ones(n, n)",
        "y = blur(x.to(device))\nreturn y @ torch.ones(n, n, device=device)",
    ),
    (
        "y = blur(x.to(device))\nreturn torch.linalg.solve(y, torch.eye(n))",
        "y = blur(x.to(device))\nreturn torch.linalg.solve(y, torch.eye(n, device=device))",
    ),
]


MODULE = """\
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(8, 4)
        self.rnn = nn.LSTM(4, 3)

    def forward(self, x):
        {}
"""
IN_MODULES = [
    (
        "return x + self.emb(torch.arange(x.size(1)))",
        "return x + self.emb(torch.arange(x.size(1), device=x.device))",
    ),
    (
        "h = torch.zeros(1, 2, 3)\n        return self.rnn(x, (h, h))",
        "h = torch.zeros(1, 2, 3, device=x.device)\n        return self.rnn(x, (h, h))",
    ),
    (
        "return x * torch.from_numpy(x.cpu().numpy())",
        "return x * torch.from_numpy(x.cpu().numpy()).to(x.device)",
    ),
    (
        "where = x.device\n        y = x + torch.ones(4, device=where)\n        return y + torch.ones(4)",
        "where = x.device\n        y = x + torch.ones(4, device=where)\n        return y + torch.ones(4, device=where)",
    ),
]

RESULTS = """\
import torch

def f(x, n):
    if n:
        return x, x * 2, torch.ones(4)
    return x, torch.ones(4)

def g(x, n, device):
    x = x.to(device)
    {}
"""

PROGRAMS = [function(HEAD, before) for before, _ in UNSAFE]
"""For tests/rules/test_hazards.py."""


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, function(HEAD, text)) == ()


@pytest.mark.parametrize(("before", "after"), UNSAFE)
def test_unsafe(before: str, after: str) -> None:
    check(CODE, function(HEAD, before), function(HEAD, after), "unsafe")


@pytest.mark.parametrize(("before", "after"), IN_MODULES)
def test_in_a_module(before: str, after: str) -> None:
    check(CODE, MODULE.format(before), MODULE.format(after), "unsafe")


def test_what_it_says() -> None:
    (finding,) = found(CODE, MODULE.format("pos = torch.arange(4)\n        return x + pos"))
    said = "`torch.arange(...)` is made on the CPU and meets a tensor on the device of `x` (`+` on line 13)"
    assert finding.message == said
    assert (finding.location.row, finding.location.column) == (12, 15)


def test_no_device_is_asked_of_what_may_be_none() -> None:
    text = (
        "def f(x, ids=None):\n    device = x.device if ids is None else ids.device\n"
        "    return torch.arange(4) + torch.ones(4, device=device)\n"
    )
    assert places(CODE, "import torch\n" + text) == [(4, "unsafe")]


@pytest.mark.parametrize(
    ("value", "count"),
    [('torch.device("cuda")', 1), ("torch.device(name)", 1), ('torch.device("cpu")', 0), ("name", 0)],
)
def test_device_of_the_module(value: str, count: int) -> None:
    text = f"import torch\n\ndevice = {value}\n\ndef f(x, n):\n    y = torch.ones(n, device=device)\n    return y * torch.ones(n)\n"
    assert len(found(CODE, text)) == count


def test_what_other_functions_make() -> None:
    text = (
        "import torch\n\n\ndef steps(n):\n    return torch.arange(n)\n\n\n"
        "def scores(x, device):\n    x = x.to(device)\n    return x * steps(4)\n"
    )
    (finding,) = found(CODE, text)
    assert finding.message == "`torch.arange(...)` is made on the CPU and meets a tensor on `device` (`*` on line 10)"
    assert places(CODE, text) == [(5, "none")]


TIMES = """import torch

def times(p, q):
    a, b = p
    c, d = {unpacked}
    return torch.tensor([a * c - b * d, {last}])

def f(x, y, device):
    x, y = x.to(device), y.to(device)
    return times(y, times(x, y))
"""


@pytest.mark.parametrize(("unpacked", "last"), [("q", "a * d"), ("q[:2]", "a * d")])
def test_elements_that_a_function_unpacks(unpacked: str, last: str) -> None:
    assert found(CODE, TIMES.format(unpacked=unpacked, last=last)) == ()


COUNTS = """import torch

def count(y, device):
    y = y.to(device)
    counts = torch.zeros(10)
    classes, numbers = y.unique(return_counts=True)
    {stored}
    return counts
"""


@pytest.mark.parametrize(
    ("stored", "is_found"),
    [
        ("for one, number in zip(classes, numbers):\n        counts[one] = number", False),
        ("for one in classes:\n        counts[one] = numbers", False),
        ("for number in numbers:\n        counts[classes] = number", True),
        ("counts[classes] = numbers", True),
    ],
)
def test_an_element_that_a_number_on_a_device_sets(stored: str, is_found: bool) -> None:
    assert bool(found(CODE, COUNTS.format(stored=stored))) is is_found


def test_tabs_between_words() -> None:
    text = "import\ttorch\n\n\ndef\tf(x,\tdevice):\n\ty = x.to(device)\n\treturn y * torch.ones\t(4)\n"
    assert len(found(CODE, text)) == 1  # conftest.py asks the prefilter, too


@pytest.mark.parametrize(
    ("taken", "finds"),
    [
        ("one, two, flow = f(x, n)\n    return x + two", False),
        ("one, two, flow = f(x, n)\n    return x + flow", True),
        ("one, flow = f(x, n)\n    return x + one", False),
        ("one, flow = f(x, n)\n    return x + flow", True),
        ("result = f(x, n)\n    return x + result[0]", False),
        ("one, two = f(x, 1)[:2]\n    return x + one", False),
        ("def h():\n        return f(x, n)\n    one, two, flow = h()\n    return x + two", False),
    ],
)
def test_results_of_several_lengths(taken: str, finds: bool) -> None:
    """Only those of as many elements as there are names can be given to them."""
    assert bool(found(CODE, RESULTS.format(taken))) is finds
