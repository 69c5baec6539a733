"""Memory counters: the storages that Python and autograd hold on a device, rounded as CUDA's allocator does."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import torch

from devlint.verify.sim.machine import machine

_BLOCK = 512
_EXABYTE = 1 << 60
_always: list[int] = []
"""What the counters say if they are not to count, and how often that was said."""
_peaks: dict[int, int] = {}
_fractions: dict[int, float] = {}
"""By device, how much of its memory the program may use."""
observers: list[Callable[[int, int, int, int], Any]] = []
"""What is called before an allocation fails: with the device, the size, the device's memory, and how much is free."""
_failures: dict[int, int] = {}
"""By device, how many allocations failed."""
_forgotten: dict[int, int] = {}
"""By device, how much was allocated before the sums were set to zero."""
_NUMBERS = ("allocation", "segment", "active")
_ASKED = ("requested_bytes",)
_UNUSED = ("inactive_split", "inactive_split_bytes")
_SIZES = (
    "allocation segment active inactive_split allocated_bytes reserved_bytes active_bytes inactive_split_bytes "
    "requested_bytes"
).split()


def say_always(number: int) -> None:
    """Have the counters say this number and not count."""
    _always[:] = [number, 0]


def were_read() -> bool:
    """Whether a counter was read since ``say_always``."""
    return bool(_always) and _always[1] > 0


def live_bytes(index: int) -> int:
    """Bytes in use on a device; what operators need while they run is not counted."""
    return _in_blocks(_live_sizes(index))


def _live_sizes(index: int) -> dict[int, int]:
    """The sizes of the storages on a device, by address; the peak is noted."""
    if _always:
        _always[1] += 1
        _peaks.setdefault(index, _always[0])
        return {0: _always[0]}
    sizes: dict[int, int] = {}
    for value in _live_tensors():
        if value.is_cuda and value.get_device() == index and value.layout is torch.strided:
            with suppress(RuntimeError):  # a tensor of a compiler, without memory
                storage = value.untyped_storage()
                sizes[storage.data_ptr()] = storage.nbytes()
    _peaks[index] = max(_peaks.get(index, 0), _in_blocks(sizes))
    return sizes


def _in_blocks(sizes: dict[int, int]) -> int:
    """The bytes that CUDA's allocator gives for storages of these sizes."""
    return _always[0] if _always else sum(-(-size // _BLOCK) * _BLOCK for size in sizes.values())


def _live_tensors() -> Iterator[torch.Tensor]:
    """The tensors that Python holds, their gradients, and what the graphs behind them have saved."""
    waiting: list[Any] = []
    seen: set[Any] = set()
    # type() and not isinstance(): a lazy proxy among the objects must not be woken up.
    for value in [one for one in gc.get_objects() if issubclass(type(one), torch.Tensor)]:
        yield value
        if value.is_leaf and value.grad is not None:
            yield value.grad
        waiting.append(value.grad_fn)
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting += [one for one, _ in node.next_functions]
        yield from _saved_by(node)


def _saved_by(node: Any) -> Iterator[torch.Tensor]:
    """The tensors that a node of a graph has saved, as its hooks have packed them."""
    for name in dir(node):
        if name.startswith("_raw_saved_"):
            with suppress(RuntimeError):  # what backward() has freed
                saved = getattr(node, name)
                for one in saved if isinstance(saved, (list, tuple)) else (saved,):
                    data = getattr(one, "data", None)
                    if isinstance(data, torch.Tensor):
                        yield data


def set_fraction(fraction: float, index: int) -> None:
    """Allow the program this part of the memory of a device."""
    _fractions[machine.checked(index)] = fraction


def fraction(index: int) -> float:
    """Which part of the memory of a device the program may use."""
    number = machine.checked(index)
    if number not in _fractions:
        _fractions[number] = _first_fraction()
    return _fractions[number]


def _first_fraction() -> float:
    part = float(allocator_setting("per_process_memory_fraction") or 1)
    if not 0 <= part <= 1:
        raise ValueError(f"per_process_memory_fraction is invalid:{part}, it should be within [0, 1]")
    return part


def allocator_setting(name: str) -> str | None:
    """A setting of CUDA's allocator in the environment."""
    text = os.environ.get("PYTORCH_ALLOC_CONF") or os.environ.get("PYTORCH_CUDA_ALLOC_CONF") or ""
    settings = dict(part.strip().partition(":")[::2] for part in text.split(","))
    return settings.get(name)


def reserve(size: int) -> None:
    """Raise what CUDA's allocator does if so many bytes are not free."""
    if size <= machine.total_memory >> 6:
        return  # what is in use is too slow to count for every tensor
    if size >= _EXABYTE:
        raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate more than 1EB memory.")
    index = machine.current()
    used, allowed = live_bytes(index), int(fraction(index) * machine.total_memory)
    free = machine.total_memory - used
    if used + size > allowed:
        _failures[index] = _failures.get(index, 0) + 1
        for observer in observers:
            observer(index, size, machine.total_memory, free)
        limit = f"{_gibibytes(allowed)} allowed; " if allowed < machine.total_memory else ""
        raise torch.cuda.OutOfMemoryError(
            f"CUDA out of memory. Tried to allocate {_gibibytes(size)}. GPU {index} has a total capacity of "
            f"{_gibibytes(machine.total_memory)} of which {_gibibytes(free)} is free. {limit}See "
            "documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
        )


def _gibibytes(number: int) -> str:
    return f"{number / (1 << 30):.2f} GiB"


def statistics(index: Any = None) -> dict[str, Any]:
    """What ``torch._C._cuda_memoryStats`` says."""
    number = machine.checked(index)
    sizes = _live_sizes(number)
    used, peak = _in_blocks(sizes), _peaks[number]
    since = peak - min(peak, _forgotten.get(number, 0))
    counts = {"current": used, "peak": peak, "allocated": since, "freed": max(0, since - used)}
    none = dict.fromkeys(counts, 0)
    asked = {**counts, "current": sum(sizes.values())}
    number_of = {**none, "current": len(sizes), "peak": len(sizes)}
    stats: dict[str, Any] = {}
    for name in _SIZES:
        size = number_of if name in _NUMBERS else none if name in _UNUSED else asked if name in _ASKED else counts
        stats[name] = {"all": dict(size), "small_pool": dict(none), "large_pool": dict(size)}
    stats.update(num_alloc_retries=0, num_ooms=_failures.get(number, 0), num_sync_all_streams=0)
    stats.update(num_device_alloc=0, num_device_free=0, max_split_size=-1)
    stats.update(oversize_allocations=dict(none), oversize_segments=dict(none))
    return stats


def forget_sums(*index: Any) -> None:
    """Sum up what is allocated from now on."""
    _forgotten.update(_peaks)


def forget_peaks(*index: Any) -> None:
    """Measure peaks from now on."""
    _peaks.clear()
