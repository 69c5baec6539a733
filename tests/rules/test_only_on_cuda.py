from __future__ import annotations

from typing import Any

import pytest

import devlint
from devlint.core.target import Target
from tests.support.rule_cases import found, places

CODE = "DEV510"
NEW = Target("accelerator", torch_min_version=(2, 13))
HAS = "if torch.cuda.is_available():\n    "

SILENT = [
    "x.to(device)",
    "torch.cuda.is_available()",
    "torch.cuda.manual_seed_all(0)",
    "try:\n    f()\nexcept torch.cuda.OutOfMemoryError:\n    pass",
    "'cuda'",
    'print("CUDA is not there")',
    'settings = {"cuda": 1, "xpu": 2}',
    'if device.type in ("cuda", "xpu"):\n    f()',
    'd = "cuda" if HAS_CUDA else "npu"',
    "if is_xpu_available():\n    torch.xpu.synchronize()\nelse:\n    torch.cuda.synchronize()",
    "if HAS_CUDA:\n    torch.cuda.empty_cache()\nif HAS_XPU:\n    torch.xpu.empty_cache()",
    "def f():\n    if HAS_XPU:\n        return torch.xpu.current_stream()\n    return torch.cuda.current_stream()",
    "class Batch:\n    def cuda(self):\n        self.x = self.x.cuda()",
    'EXPECTED = "cuda"',
    "with pytest.raises(RuntimeError):\n    x.cuda()",
    "@pytest.mark.slow\ndef test_f():\n    pass",
    "@requires_accelerator\ndef test_f():\n    pass",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import pytest\nimport torch\n{text}\n", NEW) == ()


FOUND = [
    f"{HAS}torch.cuda.ipc_collect()",
    f"{HAS}stream = torch.cuda.Stream()",
    "def f(stream: torch.cuda.Stream): ...",
    'f("cuda")',
    'Net.from_quantized("x", device="cuda:0")',
    'g(f"cuda:{i}")',
    'if x.device.type == "cuda":\n    f()',
    "assert x.is_cuda",
    "import triton\ntorch.cuda.synchronize()",
    f"{HAS}net.cuda()",
    "bf16 = torch.cuda.is_bf16_supported()",
    'start(backend or "nccl")',
    "@requires_cuda\ndef test_f():\n    pass",
    '@require_torch_gpu("2")\nclass TestF:\n    pass',
    "from torch.cuda import Stream\ndef f(s: Stream): ...",
    "def f():\n    if torch.cuda.get_device_capability() < (8, 0):\n        return",
]


@pytest.mark.parametrize("text", FOUND)
def test_found(text: str) -> None:
    assert len(found(CODE, f"import torch\n{text}\n", NEW)) == 1


def test_a_line_has_one_finding() -> None:
    text = 'import torch\ny = f("cuda"), torch.cuda.current_stream(), "cuda:1"\n'
    assert places(CODE, text, NEW) == [(2, "none")]


def codes(text: str, **asked: Any) -> set[str]:
    return {one.code for one in devlint.check(text, isolated=True, **asked).diagnostics}


def test_what_other_rules_find_is_left_to_them() -> None:
    text = f"import torch\n{HAS}torch.cuda.ipc_collect()\nx = torch.ones(2).cuda()\ntorch.cuda.synchronize()\n"
    found = devlint.check(text, target="accelerator", isolated=True, extend_select=[CODE]).diagnostics
    assert [(one.code, one.location.row) for one in found] == [
        ("DEV508", 2),
        (CODE, 3),
        ("DEV101", 4),
        ("DEV501", 5),
    ]


def test_it_is_off_by_default_and_for_other_targets_than_cuda() -> None:
    text = "import torch\nif torch.cuda.is_available():\n    torch.cuda.ipc_collect()\n"
    assert CODE not in codes(text, target="accelerator")
    assert CODE not in codes(text, extend_select=[CODE])
    assert CODE in codes(text, target="accelerator", extend_select=[CODE])
