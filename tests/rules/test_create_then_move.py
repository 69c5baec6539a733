from __future__ import annotations

import pytest

from devlint.core.target import Target
from devlint.rules.base import Rule
from devlint.rules.generate import all_rules
from tests.support.engine import fix
from tests.support.rule_cases import CUDA, check, fixed, found, places, source

CODE = "DEV401"
HEAD = 'import torch\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'

SILENT = [
    "y = torch.zeros(3)",
    "y = torch.zeros(3, device=device)",
    "y = torch.zeros(3, device='cpu').to(device)",
    "y = torch.zeros(3).to(torch.float64)",
    "y = torch.zeros(3).to(dtype=torch.float64)",
    "y = torch.zeros(3).to(other)",
    "y = torch.zeros(3).to(x)",
    "y = torch.zeros(3).to(*where)",
    "y = torch.zeros(3).to(**where)",
    "y = torch.zeros(3).to(device, *more)",
    "y = torch.zeros(3).to(device, torch.half, True)",
    "y = torch.zeros(3).to()",
    "y = torch.zeros(3, **options).to(device)",
    "y = torch.zeros(3, out=x).to(device)",
    "y = torch.ones(3, pin_memory=True).to(device, non_blocking=True)",
    "y = torch.zeros(3, layout=torch.sparse_coo).to(device)",
    "y = torch.randn(3, generator=g).to(device)",
    "y = torch.normal(mean, std).to(device)",
    "y = torch.normal(mean, std=std).to(device)",
    "y = torch.zeros(3).float().to(device)",
    "y = torch.zeros(3)[0].to(device)",
    "y = (torch.zeros(3) + x).to(device)",
    "y = torch.zeros(3).cuda()",
    "y = torch.zeros(3).cuda(device)",
    "y = torch.zeros(3).to('cuda')",
    "y = torch.zeros(3).to('cpu')",
    "y = torch.zeros(3).to(f'cuda:{i}')",
    "y = torch.zeros(3).to(torch.device('cuda'))",
    "y = torch.zeros(3).to(torch.device('cuda:%d' % i))",
    "y = torch.FloatTensor(3).to(device)",
    "y = torch.Tensor(3).to(device)",
    "y = torch.from_numpy(a).to(device)",
    "y = torch.stack(a).to(device)",
    "y = torch.bernoulli(p).to(device)",
    "y = torch.nn.Parameter(torch.zeros(3)).to(device)",
    "y = torch.tensor(rows).to(device, torch.float32)",
    "y = torch.as_tensor(rows).to(device=device, dtype=torch.float32)",
    "y = torch.tensor([1, 2]).to(device, non_blocking=True)",
    "y = torch.tensor(rows).to(non_blocking=fast, device=device)",
    "y = torch.as_tensor(rows).to(device=device, non_blocking=True)",
    "y = zeros(3).to(device)",
    "import numpy as np\ny = np.zeros(3).to(device)",
    "import jax.numpy as torch\ny = torch.zeros(3).to(device)",
    "def f(torch):\n    return torch.zeros(3).to(device)",
    "y = 'torch.zeros(3).to(device)'",
]

