"""The entry points of ``torch._C`` that a CPU build lacks: devices, streams, memory, copies to and from many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from devlint.verify.errors import SimulationError
from devlint.verify.sim.dlpack_relabel import Tensor
from devlint.verify.sim.machine import machine
from devlint.verify.sim.memory_counters import (
    allocator_setting,
    forget_peaks,
    forget_sums,
    fraction,
    live_bytes,
    observers,
    set_fraction,
    statistics,
)
from devlint.verify.sim.patches import Patches
from devlint.verify.sim.streams import Stream

_C: Any = torch._C

_IDLE = (
    "_cuda_emptyCache _cuda_ipc_collect _cuda_resetPeakHostMemoryStats "
    "_cuda_resetAccumulatedHostMemoryStats _cuda_sleep "
    "_cuda_clearCublasWorkspaces _cuda_record_memory_history _cuda_lock_mutex "
    "_cuda_unlock_mutex _accelerator_emptyCache _accelerator_emptyHostCache _host_emptyCache"
).split()
"""Functions that do nothing here."""
_REFUSED = (
    "_cuda_changeCurrentAllocator _cuda_customAllocator _cuda_getAllocator _cuda_jiterator_compile_and_launch_kernel "
    "_cuda_tunableop_read_file _nccl_all_gather _nccl_all_reduce _nccl_broadcast _nccl_init_rank _nccl_reduce "
    "_nccl_reduce_scatter _nccl_unique_id"
).split()
"""Functions that need CUDA's libraries."""
_SETTINGS = {
    ("_cuda_getCublasWorkspaceSize", "_cuda_setCublasWorkspaceSize", "_cuda_resetCublasWorkspaceSize"): 32 << 20,
    ("_cuda_getCublasLtWorkspaceSize", "_cuda_setCublasLtWorkspaceSize", "_cuda_resetCublasLtWorkspaceSize"): 32 << 20,
    ("_cuda_get_cudnn_benchmark_limit", "_cuda_set_cudnn_benchmark_limit"): 10,
    ("_cuda_tunableop_is_enabled", "_cuda_tunableop_enable"): False,
    ("_cuda_tunableop_tuning_is_enabled", "_cuda_tunableop_tuning_enable"): True,
    ("_cuda_record_untuned_is_enabled", "_cuda_record_untuned_enable"): False,
    ("_cuda_tunableop_get_filename", "_cuda_tunableop_set_filename"): "tunableop_results0.csv",
    ("_cuda_tunableop_get_max_tuning_duration", "_cuda_tunableop_set_max_tuning_duration"): 30,
    ("_cuda_tunableop_get_max_tuning_iterations", "_cuda_tunableop_set_max_tuning_iterations"): 100,
}
"""Switches without an effect: what reads, what sets and what resets each, and its value at first."""
_allocated: dict[int, Tensor] = {}
"""What ``torch.cuda.caching_allocator_alloc`` gave, by its address."""
_DTYPES = frozenset(value for value in vars(torch).values() if isinstance(value, torch.dtype))


def _exchange() -> Callable[[int | None], int]:
    """A function of its own for each entry point: torch.compile tells them apart by identity."""

    def exchange(index: int | None) -> int:
        if index is None or index < 0:
            return -1
        before = machine.current()
        machine.select(index)
        return before

    return exchange


def _current_stream(index: int) -> tuple[int, int, int]:
    number = machine.with_streams(index)
    stream = machine.streams().get(number)
    return (0 if stream is None else stream.stream_id, number, 1)


def _default_stream(index: int) -> tuple[int, int, int]:
    return (0, machine.with_streams(index), 1)


def _set_stream(stream_id: int, device_index: int, device_type: int) -> None:
    machine.select(device_index)
    machine.streams()[device_index] = Stream(stream_id=stream_id, device_index=device_index)


def _synchronize(*device: Any) -> None:
    machine.counters.waited()


def _answer(value: Any) -> Callable[..., Any]:
    return lambda *arguments, **named: value


def _setting(first: Any) -> tuple[Callable[..., Any], ...]:
    """What reads a switch, what sets it, and what sets it to the value it had first."""
    held = [first]

    def select(value: Any, *more: Any) -> None:
        held[0] = value

    return lambda: held[0], select, lambda: select(first)


