"""Streams, events, memory counters: there, and harmless."""

from __future__ import annotations

import pytest
import torch

from devlint.verify import SimulationError


def test_streams() -> None:
    """A stream is made on a device, and differs from the default one. Reference: notes/cuda.rst (CUDA streams)"""
    stream = torch.cuda.Stream()
    assert isinstance(stream, torch.cuda.Stream)
    assert stream != torch.cuda.default_stream()
    assert stream.query()
    assert torch.cuda.Stream(device=1).device == torch.device("cuda", 1)
    assert torch.cuda.Stream(device="cuda:1", priority=-1).priority == -1
    assert torch.cuda.Stream.priority_range() == (0, -5)


def test_the_current_stream() -> None:
    """torch.cuda.stream selects a stream of its device. Reference: notes/cuda.rst"""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() == stream
        assert (torch.ones(2, device="cuda") * 2).tolist() == [2, 2]
    assert torch.cuda.current_stream() == torch.cuda.default_stream()
    with torch.cuda.stream(torch.cuda.Stream(device=1)):
        assert torch.cuda.current_device() == 1
    assert torch.cuda.current_device() == 0
    with torch.cuda.stream(None):
        pass


def test_setting_a_stream() -> None:
    """torch.cuda.set_stream. Reference: cuda.rst"""
    before, stream = torch.cuda.current_stream(), torch.cuda.Stream()
    torch.cuda.set_stream(stream)
    assert torch.cuda.current_stream() == stream
    torch.cuda.set_stream(before)


def test_waiting() -> None:
    """wait_stream, wait_event, record_stream, synchronize. Reference: notes/cuda.rst"""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    event = stream.record_event()
    event.wait()
    torch.cuda.current_stream().wait_event(event)
    torch.ones(2, device="cuda").record_stream(stream)
    stream.synchronize()


def test_events_measure_time() -> None:
    """elapsed_time is in milliseconds. Reference: notes/cuda.rst (Asynchronous execution)"""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    torch.ones(10, device="cuda").sum()
    end.record()
    torch.cuda.synchronize()
    assert end.query()
    assert 0 <= start.elapsed_time(end) < 10_000


def test_events_without_timing_measure_nothing() -> None:
    """Both need enable_timing. Reference: torch/csrc/cuda/Event.cpp"""
    first, second = torch.cuda.Event(), torch.cuda.Event()
    first.record()
    second.record()
    with pytest.raises((ValueError, RuntimeError)):
        first.elapsed_time(second)
    timed = torch.cuda.Event(enable_timing=True)
    with pytest.raises((ValueError, RuntimeError)):
        timed.elapsed_time(torch.cuda.Event(enable_timing=True))


def test_streams_for_every_device() -> None:
    """torch.Stream and torch.Event make those of the accelerator. Reference: torch.rst (Accelerators)"""
    assert isinstance(torch.Stream(device="cuda"), torch.Stream)
    assert isinstance(torch.cuda.Stream(), torch.Stream)
    assert isinstance(torch.Event(), torch.Event)
    assert torch.Stream("cuda:1").device == torch.device("cuda", 1)
    torch.Event(device="cuda").record()


@pytest.mark.slow
def test_memory_counts(no_garbage: None) -> None:
    """memory_allocated grows with tensors and shrinks with them. Reference: notes/cuda.rst (Memory management)"""
    before = torch.cuda.memory_allocated()
    x = torch.zeros(1 << 20, device="cuda")
    assert torch.cuda.memory_allocated() - before == 4 << 20
    assert torch.cuda.max_memory_allocated() >= 4 << 20
    del x
    assert torch.cuda.memory_allocated() == before


@pytest.mark.slow
def test_each_device_has_its_own_counts(no_garbage: None) -> None:
    """Counters take a device. Reference: cuda.rst"""
    before = torch.cuda.memory_allocated(1)
    x = torch.zeros(1 << 10, device="cuda:1")
    assert torch.cuda.memory_allocated(1) - before == x.numel() * 4
    assert torch.cuda.memory_allocated("cuda:0") == torch.cuda.memory_allocated(0)


@pytest.mark.slow
def test_memory_counts_gradients_and_what_autograd_saves(no_garbage: None) -> None:
    """Buffers that a graph saves are in use until it is freed. Reference: notes/autograd.rst (Saved tensors)"""
    before = torch.cuda.memory_allocated()
    x = torch.ones(1 << 18, device="cuda", requires_grad=True)
    y = x.sigmoid().sin().sum()  # sin and sigmoid save the same tensor
    assert torch.cuda.memory_allocated() - before == (2 << 20) + 512
    y.backward()
    assert torch.cuda.memory_allocated() - before == (2 << 20) + 512
    x.grad = None
    assert torch.cuda.memory_allocated() - before == (1 << 20) + 512


@pytest.mark.slow
def test_what_else_tells_of_memory() -> None:
    """memory_reserved, mem_get_info, memory_stats, memory_summary, memory_snapshot. Reference: cuda.rst"""
    free, total = torch.cuda.mem_get_info()
    assert 0 < free <= total
    assert torch.cuda.memory_reserved() >= torch.cuda.memory_allocated()
    failed = torch.cuda.memory_stats()["num_ooms"]  # in other tests, whose order is random
    with pytest.raises(torch.cuda.OutOfMemoryError):
        torch.empty(1 << 50, dtype=torch.uint8, device="cuda")
    assert torch.cuda.memory_stats()["num_ooms"] == failed + 1
    assert "PyTorch CUDA memory summary" in torch.cuda.memory_summary()
    assert isinstance(torch.cuda.memory_snapshot(), list)
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.reset_accumulated_memory_stats()


