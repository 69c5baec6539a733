"""The table "What the simulation cannot show": each row is still true, and each test has its row."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import torch

from devlint.verify.errors import SimulationError
from devlint.verify.sim.operators.reductions import reduce_as_nccl
from tests.support.paths import ROOT
from tests.verify.test_process_sharing import OUTLIVING, output_of

pytestmark = pytest.mark.usefixtures("simulation")

SECTION = (ROOT / "docs/simulator.md").read_text("utf-8").partition("## What the simulation cannot show")[2]
ROWS = re.findall(r"^\| (.*?) \|", SECTION.partition("\n## ")[0], re.MULTILINE)[2:]


def rounding() -> None:
    x = torch.rand(64, 64)
    torch.backends.cuda.matmul.allow_tf32 = True
    try:
        assert torch.equal((x.cuda() @ x.cuda()).cpu(), x @ x)
    finally:
        torch.backends.cuda.matmul.allow_tf32 = False


def generator() -> None:
    on_device = torch.rand(4, device="cuda", generator=torch.Generator("cuda").manual_seed(5))
    assert torch.equal(on_device.cpu(), torch.rand(4, generator=torch.Generator().manual_seed(5)))


def asynchrony() -> None:
    stream, event = torch.cuda.Stream(), torch.cuda.Event()
    with torch.cuda.stream(stream):
        torch.ones(500, 500, device="cuda").matrix_power(20)
        event.record()
    assert event.query() and stream.query()


def after_an_assert() -> None:
    with pytest.raises(torch.AcceleratorError):
        torch.ones(2, device="cuda")[torch.tensor([5], device="cuda")]
    assert torch.ones(2, device="cuda").sum().item() == 2


def division() -> None:
    assert (torch.tensor([5], device="cuda") // torch.tensor([0], device="cuda")).item() == -1


def memory() -> None:
    x = torch.ones(1 << 20, device="cuda")
    held = torch.cuda.memory_reserved()
    del x
    assert torch.cuda.memory_reserved() < held  # CUDA's allocator keeps it for the next tensor


def pinned_memory() -> None:
    torch.cuda.init()  # which pinning does not do
    held = torch.ones(1 << 20).pin_memory()
    assert held.is_pinned() and torch.cuda.host_memory_stats()["active_bytes.current"] == 0


def storage() -> None:
    x = torch.ones(1 << 10, device="cuda")
    address = x.data_ptr()
    x.untyped_storage().resize_(0)
    assert x.untyped_storage().nbytes() == 0 and x.data_ptr() == address  # on a GPU there is none
    with pytest.raises(SimulationError):
        x.untyped_storage().resize_(8 << 10)


def graphs() -> None:
    with pytest.raises(SimulationError), torch.cuda.graph(torch.cuda.CUDAGraph()):
        pass


def quantized() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tensor = torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)
    with pytest.raises(SimulationError):
        tensor.cuda()


def types() -> None:
    truths, index = torch.ones(2, dtype=torch.bool, device="cuda"), torch.zeros(2, dtype=torch.long, device="cuda")
    assert truths.scatter_reduce(0, index, truths, "prod").all()  # CUDA's kernel has no such type
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert torch.ones(4, dtype=torch.complex32, device="cuda").norm().item() == 2


def pivoting() -> None:
    with pytest.raises(RuntimeError, match="without pivoting"):
        torch.linalg.lu_factor(torch.eye(2, device="cuda"), pivot=False)


def layouts() -> None:
    with pytest.raises((RuntimeError, SimulationError)):
        torch.ones(2, device="cuda").to_mkldnn()


def triton() -> None:
    from torch.utils._triton import has_triton

    assert not has_triton()


def inductor() -> None:
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    assert torch.compile(double) is double


def time() -> None:
    events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    events[0].record()
    sum(range(100_000))  # the CPU's work
    events[1].record()
    assert events[0].elapsed_time(events[1]) > 0.1


def nccl() -> None:
    group = torch.distributed.distributed_c10d.ProcessGroupNCCL  # type: ignore[attr-defined]
    assert group.__module__ != "torch._C._distributed_c10d"
    options = torch.distributed.AllreduceOptions()
    with pytest.raises(SimulationError):
        reduce_as_nccl([[torch.ones(2).to(torch.float8_e4m3fn)], options], 0, 2)


def sharing() -> None:
    with TemporaryDirectory() as folder:
        assert output_of(OUTLIVING, Path(folder)) == ["[1.0, 1.0]"]


def profiler() -> None:
    assert torch.profiler.ProfilerActivity.CUDA not in torch.profiler.supported_activities()


def backward_streams() -> None:
    class Noted(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
            seen.append(torch.cuda.current_stream())
            return gradient

    seen: list[Any] = []
    x = torch.ones(2, device="cuda", requires_grad=True)
    with torch.cuda.stream(torch.cuda.Stream()):
        y = Noted.apply(x)  # type: ignore[no-untyped-call]
    y.sum().backward()
    assert seen == [torch.cuda.current_stream()]


TESTS: dict[str, Callable[[], None]] = {
    "CUDA's kernels round": rounding,
    "random numbers": generator,
    "operations run": asynchrony,
    "an index": after_an_assert,
    "whole numbers": division,
    "memory counters": memory,
    "`torch.cuda.host_memory_stats": pinned_memory,
    "a storage": storage,
    "CUDA graphs": graphs,
    "quantized": quantized,
    "`scatter_reduce`": types,
    "`linalg.lu`": pivoting,
    "layouts": layouts,
    "Triton": triton,
    "`torch.compile`": inductor,
    "events": time,
    "`backward()` runs": backward_streams,
    "the profiler": profiler,
    "nccl": nccl,
    "memory that": sharing,
}


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_still_true(row: str) -> None:
    (found,) = (test for beginning, test in TESTS.items() if row.startswith(beginning))
    found()


def test_every_test_has_its_row() -> None:
    assert len(ROWS) == len(TESTS) > 10
