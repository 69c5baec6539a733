"""A file that runs nowhere without CUDA's kernels: no rule asks for what would gain nothing there."""

from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import found

PLACED = """import torch
{head}

def f(x, y, use_cuda=torch.cuda.is_available(), device="cuda"):
    if use_cuda:
        y = y.cuda()
    torch.cuda.synchronize()
    return x.cuda() + torch.zeros(3, device="cuda") + torch.cuda.FloatTensor([1.0]) + y.to("cuda:1")
"""
NEEDED = [
    "import triton",
    "import triton.language as tl",
    "from flash_attn.utils.benchmark import benchmark_forward",
    "from flash_attn import flash_attn_func",
    "import pycuda.autoinit",
    "import tensorrt as trt",
    "from cuda import cudart",
    "import tinycudann as tcnn",
]
NOT_NEEDED = [
    "try:\n    import triton\nexcept ImportError:\n    triton = None",
    "if torch.cuda.is_available():\n    from flash_attn import flash_attn_func",
    "def g():\n    import triton",
    "import tritonclient",
    "from . import triton",
    "import apex",
]


RULES = ["DEV101", "DEV102", "DEV104", "DEV105", "DEV106", "DEV201"]


@pytest.mark.parametrize("head", NEEDED)
def test_what_imports_kernels_is_left_alone(head: str) -> None:
    assert [code for code in RULES if found(code, PLACED.format(head=head))] == []


@pytest.mark.parametrize("head", NOT_NEEDED)
def test_what_does_without_kernels_is_not(head: str) -> None:
    assert [code for code in RULES if found(code, PLACED.format(head=head))] == RULES


def test_other_accelerators_have_kernels_too() -> None:
    assert found("DEV102", PLACED.format(head=NEEDED[0]), Target("accelerator"))