def test_a_program_may_limit_its_memory() -> None:
    """An allocation beyond the fraction is out of memory. Reference: cuda.rst (set_per_process_memory_fraction)"""
    torch.cuda.set_per_process_memory_fraction(0.001)
    with pytest.raises(torch.cuda.OutOfMemoryError, match="GiB|MiB"):
        torch.empty(torch.cuda.get_device_properties(0).total_memory // 8, dtype=torch.uint8, device="cuda")
    torch.cuda.set_per_process_memory_fraction(1.0)
    assert torch.cuda.get_per_process_memory_fraction() == 1.0
    assert torch.cuda.get_allocator_backend() == "native"


def test_out_of_memory_is_an_exception_one_can_catch() -> None:
    """torch.cuda.OutOfMemoryError is a RuntimeError. Reference: cuda.rst"""
    assert issubclass(torch.cuda.OutOfMemoryError, RuntimeError)


@pytest.mark.parametrize(
    "use",
    [
        lambda: torch.cuda.CUDAGraph().capture_begin(),
        lambda: torch.cuda.graph(torch.cuda.CUDAGraph()).__enter__(),
        lambda: torch.cuda.make_graphed_callables(torch.nn.Linear(1, 1).cuda(), (torch.ones(1, device="cuda"),)),
    ],
    ids=["CUDAGraph", "graph", "make_graphed_callables"],
)
def test_graphs_say_that_they_cannot_be_simulated(use: object) -> None:
    """CUDA graphs replay recorded kernels; there are none. Reference: notes/cuda.rst (CUDA Graphs)"""
    with pytest.raises(SimulationError, match="CUDA graphs cannot be simulated"):
        use()  # type: ignore[operator]


@pytest.mark.parametrize(
    "name", "BoolTensor CUDAGraph Event ExternalStream FloatTensor MemPool Stream StreamContext device graph".split()
)
def test_what_is_a_class_there_is_one_here(name: str) -> None:
    """Classes in annotations, isinstance and as bases. Reference: cuda.rst"""
    found = getattr(torch.cuda, name)
    assert isinstance(found, type)
    assert not isinstance(3, found)
    assert not isinstance(3, found | None)
    assert found.__module__.startswith("torch.cuda")


def test_graphs_and_pools_can_be_made() -> None:
    """Neither records anything by itself. Reference: generated/torch.cuda.CUDAGraph"""
    assert isinstance(torch.cuda.CUDAGraph(keep_graph=True), torch.cuda.CUDAGraph)
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        assert torch.ones(2, device="cuda").tolist() == [1, 1]
    assert pool.id != torch.cuda.graph_pool_handle() != torch.cuda.CUDAGraph().pool()
    assert isinstance(torch.cuda.ExternalStream(64), torch.cuda.Stream)


def test_nothing_is_being_captured() -> None:
    """is_current_stream_capturing. Reference: cuda.rst"""
    assert not torch.cuda.is_current_stream_capturing()


@pytest.mark.filterwarnings("ignore")
def test_quantized_tensors_say_that_they_cannot_be_simulated() -> None:
    """CUDA has some quantized operators; they have no counterpart here. Reference: quantization.rst"""
    x = torch.ones(2, device="cuda")
    with pytest.raises(SimulationError, match="quantized tensors cannot be simulated"):
        torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)
    with pytest.raises(SimulationError, match="quantized tensors cannot be simulated"):
        torch.quantize_per_channel(
            x.view(1, 2), torch.ones(1, device="cuda"), torch.zeros(1, device="cuda"), 0, torch.quint8
        )
    quantized = torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8)
    with pytest.raises(SimulationError, match="quantized tensors cannot be simulated"):
        quantized.cuda()


def test_operators_without_a_cuda_kernel_refuse() -> None:
    """What CUDA has no kernel for raises as there. Reference: aten/src/ATen/native/native_functions.yaml"""
    x = torch.ones(2, 2, device="cuda")
    with pytest.raises(
        NotImplementedError, match="Could not run 'aten::to_mkldnn' with arguments from the 'CUDA' backend"
    ):
        torch.ops.aten.to_mkldnn(x)
    with pytest.raises(RuntimeError, match="mkldnn|MKLDNN"):
        x.to_mkldnn()


def test_codes_of_the_runtime_become_exceptions() -> None:
    """check_error raises for all codes but success. Reference: torch/cuda/__init__.py (CudaError)"""
    torch.cuda.check_error(0)
    with pytest.raises(torch.cuda.CudaError, match="out of memory"):
        torch.cuda.check_error(2)


def test_more_than_an_exabyte() -> None:
    """An allocation beyond all cards has an error of its own. Reference: c10/cuda/CUDACachingAllocator.cpp"""
    with pytest.raises(torch.cuda.OutOfMemoryError, match="Tried to allocate more than 1EB memory"):
        torch.empty(1 << 61, dtype=torch.int8, device="cuda")


def test_memory_that_a_program_registers_is_pinned() -> None:
    """cudaHostRegister pins, cudaHostUnregister unpins. Reference: generated/torch.Tensor.is_pinned"""
    x = torch.ones(4)
    cudart = torch.cuda.cudart()
    assert cudart.cudaHostRegister(x.data_ptr(), x.nbytes, 0) == 0 and x.is_pinned()
    assert cudart.cudaHostUnregister(x.data_ptr()) == 0 and not x.is_pinned()
    assert cudart.cudaHostUnregister(x.data_ptr()) != 0
