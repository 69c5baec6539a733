"""Memory counters: the storages that Python's tensors hold on a device, rounded as CUDA's allocator does."""

from __future__ import annotations

import gc
from contextlib import suppress
from typing import Any

import torch

from devlint.verify.sim.machine import machine

_BLOCK = 512
_peaks: dict[int, int] = {}
_SIZES = (
    "allocation segment active inactive_split allocated_bytes reserved_bytes active_bytes inactive_split_bytes "
    "requested_bytes"
).split()


def live_bytes(index: int) -> int:
    """Bytes in use on a device; tensors that only autograd holds are not counted."""
    sizes: dict[int, int] = {}
    for value in gc.get_objects():
        # type() and not isinstance(): a lazy proxy among the objects must not be woken up.
        if not issubclass(type(value), torch.Tensor) or not value.is_cuda or value.get_device() != index:
            continue
        if value.layout is torch.strided:
            with suppress(RuntimeError):  # a tensor of a compiler, without memory
                storage = value.untyped_storage()
                sizes[storage.data_ptr()] = -(-storage.nbytes() // _BLOCK) * _BLOCK
    total = sum(sizes.values())
    _peaks[index] = max(_peaks.get(index, 0), total)
    return total


def statistics(index: Any = None) -> dict[str, Any]:
    """What ``torch._C._cuda_memoryStats`` says."""
    number = machine.checked(index)
    used = live_bytes(number)
    peak = _peaks[number]
    counts = {"current": used, "peak": peak, "allocated": peak, "freed": peak - used}
    none = dict.fromkeys(counts, 0)
    stats: dict[str, Any] = {
        size: {"all": dict(counts), "small_pool": dict(none), "large_pool": dict(counts)} for size in _SIZES
    }
    stats.update(dict.fromkeys(("num_alloc_retries", "num_ooms", "num_sync_all_streams"), 0))
    stats.update(num_device_alloc=0, num_device_free=0, max_split_size=-1)
    stats.update(oversize_allocations=dict(none), oversize_segments=dict(none))
    return stats


def forget_peaks(*index: Any) -> None:
    """Measure peaks from now on."""
    _peaks.clear()