def _refuser(name: str) -> Callable[..., Any]:
    """A function that needs what there is not."""

    def refuse(*arguments: Any, **named: Any) -> Any:
        raise SimulationError(f"torch._C.{name} cannot be simulated: it needs CUDA's libraries")

    return refuse


def _allocate(size: int, stream: int) -> int:
    """``caching_allocator_alloc``: an address, which counts as memory in use until it is deleted."""
    memory = torch.empty(size, dtype=torch.uint8, device="cuda")
    _allocated[memory.data_ptr()] = memory
    return memory.data_ptr()


def _host_statistics() -> dict[str, Any]:
    """``host_memory_stats``: pinned memory is not counted."""
    kinds = "allocations allocated_bytes active_requests active_bytes".split()
    found: dict[str, Any] = {kind: dict.fromkeys(("current", "peak", "allocated", "freed"), 0) for kind in kinds}
    for name in ("alloc", "free"):
        found[f"host_{name}_time"] = dict.fromkeys(("total", "max", "min", "count", "avg"), 0)
        found[f"num_host_{name}"] = 0
    return found


def _devices() -> dict[str, Any]:
    return {
        "_cuda_getDeviceCount": lambda: machine.devices,
        "_cuda_init": machine.initialise,
        "_cuda_getDevice": machine.current,
        "_cuda_setDevice": machine.select,
        "_cuda_exchangeDevice": _exchange(),
        "_cuda_maybeExchangeDevice": _exchange(),
        "_cuda_isInBadFork": lambda: machine.forked,
        "_cuda_canDeviceAccessPeer": _answer(True),
        "_cuda_hasPrimaryContext": _answer(True),
        "_cuda_getCompiledVersion": _answer(12080),
        "_cuda_getArchFlags": _answer("sm_80 sm_90"),
        "_cuda_get_sync_debug_mode": lambda: machine.sync_debug_mode,
        "_cuda_set_sync_debug_mode": machine.select_sync_debug_mode,
        "_cuda_isCurrentStreamCapturing": _answer(False),
        "_cuda_getCurrentBlasHandle": _answer(0),
        "_cuda_synchronize": _synchronize,
        "_cuda_getCurrentStream": _current_stream,
        "_cuda_getDefaultStream": _default_stream,
        "_cuda_setStream": _set_stream,
        "_cuda_getStreamFromExternal": lambda pointer, index: (pointer, machine.checked(index), 1),
        "_cuda_getCurrentRawStream": lambda index: _current_stream(index)[0],
    }


def _memory() -> dict[str, Any]:
    return {
        "_cuda_memoryStats": statistics,
        "_cuda_hostMemoryStats": _host_statistics,
        "_cuda_resetPeakMemoryStats": forget_peaks,
        "_cuda_resetAccumulatedMemoryStats": forget_sums,
        "_cuda_cudaCachingAllocator_raw_alloc": _allocate,
        "_cuda_cudaCachingAllocator_raw_delete": _allocated.pop,
        "_cuda_memorySnapshot": lambda *pool: {"segments": [], "device_traces": []},
        "_cuda_getMemoryFraction": fraction,
        "_cuda_setMemoryFraction": set_fraction,
        "_cuda_getAllocatorBackend": lambda: allocator_setting("backend") or "native",
        "_cuda_attach_out_of_memory_observer": observers.append,
        "_cuda_cudaCachingAllocator_is_enabled": _answer(True),
    }


def memory_info(index: int) -> tuple[int, int]:
    """Free and total bytes of a device."""
    return max(0, machine.total_memory - live_bytes(machine.checked(index))), machine.total_memory


