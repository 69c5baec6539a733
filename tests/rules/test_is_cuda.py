from __future__ import annotations

import pytest

from devlint.core.target import Target
from devlint.rules.guarded_cuda_move import GuardedCudaMove
from devlint.rules.hard_coded_index import HardCodedIndex
from devlint.rules.is_cuda import IsCuda
from devlint.sources.source import Source
from tests.support import engine
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV603"
HEAD = "import torch\n\n"
TARGETS = (Target(), Target("accelerator", torch_min_version=(2, 6)), Target("project", device="get()"))

SILENT = [
    "if x.is_cuda: print(x)",
    "assert x.is_cuda",
    "if x.is_cuda:\n    y = y.cuda(self.device)",
    "y = x.is_cuda",
    "if x.is_cuda and z:\n    y = y.cuda()",
    "if not x.is_cuda:\n    x = x.cuda()",
    "T = torch.cuda.FloatTensor if x.is_cuda else torch.FloatTensor",
    "y = f() if x.is_cuda else g()",
    'y = "gpu" if x.is_cuda else "cpu"',
    'print("cuda" if x.is_cuda else "cpu")',
    'name = "cuda" if x.is_cuda else "cpu"\nprint(name)',
    'd = "cuda" if x.is_cuda else "cpu"\ny = y.to(d)\nprint(d)',
    'y = y.to("cuda" if x.is_cuda else "mps")',
    'y = y.to("cuda:1" if x.is_cuda else "cpu")',
    "if x.is_cuda:\n    def f(y):\n        x = y.cuda()",
    "if x.is_cuda:\n    f = lambda x: x.cuda()",
    "class A:\n    def f(self, y):\n        if self.is_cuda:\n            y = y.cuda()",
    'class A:\n    def f(self, y):\n        return y.to("cuda" if self.is_cuda else "cpu")',
    'def f(args, y):\n    return y.to("cuda" if args.is_cuda else "cpu")',
    'def f(net, y):\n    net.is_cuda = True\n    return y.to("cuda" if net.is_cuda else "cpu")',
    "from project import device\nif device.is_cuda:\n    y = y.cuda()",
    "def f(x, y):\n    return y.to(x.get_device())",
    "def f(x: torch.Tensor):\n    print(x.get_device())",
    "def f(x: torch.Tensor):\n    return x.get_device() == 0",
    "def f(x: torch.Tensor):\n    i = x.get_device()\n    return i",
    "def f(x: torch.Tensor):\n    with torch.cuda.device(x.get_device()): pass",
    "class A:\n    def f(self, y):\n        print(self.size)\n        return y.to(self.get_device())",
    "def f(x, y):\n    return y.to(x.get_device(0), x.shape)",
]
MOVES = [
    ("if x.is_cuda:\n    y = y.cuda()", "y = y.to(x.device)"),
    ("if x.is_cuda: y = y.cuda()", "y = y.to(x.device)"),
    ("if (x.is_cuda):\n    y = y.cuda()\n    z = z.cuda()", "y = y.to(x.device)\nz = z.to(x.device)"),
    ("z = y.cuda() if x.is_cuda else y", "z = y.to(x.device)"),
    ("z = y.cuda() if x.data.is_cuda else y", "z = y.to(x.data.device)"),
    ("z = y if not x.is_cuda else y.cuda()", "z = y.to(x.device)"),
    ("if x.is_cuda:\n    y = y.cuda()\n    print(y)", "y = y.to(x.device)\nif x.is_cuda:\n    print(y)"),
    ('if x.is_cuda:\n    y = y.to("cuda")', "y = y.to(x.device)"),
    ("if next(net.parameters()).is_cuda:\n    y = y.cuda()", "y = y.to(next(net.parameters()).device)"),
    ("if target.is_cuda:\n    y = y.cuda()", "y = y.to(target.device)"),
    ("if x[0].is_cuda:\n    y = y.cuda(non_blocking=True)", "y = y.to(x[0].device, non_blocking=True)"),
    (
        "def f(x):\n    if not x.is_cuda:\n        return\n    y = y.cuda()",
        "def f(x):\n    if not x.is_cuda:\n        return\n    y = y.to(x.device)",
    ),
]
CHOICES = [
    ('y = y.to("cuda" if x.is_cuda else "cpu")', "y = y.to(x.device)"),
    ('y = y.to("cpu" if not x.is_cuda else "cuda")', "y = y.to(x.device)"),
    ('y = torch.ones(2, device=("cuda" if x.is_cuda else "cpu"))', "y = torch.ones(2, device=x.device)"),
    ('y = torch.ones(2, device=torch.device("cuda" if x.is_cuda else "cpu"))', "y = torch.ones(2, device=x.device)"),
    ('d = torch.device("cuda" if x.is_cuda else "cpu")', "d = x.device"),
    ('d = torch.device("cuda") if x.is_cuda else torch.device("cpu")', "d = x.device"),
    ('d = "cuda" if x.is_cuda else "cpu"\ny = y.to(d)', "d = x.device\ny = y.to(d)"),
    ('d = "cuda" if x.is_cuda else "cpu"\nd = torch.device(d)', "d = x.device\nd = torch.device(d)"),
    ('d = x.get_device() if x.is_cuda else "cpu"\ny = y.to(d)', "d = x.device\ny = y.to(d)"),
    ('d = torch.device("cuda", x.get_device()) if x.is_cuda else torch.device("cpu")', "d = x.device"),
    ('if x.is_cuda:\n    d = "cuda"\nelse:\n    d = "cpu"\ny = y.to(d)', "d = x.device\ny = y.to(d)"),
    ('if x.is_cuda: d = "cuda"\nelse: d = "cpu"\ny = y.to(d)', "d = x.device\ny = y.to(d)"),
    (
        'class A:\n    def f(self, x):\n        if x.is_cuda:\n            self.d = torch.device("cuda:%d" % x.get_device())\n        else:\n            self.d = torch.device("cpu")',
        "class A:\n    def f(self, x):\n        self.d = x.device",
    ),
    ("f = lambda x, y: y.to('cuda' if x.is_cuda else 'cpu')", "f = lambda x, y: y.to(x.device)"),
]  # fmt: skip
NUMBERS = [
    ("def f(x: torch.Tensor, y):\n    return y.to(x.get_device())", "def f(x: torch.Tensor, y):\n    return y.to(x.device)"),
    ("def f(x, y):\n    return y.to(x.get_device()) + x.shape[0]", "def f(x, y):\n    return y.to(x.device) + x.shape[0]"),
    ("x = torch.ones(3)\ny = torch.ones(3, device=(x.get_device()))", "x = torch.ones(3)\ny = torch.ones(3, device=x.device)"),
    ("x = torch.ones(3)\nd = x.get_device()\ny = y.to(d, torch.int)", "x = torch.ones(3)\nd = x.device\ny = y.to(d, torch.int)"),
    ("x = torch.ones(3)\ny = [z.to(x[0].get_device()) for z in y]", "x = torch.ones(3)\ny = [z.to(x[0].device) for z in y]"),
]  # fmt: skip
NO_FIX = [
    'y = y.to("cuda"  # the GPU\n    if x.is_cuda else "cpu")',
    'if x.is_cuda:\n    d = "cuda"\nelse:\n    # slow\n    d = "cpu"\ny = y.to(d)',
]
PROGRAMS = [f"{HEAD}{text}\n" for text in [*NO_FIX, *(one[0] for one in [*MOVES, *CHOICES, *NUMBERS])]]
"""For the disguises of tests/rules/test_hazards.py."""


