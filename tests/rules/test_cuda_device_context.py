from __future__ import annotations

import pytest

from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV107"

DEVICES = [
    ("def f(x, device: torch.cuda.device): pass", "def f(x, device: torch.device): pass"),
    ("def f(x, device: torch.cuda.device = None): pass", "def f(x, device: torch.device = None): pass"),
    ("def f(x) -> torch.cuda.device: pass", "def f(x) -> torch.device: pass"),
    ("def f(x: Optional[torch.cuda.device]): pass", "def f(x: Optional[torch.device]): pass"),
    ("def f(x: 'int | str' , d: int | torch.cuda.device): pass", "def f(x: 'int | str' , d: int | torch.device): pass"),
    ("device: torch.cuda.device = g()", "device: torch.device = g()"),
    ("class A:\n    device: torch.cuda.device", "class A:\n    device: torch.device"),
    ("device = torch.cuda.device('cuda')", "device = torch.device('cuda')"),
    ("self.device = torch.cuda.device('cuda:1')", "self.device = torch.device('cuda:1')"),
    ("device = torch.cuda.device(0)", 'device = torch.device("cuda:0")'),
    ("device = torch.cuda.device(rank)", 'device = torch.device("cuda", rank)'),
    ("x = x.to(torch.cuda.device('cuda'))", "x = x.to(torch.device('cuda'))"),
    ("x = torch.ones(3, device=torch.cuda.device(0))", 'x = torch.ones(3, device=torch.device("cuda:0"))'),
    ("x = x.to((torch.cuda.device)('cuda'))", "x = x.to((torch.device)('cuda'))"),
]


@pytest.mark.parametrize(("before", "after"), DEVICES)
def test_meant_a_device(before: str, after: str) -> None:
    check(CODE, f"import torch\n{before}\n", f"import torch\n{after}\n", "safe")


def test_other_names() -> None:
    check(CODE, "import torch as th\nx: th.cuda.device\n", "import torch as th\nx: th.device\n", "safe")
    check(
        CODE,
        "import torch\nfrom torch.cuda import device as where\nx: where\n",
        "import torch\nfrom torch.cuda import device as where\nx: torch.device\n",
        "safe",
    )
    check(
        CODE,
        "from torch import cuda\nx: cuda.device\n",
        "import torch\nfrom torch import cuda\nx: torch.device\n",
        "safe",
    )


IF = "if torch.cuda.is_available() else nullcontext()"
ENTERED = [
    ("with torch.cuda.device(1):\n    x = 1", f"with torch.cuda.device(1) {IF}:\n    x = 1"),
    (
        "with a, torch.cuda.device(x.device) as b:\n    x = 1",
        f"with a, torch.cuda.device(x.device) {IF} as b:\n    x = 1",
    ),
    (
        "with (\n    torch.cuda.device(1),  # the other\n    a,\n):\n    x = 1",
        f"with (\n    torch.cuda.device(1) {IF},  # the other\n    a,\n):\n    x = 1",
    ),
    ("with (torch.cuda.device(1)): x = 1", f"with (torch.cuda.device(1) {IF}): x = 1"),
    (
        "async def f():\n    async with a:\n        with torch.cuda.device(1):\n            x = 1",
        f"async def f():\n    async with a:\n        with torch.cuda.device(1) {IF}:\n            x = 1",
    ),
]


@pytest.mark.parametrize(("before", "after"), ENTERED)
def test_a_context_that_cuda_alone_has(before: str, after: str) -> None:
    head = "import torch\nfrom contextlib import nullcontext\n"
    check(CODE, f"{head}{before}\nprint(x)\n", f"{head}{after}\nprint(x)\n", "safe")


