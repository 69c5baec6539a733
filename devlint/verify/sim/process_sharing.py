"""Tensors on a device that are sent to other processes, which then see the same memory, as with CUDA IPC.

PyTorch's own reducers do the work. What they ask of CUDA is answered here: the memory of a storage is replaced by
shared memory of the system, and the handle of that memory is a storage on the CPU, which PyTorch can send.
"""

from __future__ import annotations

import ctypes
import threading
from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch

from devlint.verify.errors import SimulationError
from devlint.verify.sim.dlpack_relabel import to_cuda
from devlint.verify.sim.machine import machine
from devlint.verify.sim.patches import Patches
from devlint.verify.sim.streams import Event

_FORWARDED = (
    "Attempted to send CUDA tensor received from another process; this is not currently supported. Consider cloning "
    "before sending."
)
_POINTER_WORDS = range(16, 64, 8)
"""Where in a StorageImpl its pointer can be: behind the virtual table and the counts of references."""
_POINTER_SIZE = 24
"""The address, and the context and the function that free it."""

_move: Any = ctypes.PyDLL(None).memmove  # which keeps the interpreter to itself: no other thread writes meanwhile
_move.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
_word_at = ctypes.c_uint64.from_address
_shared: dict[int, Any] = {}
"""By address, a weak reference to the CPU's storage of memory that was shared, or received."""
_received: set[int] = set()
"""The addresses of memory that came from another process."""


class SharedMemory:
    """What stands for the handle of CUDA's memory: it names the same memory in each process."""

    def __init__(self, storage: Any) -> None:
        self._address: int = storage.data_ptr()
        self._storage: Any = storage

    def __hash__(self) -> int:
        return self._address

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SharedMemory) and other._address == self._address

    def __reduce__(self) -> Any:
        return SharedMemory, (self.taken(),)

    def taken(self) -> Any:
        """The storage on the CPU, which is not held any longer: PyTorch keeps handles long after the tensors."""
        storage, self._storage = self._storage, None
        return storage


class _Refused:
    """Sent in place of a tensor: who receives it gets the error, and does not wait for what never comes."""

    def __init__(self, message: str) -> None:
        self._message = message

    def __reduce__(self) -> Any:
        return _raise, (self._message,)


def _raise(message: str) -> None:
    raise RuntimeError(message)


def _share(storage: Any) -> tuple[Any, ...]:
    """``UntypedStorage._share_cuda_``."""
    index = storage.device.index
    if not storage.nbytes():
        return (index, None, 0, 0, None, 0, None, False)
    address = storage.data_ptr()
    on_cpu = _still_there(address)
    if on_cpu is None:
        on_cpu = _replaced(storage)
    elif address in _received:
        return (index, _refusal(_FORWARDED), storage.nbytes(), 0, None, 0, None, False)
    return (index, SharedMemory(on_cpu), storage.nbytes(), 0, None, 0, None, False)


def _refusal(message: str) -> _Refused:
    """Raise an error; or return it to be sent, in the thread of a queue, which would only print it."""
    if threading.current_thread().name != "QueueFeederThread":
        raise RuntimeError(message)
    return _Refused(message)


def _still_there(address: int) -> Any | None:
    """The storage on the CPU of shared memory that is in use."""
    reference = _shared.get(address)
    return None if reference is None else torch.UntypedStorage._new_with_weak_ptr(reference.cdata)


def _remember(on_cpu: Any) -> None:
    from torch.multiprocessing.reductions import StorageWeakRef

    for address in [address for address, reference in _shared.items() if reference.expired()]:
        del _shared[address]
        _received.discard(address)
    _shared[on_cpu.data_ptr()] = StorageWeakRef(on_cpu)


def _replaced(storage: Any) -> Any:
    """Give a storage on a device shared memory with the same contents, under all tensors that use it."""
    on_cpu = torch.UntypedStorage._new_shared(storage.nbytes())
    fresh = _on_device(on_cpu, storage.device.index)
    ours, theirs = _pointer(storage), _pointer(fresh)
    if ours - storage._cdata != theirs - fresh._cdata or storage.nbytes() != fresh.nbytes():
        raise SimulationError("a tensor on a device cannot be shared with another process: unknown layout of storages")
    _move(fresh.data_ptr(), storage.data_ptr(), storage.nbytes())
    kept = ctypes.string_at(ours, _POINTER_SIZE)
    _move(ours, theirs, _POINTER_SIZE)
    _move(theirs, kept, _POINTER_SIZE)
    _remember(on_cpu)
    return on_cpu


def _on_device(on_cpu: Any, index: int) -> Any:
    values: Any = torch.empty(0, dtype=torch.uint8)
    return to_cuda(values.set_(on_cpu), index).untyped_storage()


def _pointer(storage: Any) -> int:
    """Where the pointer to the memory of a storage is kept."""
    for offset in _POINTER_WORDS:
        if _word_at(storage._cdata + offset).value == storage.data_ptr():
            return int(storage._cdata + offset)
    raise SimulationError("a tensor on a device cannot be shared with another process: unknown layout of storages")


def _received_storage(device: int, handle: SharedMemory, *rest: Any) -> Any:
    """``UntypedStorage._new_shared_cuda``."""
    on_cpu = handle.taken()
    if _still_there(on_cpu.data_ptr()) is None:
        _remember(on_cpu)
        _received.add(on_cpu.data_ptr())
    return _on_device(on_cpu, machine.checked(device))


def install_process_sharing(patches: Patches) -> None:
    """Provide the parts of CUDA that PyTorch's reducers of tensors and events use."""
    from torch.multiprocessing.reductions import reduce_event

    methods = {
        "_share_cuda_": _share,
        "_new_shared_cuda": staticmethod(_received_storage),
        "_release_ipc_counter_cuda": staticmethod(lambda *arguments, **named: None),
    }
    patches.update(torch.UntypedStorage, methods)
    reducers: Any = ForkingPickler._extra_reducers  # type: ignore[attr-defined]
    reducers[Event] = reduce_event
    patches.on_undo(lambda: reducers.pop(Event, None))