def _accelerator() -> dict[str, Any]:
    return {
        "_accelerator_getAccelerator": lambda: torch.device("cuda"),
        "_accelerator_getDeviceIndex": machine.current,
        "_accelerator_setDeviceIndex": machine.select,
        "_accelerator_exchangeDevice": _exchange(),
        "_accelerator_maybeExchangeDevice": _exchange(),
        "_accelerator_getStream": lambda index: torch.cuda.current_stream(index),
        "_accelerator_setStream": lambda stream: torch.cuda.set_stream(stream),
        "_accelerator_synchronizeDevice": _synchronize,
        "_accelerator_isAllocatorInitialized": _answer(True),
        "_accelerator_getDeviceStats": statistics,
        "_accelerator_getMemoryInfo": memory_info,
        "_accelerator_getDeviceCapability": lambda index: {"supported_dtypes": set(_DTYPES)},
        "_accelerator_resetAccumulatedStats": forget_sums,
        "_accelerator_resetPeakStats": forget_peaks,
        "_accelerator_hooks_device_count": lambda: machine.devices,
        "_accelerator_hooks_is_available": lambda: machine.devices > 0,
        "_accelerator_hooks_set_current_device": machine.select,
        "_accelerator_hooks_get_current_device": machine.current,
        "_accelerator_hooks_exchange_device": _exchange(),
        "_accelerator_hooks_maybe_exchange_device": _exchange(),
    }


def _moved(tensor: Tensor, index: int) -> Tensor:
    return tensor if tensor.get_device() == index else tensor.to(torch.device("cuda", index))


def broadcast(tensor: Tensor, devices: Sequence[int]) -> list[Tensor]:
    """A tensor on each of the devices."""
    return [_moved(tensor, index) for index in devices]


def broadcast_coalesced(tensors: Sequence[Tensor], devices: Sequence[int], size: int = 0) -> list[list[Tensor]]:
    """Tensors on each of the devices."""
    return [[_moved(tensor, index) for tensor in tensors] for index in devices]


def scatter(
    tensor: Tensor, devices: Sequence[int], chunk_sizes: Any = None, dim: int = 0, streams: Any = None
) -> tuple[Tensor, ...]:
    """A part of a tensor on each of the devices."""
    parts = tensor.chunk(len(devices), dim) if chunk_sizes is None else tensor.split(list(chunk_sizes), dim)
    return tuple(_moved(part, index) for part, index in zip(parts, devices))


def broadcast_out(tensor: Tensor, out: Sequence[Tensor]) -> list[Tensor]:
    """A tensor copied into those of several devices."""
    return [one.copy_(tensor) for one in out]


def scatter_out(tensor: Tensor, out: Sequence[Tensor], dim: int = 0, streams: Any = None) -> tuple[Tensor, ...]:
    """The parts of a tensor copied into those of several devices."""
    return tuple(one.copy_(part) for one, part in zip(out, tensor.split([one.size(dim) for one in out], dim)))


def gather_out(tensors: Sequence[Tensor], out: Tensor, dim: int = 0) -> Tensor:
    """Parts from many devices, as one tensor that is there."""
    return out.copy_(gather(tensors, dim, out.get_device()))


def gather(tensors: Sequence[Tensor], dim: int, destination: int | None) -> Tensor:
    """Parts from many devices, as one tensor."""
    for index, tensor in enumerate(tensors):
        if not tensor.is_cuda:
            raise RuntimeError(
                "Expected all input tensors to be CUDA tensors, but "
                f"tensor at index {index} has device '{tensor.device}'"
            )
    on_cpu = destination is not None and destination < 0
    device = torch.device("cpu") if on_cpu else torch.device("cuda", machine.checked(destination))
    return torch.cat([tensor.to(device) for tensor in tensors], dim)


def install_c_entry_points(patches: Patches) -> None:
    """Provide all of them."""
    patches.update(_C, {name: _answer(None) for name in _IDLE} | {name: _refuser(name) for name in _REFUSED})
    for names, value in _SETTINGS.items():
        patches.update(_C, dict(zip(names, _setting(value))))
    for entries in (_devices(), _memory(), _accelerator()):
        patches.update(_C, entries)
    for name in ("_cuda_CUDAAllocator_AllocatorState", "_set_cached_tensors_enabled"):
        if not hasattr(_C, name):
            patches.set(_C, name, torch._utils._dummy_type(name))
    copies = {"_broadcast": broadcast, "_broadcast_coalesced": broadcast_coalesced, "_scatter": scatter}
    into = {"_broadcast_out": broadcast_out, "_scatter_out": scatter_out, "_gather_out": gather_out}
    patches.update(_C, {**copies, **into, "_gather": gather})
