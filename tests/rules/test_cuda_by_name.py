from __future__ import annotations

from typing import Any

import pytest

import devlint
from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV511"
NEW = Target("accelerator", torch_min_version=(2, 13))
HAS = "if torch.cuda.is_available():\n    "

SILENT = [
    "x.to(device)",
    "torch.cuda.is_available()",
    'f("cuda")',
    'words = ["cuda", "cpu"]',
    'if word in ("cuda", "cpu"):\n    f()',
    'if name.startswith("cuda"):\n    f()',
    'rng_state["cuda"] = 1',
    f"{HAS}torch.cuda.ipc_collect()",
    "g = torch.cuda.CUDAGraph",
    'if device.type in ("cuda", "xpu"):\n    f()',
    "if is_xpu_available():\n    torch.xpu.synchronize()\nelse:\n    torch.cuda.synchronize()",
    "import cupy\ntorch.cuda.synchronize()",
    "def cuda_info():\n    return torch.cuda.get_device_properties(0)",
    '@pytest.mark.skipif(not torch.cuda.is_available(), reason="")\ndef test_f():\n    torch.cuda.synchronize()',
    'assert device.type == "cuda", "this needs CUDA"',
    'kind = "cuda"',
    "old = torch.cuda.get_device_capability() < (8, 0)",
    "same = x.is_cuda == y.is_cuda",
    "name = f\"self_{'cuda' if gpu else 'cpu'}_time\"",
    "name = f\"{'cuda' if gpu else 'cpu'}_time\"",
    "@pytest.mark.gpu\ndef test_f():\n    pass",
    '@pytest.mark.parametrize("backend", ["gloo", "nccl"])\ndef test_f(backend):\n    pass',
    'if device == "cuda" and not torch.cuda.is_available():\n    f()',
    'if kind == "cuda":\n    f()',
    "class Timer:\n    def cuda(self):\n        pass\ntimer = Timer()\ntimer.cuda()",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import pytest\nimport torch\n{text}\n", NEW) == ()


FOUND = [
    (f"{HAS}torch.cuda.synchronize()", "`torch.accelerator.synchronize`"),
    (f"{HAS}torch.cuda.set_device(0)", "`torch.accelerator.set_device_index`"),
    ("bf16 = torch.cuda.is_bf16_supported()", "`torch.get_device_module().is_bf16_supported`"),
    (f"{HAS}p = torch.cuda.get_device_properties(0)", "`torch.get_device_module().get_device_properties`"),
    ("print(f\"{'cuda' if gpu else 'cpu'}\")", "the device"),
    ("import triton\ntorch.cuda.synchronize()", "`torch.accelerator.synchronize`"),
    ("def f(s: torch.cuda.Stream): ...", "`torch.Stream`"),
    ('def f(s: "torch.cuda.Stream"): ...', "`torch.Stream`"),
    ('Net.load("x", device="cuda")', "the device"),
    ('g(f"cuda:{i}")', "the device"),
    ('if x.device.type == "cuda":\n    f()', "the device"),
    ('assert self.device == "cuda"', "the device"),
    ('DEVICE = "cuda" if flag else "cpu"', "the device"),
    ('if device.type not in {"cpu", "cuda"}:\n    f()', "the device"),
    ('if exclude.type != "cuda":\n    f()', "the device"),
    ('if job.device.startswith("cuda"):\n    f()', "the device"),
    ('load(options={"device": "cuda"})', "the device"),
    ("assert x.is_cuda", "`x.device.type`"),
    (f"{HAS}net.cuda()", "`x.to(device)`"),
    ('start(backend or "nccl")', "`torch.distributed.get_default_backend_for_device(device)`"),
    (
        "import torch.distributed as dist\nif dist.get_backend() == dist.Backend.NCCL:\n    f()",
        "`torch.distributed.get_default_backend_for_device(device)`",
    ),
]


@pytest.mark.parametrize(("text", "instead"), FOUND)
def test_found(text: str, instead: str) -> None:
    reported = found(CODE, f"import torch\n{text}\n", NEW)
    assert len(reported) == 1
    assert instead in reported[0].message


def codes(text: str, **asked: Any) -> list[str]:
    return [one.code for one in devlint.check(text, isolated=True, **asked).diagnostics]


def test_dev510_is_for_what_is_left() -> None:
    text = f"import torch\n{HAS}torch.cuda.ipc_collect()\n    torch.cuda.synchronize()\n"
    assert codes(text, target="accelerator", extend_select=["DEV510"]) == ["DEV508", "DEV510", CODE]
    assert codes(text, target="accelerator") == ["DEV508", CODE]
    assert CODE not in codes(text)


def test_what_the_fix_of_another_rule_changes_is_left_to_it() -> None:
    text = f'import torch\n{HAS}device = torch.device("cuda")\nelse:\n    device = torch.device("cpu")\n'
    assert codes(text, target="accelerator") == ["DEV508"]


STREAMS = [
    ("s = torch.cuda.Stream(priority=-1)\nuse(s)", "s = torch.Stream(priority=-1)\nuse(s)"),
    ("s = torch.cuda.Stream()\nwith torch.cuda.stream(s):\n    f()", "s = torch.Stream()\nwith s:\n    f()"),
    ("def f(s):\n    with torch.cuda.stream(s):\n        g()", "def f(s):\n    with torch.get_device_module().stream(s):\n        g()"),
    ("def f(s: torch.cuda.Stream): ...", "def f(s: torch.Stream): ..."),
    ("def f(s: 'torch.cuda.Stream'): ...", "def f(s: 'torch.Stream'): ..."),
    ("torch.cuda.current_stream(device=d).wait_stream(s)", "torch.accelerator.current_stream(d).wait_stream(s)"),
    ("torch.cuda.set_stream(s)\ne = torch.cuda.Event()", "torch.accelerator.set_stream(s)\ne = torch.Event()"),
    ("s = torch.cuda.default_stream()", "s = torch.get_device_module().default_stream()"),
    ("assert isinstance(s, torch.cuda.Stream)", "assert isinstance(s, torch.Stream)"),
    ("s = torch.cuda.Stream()\ng = torch.cuda.CUDAGraph()", None),
    ("s = torch.cuda.Stream()\nlaunch(s.cuda_stream)", None),
    ("s = torch.cuda.Stream()\ne = torch.cuda.Event(interprocess=True)", None),
    ("s = torch.cuda.Stream(1)", None),
    ("s = torch.cuda.Stream()\nwith patch('torch.cuda.Stream'):\n    f()", None),
    ("from torch.cuda import Stream\ns = Stream()", None),
    ("make = torch.cuda.current_stream", None),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), STREAMS)