@pytest.mark.parametrize("text", SILENT)
def test_nothing_found(text: str) -> None:
    assert not found(CODE, f"{HEAD}{text}\n")


@pytest.mark.parametrize(("before", "after"), [*MOVES, *CHOICES])
def test_unsafe(before: str, after: str) -> None:
    for target in TARGETS:
        assert {kind for _, kind in places(CODE, f"{HEAD}{before}\n", target)} == {"unsafe"}
        assert fixed(CODE, f"{HEAD}{before}\n", target=target) == f"{HEAD}{after}\n"


@pytest.mark.parametrize(("before", "after"), NUMBERS)
def test_safe(before: str, after: str) -> None:
    for target in TARGETS:
        check(CODE, f"{HEAD}{before}\n", f"{HEAD}{after}\n", "safe", target=target)


@pytest.mark.parametrize("text", NO_FIX)
def test_no_fix(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"{HEAD}{text}\n")] == ["none"]


@pytest.mark.parametrize("text", [one[0] for one in [*MOVES, *CHOICES, *NUMBERS]])
def test_one_construct_is_one_finding(text: str) -> None:
    rules = [GuardedCudaMove, HardCodedIndex, IsCuda]
    result = engine.lint(Source.from_text("case.py", f"{HEAD}{text}\n"), rules, Target())
    codes = [one.code for one in result.diagnostics]
    assert len(codes) == len({one.location.row for one in result.diagnostics})
    assert set(codes) == {CODE}


def test_the_caveat_says_what_changes() -> None:
    (one,) = found(CODE, f"{HEAD}if x.is_cuda:\n    y = y.cuda()\n")
    assert one.fix is not None
    assert one.fix.message == (
        "Move to the device without a test (with several GPUs it may be another one, and what is on a GPU already "
        "follows `x` to the CPU)"
    )
