"""Which calls start CUDA, after which the visible cards can no longer be chosen."""

from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.cuda.cuda_initialization import starts_cuda
from tests.support.questions import asked

CASES = [
    ("torch.cuda.is_available()", True),
    ("torch.cuda.init()", True),
    ("torch.cuda.manual_seed(1)", False),
    ("torch.cuda.device_count()", False),
    ("torch.accelerator.synchronize()", True),
    ("torch.cuda.FloatTensor(2)", True),
    ("torch.FloatTensor(2)", False),
    ("x.cuda()", True),
    ("x.cuda(0)", True),
    ("x.cuda", False),
    ("x.to('cuda')", True),
    ("x.to('cuda:1')", True),
    ("x.to('cpu')", False),
    ("x.to(device)", False),
    ("torch.ones(2, device='cuda')", True),
    ("torch.ones(2, device=torch.device('cuda'))", True),
    ("torch.ones(2, device='cpu')", False),
    ("torch.ones(2, device=0)", False),
    ("torch.ones(2)", False),
    ("torch.device('cuda')", False),
    ("torch.load(p, 'cuda')", False),
    ("torch.load(p, map_location='cuda')", False),
    ("torch.jit.load(p, map_location='cuda')", False),
    ("torch.set_default_device('cuda')", False),
    ("f('cuda')", False),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_starts_cuda(text: str, expected: bool) -> None:
    ctx, call = asked(f"import torch\nask({text})")
    assert (isinstance(call, cst.Call) and starts_cuda(ctx, call)) is expected


def test_cuda_of_what_is_not_torchs() -> None:
    ctx, call = asked("ask(x.cuda())")
    assert starts_cuda(ctx, call) is False  # type: ignore[arg-type]