SAFE = [
    ("y = torch.zeros(2, 3).to(device)", "y = torch.zeros(2, 3, device=device)"),
    ("y = torch.zeros(*size).to(device)", "y = torch.zeros(*size, device=device)"),
    ("y = torch.ones(n, dtype=torch.long).to(device)", "y = torch.ones(n, dtype=torch.long, device=device)"),
    ("y = torch.empty((2, n)).to(device)", "y = torch.empty((2, n), device=device)"),
    ("y = torch.full((2,), 3).to(device)", "y = torch.full((2,), 3, device=device)"),
    ("y = torch.eye(3).to(device)", "y = torch.eye(3, device=device)"),
    ("y = torch.tensor([1, 2]).to(device)", "y = torch.tensor([1, 2], device=device)"),
    ("y = torch.as_tensor(rows).to(device)", "y = torch.as_tensor(rows, device=device)"),
    ("y = torch.tensor([1]).to(device, non_blocking=False)", "y = torch.tensor([1], device=device)"),
    ("y = torch.arange(n).to(device)", "y = torch.arange(n, device=device)"),
    ("y = torch.arange(0, 9, 2).to(device)", "y = torch.arange(0, 9, 2, device=device)"),
    (
        "y = torch.arange(len(x), end=-1, step=-1).to(device)",
        "y = torch.arange(len(x), end=-1, step=-1, device=device)",
    ),
    ("y = torch.tril_indices(3, 3).to(device)", "y = torch.tril_indices(3, 3, device=device)"),
    ("y = torch.zeros_like(x).to(device)", "y = torch.zeros_like(x, device=device)"),
    ("y = torch.zeros(3).to(x.device)", "y = torch.zeros(3, device=x.device)"),
    ("y = torch.zeros(3).to(args.device)", "y = torch.zeros(3, device=args.device)"),
    ("y = torch.zeros(3).to(device=device)", "y = torch.zeros(3, device=device)"),
    ("y = torch.zeros(3).to(device, non_blocking=True)", "y = torch.zeros(3, device=device)"),
    ("y = torch.zeros(3).to(device, copy=True)", "y = torch.zeros(3, device=device)"),
    ("y = torch.zeros(3).to(device).float()", "y = torch.zeros(3, device=device).float()"),
    ("y = torch.zeros(3, requires_grad=False).to(device)", "y = torch.zeros(3, requires_grad=False, device=device)"),
    ("y = torch.zeros(3).to(device, torch.half)", "y = torch.zeros(3, device=device, dtype=torch.half)"),
    ("y = torch.eye(3).to(device=device, dtype=torch.half)", "y = torch.eye(3, device=device, dtype=torch.half)"),
    ("y = torch.eye(3).to(dtype=x.dtype, device=device)", "y = torch.eye(3, device=device, dtype=x.dtype)"),
    (
        "y = torch.ones(3, dtype=torch.int).to(device, torch.half)",
        "y = torch.ones(3, dtype=torch.int, device=device).to(torch.half)",
    ),
    ("y = torch.arange(3).to(device, torch.half)", "y = torch.arange(3, device=device).to(torch.half)"),
    ("y = torch.full((2,), .5).to(device=device, dtype=d)", "y = torch.full((2,), .5, device=device).to(dtype=d)"),
    (
        "y = torch.ones(1, 3, 8, 8).to(device, memory_format=torch.channels_last)",
        "y = torch.ones(1, 3, 8, 8, device=device).to(memory_format=torch.channels_last)",
    ),
]

UNSAFE = [
    ("y = torch.randn(3).to(device)", "y = torch.randn(3, device=device)"),
    ("y = torch.rand(*size).to(device)", "y = torch.rand(*size, device=device)"),
    ("y = torch.randint(0, 9, (n,)).to(device)", "y = torch.randint(0, 9, (n,), device=device)"),
    ("y = torch.randperm(n).to(device)", "y = torch.randperm(n, device=device)"),
    ("y = torch.randn_like(x).to(device)", "y = torch.randn_like(x, device=device)"),
    ("y = torch.normal(0, 1, (2, 3)).to(device)", "y = torch.normal(0, 1, (2, 3), device=device)"),
    ("y = torch.linspace(0, 1, 9).to(device)", "y = torch.linspace(0, 1, 9, device=device)"),
    ("y = torch.arange(0, 1, .1).to(device)", "y = torch.arange(0, 1, .1, device=device)"),
    ("y = torch.arange(low, high).to(device)", "y = torch.arange(low, high, device=device)"),
    ("y = torch.arange(*ends).to(device)", "y = torch.arange(*ends, device=device)"),
    ("y = torch.hann_window(9).to(device)", "y = torch.hann_window(9, device=device)"),
    ("y = torch.zeros(3, requires_grad=True).to(device)", "y = torch.zeros(3, requires_grad=True, device=device)"),
]

