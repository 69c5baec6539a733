"""Which devices there are, and which is the current one."""

from __future__ import annotations

import pytest
import torch


def test_cuda_answers() -> None:
    """is_available, device_count, is_built. Reference: cuda.rst"""
    assert torch.cuda.is_available()
    assert torch.cuda.device_count() == 2
    assert torch.backends.cuda.is_built()
    assert torch.version.cuda


def test_cudnn_answers() -> None:
    """torch.backends.cudnn. Reference: backends.rst"""
    assert torch.backends.cudnn.is_available()
    assert torch.backends.cudnn.version() > 7000
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = torch.backends.cudnn.deterministic = False


def test_flags_of_precision_are_kept() -> None:
    """allow_tf32 and the matmul precision can be set and read. Reference: notes/cuda.rst (TF32)"""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = True
    assert torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = before


def test_the_current_device() -> None:
    """set_device, current_device and the context managers. Reference: notes/cuda.rst"""
    assert torch.cuda.current_device() == 0
    with torch.cuda.device(1):
        assert torch.cuda.current_device() == 1
        assert torch.ones(1, device="cuda").get_device() == 1
    assert torch.cuda.current_device() == 0
    torch.cuda.set_device(1)
    assert torch.ones(1).cuda().get_device() == 1
    torch.cuda.set_device("cuda:0")
    assert torch.cuda.current_device() == 0


def test_a_wrong_current_device() -> None:
    """set_device of an ordinal that is not there. Reference: cuda.rst"""
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        torch.cuda.set_device(2)
    torch.cuda.set_device(-1)
    assert torch.cuda.current_device() == 0


def test_the_device_of_a_tensor_as_the_current_one() -> None:
    """torch.cuda.device_of. Reference: cuda.rst"""
    with torch.cuda.device_of(torch.ones(1, device="cuda:1")):
        assert torch.cuda.current_device() == 1
    with torch.cuda.device_of(torch.ones(1)):
        assert torch.cuda.current_device() == 0


def test_a_device_of_minus_one_changes_nothing() -> None:
    """torch.cuda.device(-1) is a no-op. Reference: cuda.rst"""
    with torch.cuda.device(-1):
        assert torch.cuda.current_device() == 0


def test_each_thread_has_its_own_current_device() -> None:
    """The current device is per thread. Reference: notes/cuda.rst"""
    import threading

    seen: list[int] = []
    torch.cuda.set_device(1)
    thread = threading.Thread(target=lambda: seen.append(torch.cuda.current_device()))
    thread.start()
    thread.join()
    assert seen == [0]


def test_properties() -> None:
    """Name, capability, memory. Reference: cuda.rst"""
    properties = torch.cuda.get_device_properties(1)
    assert properties == torch.cuda.get_device_properties("cuda:1")
    assert properties.name == torch.cuda.get_device_name(0)
    assert torch.cuda.get_device_capability() == (properties.major, properties.minor)
    assert properties.total_memory > 1 << 30
    assert properties.multi_processor_count > 0
    with pytest.raises((AssertionError, RuntimeError), match="Invalid device id|invalid device ordinal"):
        torch.cuda.get_device_properties(2)


def test_architectures() -> None:
    """get_arch_list and can_device_access_peer. Reference: cuda.rst"""
    assert torch.cuda.get_arch_list()
    assert torch.cuda.can_device_access_peer(0, 1)
    assert torch.cuda.get_gencode_flags()


def test_initialisation() -> None:
    """init and is_initialized. Reference: cuda.rst"""
    torch.cuda.init()
    assert torch.cuda.is_initialized()


def test_the_accelerator_is_cuda() -> None:
    """torch.accelerator speaks of CUDA. Reference: accelerator.rst"""
    accelerator = torch.accelerator
    assert accelerator.is_available()
    assert accelerator.current_accelerator() == torch.device("cuda")
    assert accelerator.device_count() == 2
    accelerator.set_device_index(1)
    assert accelerator.current_device_index() == torch.cuda.current_device() == 1
    with accelerator.device_index(0):
        assert torch.cuda.current_device() == 0
    accelerator.synchronize()
    assert accelerator.current_stream().device.index == 1


def test_the_accelerators_memory() -> None:
    """torch.accelerator.memory. Reference: accelerator.rst"""
    x = torch.ones(1000, device="cuda")
    assert torch.accelerator.memory.memory_allocated() >= x.numel() * 4
    torch.accelerator.memory.empty_cache()
    torch.accelerator.memory.reset_peak_memory_stats()
    free, total = torch.accelerator.memory.get_memory_info()
    assert free <= total


def test_get_device_module() -> None:
    """torch.get_device_module. Reference: torch.rst"""
    assert torch.get_device_module("cuda") is torch.cuda
    assert torch.get_device_module() is torch.cuda


def test_other_accelerators_are_not_there() -> None:
    """xpu, mps and mtia answer no. Reference: accelerator.rst"""
    assert not torch.xpu.is_available()
    assert not torch.backends.mps.is_available()
    with pytest.raises((RuntimeError, AssertionError, NotImplementedError)):
        torch.ones(1, device="xpu")


def test_synchronising_takes_a_device() -> None:
    """torch.cuda.synchronize(device). Reference: cuda.rst"""
    torch.cuda.synchronize()
    torch.cuda.synchronize(1)
    torch.cuda.synchronize("cuda:1")
    torch.cuda.synchronize(torch.device("cuda", 0))


def test_ipc_and_caches_are_harmless() -> None:
    """ipc_collect, empty_cache. Reference: cuda.rst"""
    torch.cuda.ipc_collect()
    torch.cuda.empty_cache()


def test_sensors_answer_numbers() -> None:
    """utilization, temperature, power_draw, clock_rate, memory_usage. Reference: cuda.rst"""
    for sensor in ("utilization", "temperature", "power_draw", "clock_rate", "memory_usage"):
        assert isinstance(getattr(torch.cuda, sensor)(), int)


def test_profiler_marks_are_harmless() -> None:
    """torch.cuda.nvtx and profiler. Reference: cuda.rst"""
    torch.cuda.nvtx.range_push("a")
    torch.cuda.nvtx.mark("b")
    torch.cuda.nvtx.range_pop()
    with torch.cuda.nvtx.range("c"):
        pass
    torch.cuda.profiler.start()
    torch.cuda.profiler.stop()


def test_operators_with_operands_off_the_current_device() -> None:
    """Results follow their operands, not the current device. Reference: notes/cuda.rst"""
    x = torch.ones(2, 2, device="cuda:1")
    assert torch.randn_like(x).get_device() == (x @ x).get_device() == torch.cat([x, x]).get_device() == 1
    y = torch.nn.functional.one_hot(torch.tensor([1], device="cuda:1"))
    assert y.get_device() == 1