IMPORTS = [
    ("import torch\n", "from contextlib import nullcontext\n\nimport torch\n"),
    ('"""Doc."""\nimport torch\n', '"""Doc."""\nfrom contextlib import nullcontext\n\nimport torch\n'),
    (
        "import os\nimport sys\n\nimport torch\n",
        "import os\nimport sys\nfrom contextlib import nullcontext\n\nimport torch\n",
    ),
    (
        "from __future__ import annotations\n\nimport torch\n",
        "from __future__ import annotations\n\nfrom contextlib import nullcontext\n\nimport torch\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), IMPORTS)
def test_the_import(before: str, after: str) -> None:
    code = "\n\ndef f(i):\n    with torch.cuda.device(i){}:\n        return 1\n"
    check(CODE, before + code.format(""), after + code.format(f" {IF}"), "safe")


def test_a_module_that_is_imported() -> None:
    before = "import contextlib\nimport torch\ndef f(i):\n    with torch.cuda.device(i):\n        return 1\n"
    check(
        CODE,
        before,
        before.replace("(i):\n        r", f"(i) {IF.replace('null', 'contextlib.null')}:\n        r"),
        "safe",
    )


NO_FIX = [
    "import os\nimport torch\nwith torch.cuda.device(1):\n    x = 1\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\nx.cuda()\n",
    "import torch\nfrom util import nullcontext\nwith torch.cuda.device(1):\n    x = 1\nprint(x)\n",
    "import torch\nwith torch.cuda.device(1):\n    torch.cuda.current_stream().wait_stream(s)\n",
    "import torch\nwith torch.cuda.device(1):\n    name = torch.cuda.get_device_name()\n",
    "import torch\nwith torch.cuda.device(1), torch.cuda.stream(s):\n    x = y\n",
]


@pytest.mark.parametrize("text", NO_FIX)
def test_reported_only(text: str) -> None:
    assert [kind for _, kind in places(CODE, text)] == ["none"]


SILENT = [
    "if torch.cuda.is_available():\n    with torch.cuda.device(1):\n        pass",
    "device = torch.cuda.device(1)\nwith device:\n    pass",
    "stack.enter_context(torch.cuda.device(1))",
    "context = torch.cuda.device(1)",
    "import triton\ndef launch(x):\n    with torch.cuda.device(x.device.index):\n        kernel[(1,)](x)",
    "try:\n    from apex.optimizers import FusedAdam\n    class Adam(FusedAdam):\n        def step(self, p):\n"
    "            with torch.cuda.device(p.device):\n                p.add_(1)\nexcept ImportError:\n    pass",
    "def cuda_memory(i):\n    with torch.cuda.device(i):\n        return torch.cuda.memory_allocated()",
    "try:\n    with torch.cuda.device(1):\n        pass\nexcept RuntimeError:\n    pass",
    "n = torch.cuda.device_count()",
    "x: torch.device",
    "device = torch.device('cuda')",
    "'torch.cuda.device'",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


def test_other_libraries() -> None:
    assert found(CODE, "import torch\nfrom numba import cuda\nx: cuda.device\n") == ()


@pytest.mark.parametrize(
    ("left", "is_found"), [("raise RuntimeError('no GPU')", False), ("exit(1)", False), ("return", True)]
)
def test_a_class_that_is_made_only_where_there_is_cuda(left: str, is_found: bool) -> None:
    text = (
        f"import torch\n\n\nclass Trainer:\n    def __init__(self, card):\n        if not torch.cuda.is_available():\n"
        f"            {left}\n        self.card = card\n\n    def run(self):\n        with torch.cuda.device(self.card):\n"
        "            self.step()\n"
    )
    assert bool(found(CODE, text)) is is_found
    assert found(CODE, text.replace("def __init__", "@staticmethod\n    def made"))


@pytest.mark.parametrize(
    ("beside", "is_safe"),
    [
        ("n = 8 // torch.cuda.device_count()", False),
        ("torch.distributed.init_process_group('nccl')", False),
        ("n = 8 // workers", True),
    ],
)
def test_what_fails_beside_leaves_nothing_to_gain(beside: str, is_safe: bool) -> None:
    text = (
        f"import torch\n\n\ndef work(net, i, workers):\n    {beside}\n    with torch.cuda.device(i):\n        net()\n"
    )
    assert ("nullcontext" in fixed(CODE, text, unsafe=False)) is is_safe
    assert "nullcontext" in fixed(CODE, text, unsafe=True)