HAZARDS = [
    ("y = torch.zeros(\n    3,  # three\n).to(device)", "y = torch.zeros(\n    3, device=device,  # three\n)"),
    ("y = (torch.zeros(3)\n     .to(device))", "y = (torch.zeros(3, device=device))"),
    ("y = torch.zeros(3) \\\n    .to(device)", "y = torch.zeros(3, device=device)"),
    ("y = (torch.zeros(3)).to(device)", "y = (torch.zeros(3, device=device))"),
    ("def f(): return(torch.zeros(3).to(device))", "def f(): return(torch.zeros(3, device=device))"),
    ("y = torch.zeros(n := 3).to(device)", "y = torch.zeros(n := 3, device=device)"),
    ("a = torch.eye(2).to(device); b = x", "a = torch.eye(2, device=device); b = x"),
    ("if x: y = torch.eye(2).to(device)", "if x: y = torch.eye(2, device=device)"),
    ("def f(x=torch.eye(2).to(device)): pass", "def f(x=torch.eye(2, device=device)): pass"),
    ("f = lambda: torch.eye(2).to(device)", "f = lambda: torch.eye(2, device=device)"),
    ("y = [torch.eye(i).to(device) for i in x]", "y = [torch.eye(i, device=device) for i in x]"),
    ('print(f"{torch.eye(2).to(device)}")', 'print(f"{torch.eye(2, device=device)}")'),
    (
        "y = torch.tensor([torch.eye(2).to(device).sum()]).to(device)",
        "y = torch.tensor([torch.eye(2, device=device).sum()], device=device)",
    ),
    ("import torch as th\ny = th.eye(2).to(device)", "import torch as th\ny = th.eye(2, device=device)"),
    ("from torch import eye\ny = eye(2).to(device)", "from torch import eye\ny = eye(2, device=device)"),
]

REPORTED = [
    "y = (torch.zeros(3)  # a comment\n     .to(device))",
    "y = torch.zeros(3).to(device  # a comment\n)",
    "y = torch.arange(3).to(device,  # a comment\n    torch.half)",
    "y = torch.tensor(i for i in x).to(device)",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"{HEAD}{text}\n") == ()


@pytest.mark.parametrize(("before", "after"), SAFE)
def test_safe(before: str, after: str) -> None:
    check(CODE, f"{HEAD}{before}\n", f"{HEAD}{after}\n", "safe")


@pytest.mark.parametrize(("before", "after"), UNSAFE)
def test_unsafe(before: str, after: str) -> None:
    check(CODE, f"{HEAD}{before}\n", f"{HEAD}{after}\n", "unsafe")
    assert fixed(CODE, f"{HEAD}{before}\n", unsafe=False) == f"{HEAD}{before}\n"


@pytest.mark.parametrize(("before", "after"), HAZARDS)
def test_hazards(before: str, after: str) -> None:
    assert fixed(CODE, f"{HEAD}{before}\n", unsafe=False) == f"{HEAD}{after}\n"


@pytest.mark.parametrize("text", REPORTED)
def test_reported_without_a_fix(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"{HEAD}{text}\n")] == ["none"]


def test_the_device_a_function_is_given() -> None:
    check(
        CODE,
        "import torch\ndef f(n, device=None):\n    return torch.ones(n).to(device)\n",
        "import torch\ndef f(n, device=None):\n    return torch.ones(n, device=device)\n",
        "safe",
    )


@pytest.mark.parametrize("move", ["cuda()", "cuda(non_blocking=True)", "to('cuda')", "to(torch.device('cuda'))"])
@pytest.mark.parametrize(
    "target",
    [
        CUDA,
        Target("accelerator", torch_min_version=(2, 6)),
        Target("project", "get_device()", "from a import get_device"),
    ],
)
def test_all_rules_together_end_with_one_argument(move: str, target: Target) -> None:
    rules = [one for one in all_rules() if issubclass(one, Rule) and (one.default or one.code == CODE)]
    text = f"{HEAD}y = torch.zeros(3).{move}\n"
    device = "get_device()" if target.kind == "project" else "device"
    assert fix(source(text), rules, target).text.splitlines()[-1] == f"y = torch.zeros(3, device={device})"


def test_where_the_finding_is_and_what_it_says() -> None:
    (finding,) = found(CODE, f"{HEAD}y = net(torch.zeros(3).to(device))\n")
    assert (finding.location.column, finding.end_location.column) == (9, 34)
    assert finding.message == "`torch.zeros(...)` is made on the CPU, then moved"
    assert finding.fix is not None and finding.fix.message == "Say `device=device` when it is made"