def test_streams_are_those_of_any_accelerator_or_stay(before: str, after: str | None) -> None:
    """What a caller without CUDA gets is DEV504's; both share the fix."""
    text = f"import torch\n{before}\n"
    result = devlint.fix(
        text, unsafe=True, isolated=True, target="accelerator", torch_min_version="2.13", select=["DEV504", CODE]
    )
    assert result.text == (text if after is None else f"import torch\n{after}\n")


def test_streams_are_unsafe_and_need_torch_2_6() -> None:
    text = "import torch\ndef f(s: torch.cuda.Stream):\n    with torch.cuda.stream(s):\n        g()\n"
    assert places(CODE, text, NEW) == [(2, "unsafe"), (3, "unsafe")]
    assert fixed(CODE, text, unsafe=False, target=NEW) == text
    check(CODE, text, text, "none", "none", target=Target("accelerator", torch_min_version=(2, 5)))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('if device.type == "cuda":\n    torch.cuda.set_sync_debug_mode(1)', 0),
        ('if device.type == "cuda":\n    torch.backends.cuda.matmul.allow_tf32 = True', 0),
        ('if device.type == "cuda":\n    torch.cuda.set_sync_debug_mode(1)\n    f()', 1),
        ('if device.type == "cuda":\n    torch.backends.cudnn.benchmark = True\nelse:\n    f()', 1),
        ('u = torch.linalg.svd(x, driver="gesvd" if x.is_cuda else None)', 0),
        ('u = f(x, driver="gesvd" if x.is_cuda else None)', 1),
        ("def f():\n    s = torch.cuda.Stream()\n    return torch.cuda.make_graphed_callables(g, ())", 0),
    ],
)
def test_what_only_cuda_has(text: str, count: int) -> None:
    assert len(places("DEV511", f"import torch\n{text}\n", NEW)) == count
