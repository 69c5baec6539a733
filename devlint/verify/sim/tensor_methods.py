"""Patches methods of tensors, modules and storages that take a device, or pin or share memory."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.errors import SimulationError
from devlint.verify.sim.dlpack_relabel import to_cuda
from devlint.verify.sim.machine import machine
from devlint.verify.sim.patches import Patches
from devlint.verify.sim.tensor_types import CUDA_TENSOR_TYPES, CudaTensorType

_Base: Any = torch._C.TensorBase
_WITH_A_DEVICE = (torch.UntypedStorage, torch.storage.TypedStorage)
_DRAWING = "normal_ uniform_ bernoulli_ exponential_ random_ cauchy_ geometric_ log_normal_".split()
_pinned: dict[int, int] = {}
"""How many tensors were pinned at an address."""
_sizes: dict[int, int] = {}
"""The bytes of the storages that were made smaller, which keep their memory."""
_NOT_REGISTERED = 713
"""``cudaErrorHostMemoryNotRegistered``."""


def pin_memory(self: Any, device: Any = None) -> torch.Tensor:
    """``Tensor.pin_memory``: a copy that is marked as pinned."""
    if self.is_cuda:
        raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
    if is_pinned(self):
        return self  # type: ignore[no-any-return]
    copy: torch.Tensor = self.clone(memory_format=torch.preserve_format).detach()
    return _mark_as_pinned(copy)


def _mark_as_pinned(tensor: torch.Tensor) -> torch.Tensor:
    address = _address(tensor)
    if address is not None:
        pin(address)
        weakref.finalize(tensor.untyped_storage(), unpin, address)  # which outlives the tensor in its views
    return tensor


def _address(tensor: torch.Tensor) -> int | None:
    """Where the memory of a tensor is; None for what torch traces, or maps over in ``vmap`` and ``grad``."""
    try:
        storage = tensor.untyped_storage()
        return None if storage.device.type == "meta" else storage.data_ptr()
    except RuntimeError:
        return None


def pin(address: int, *how: int) -> int:
    """``cudaHostRegister``: what is at this address is pinned; 0, as CUDA gives for success."""
    _pinned[address] = _pinned.get(address, 0) + 1
    return 0


def unpin(address: int) -> int:
    """``cudaHostUnregister``: what is at this address is no longer pinned; a code of CUDA's, 0 for success."""
    if address not in _pinned:
        return _NOT_REGISTERED
    _pinned[address] -= 1
    if not _pinned[address]:
        del _pinned[address]
    return 0


def is_pinned_at(address: int) -> bool:
    """Whether the memory at an address was pinned."""
    return address in _pinned


def is_pinned(self: Any, device: Any = None) -> bool:
    """``Tensor.is_pinned``."""
    if self.is_cuda or self.layout is not torch.strided:
        return False
    address = _address(self)
    return address is not None and is_pinned_at(address)


def _to(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) in (str, int, torch.device):
            args = (machine.resolved(args[0]), *args[1:])
        elif kwargs.get("device") is not None:
            kwargs["device"] = machine.resolved(kwargs["device"])
        return plain(self, *args, **kwargs)

    return to


_to_resolved = _to(_Base.to)


@functools.wraps(_Base.to)
def _tensor_to(self: Any, *args: Any, **kwargs: Any) -> Any:
    """``Tensor.to``: what is copied to the CPU without blocking is pinned."""
    result = _to_resolved(self, *args, **kwargs)
    if self.is_cuda and result.is_cpu and (kwargs.get("non_blocking") or True in args[1:3]):
        return _mark_as_pinned(result) if result.layout is torch.strided else result
    return result


@functools.wraps(_Base.cuda)  # Dynamo knows methods of tensors by their names
def _cuda(self: Any, device: Any = None, non_blocking: bool = False, memory_format: Any = torch.preserve_format) -> Any:
    subclass = type(self) not in (torch.Tensor, torch.nn.Parameter)
    if subclass and torch.overrides.has_torch_function_unary(self):
        return torch.overrides.handle_torch_function(
            torch.Tensor.cuda, (self,), self, device, non_blocking=non_blocking, memory_format=memory_format
        )
    place = machine.resolved("cuda" if device is None else device)
    if isinstance(place, str):
        place = torch.device(place)
    if place.type != "cuda":
        raise RuntimeError("Invalid device, must be cuda device")
    return _Base.to(self, place, non_blocking=non_blocking, memory_format=memory_format)


def _type(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def type_(self: Any, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
        if dtype is None:
            return plain(self)
        if isinstance(dtype, str) and dtype.startswith("torch.cuda."):
            if dtype not in CUDA_TENSOR_TYPES:
                raise ValueError(f"invalid type: '{dtype}'")
            dtype = CUDA_TENSOR_TYPES[dtype]
        if not isinstance(dtype, CudaTensorType):
            return plain(self, dtype, non_blocking, **kwargs)
        if self.is_cuda:
            return _Base.to(self, dtype.dtype, non_blocking=non_blocking)
        return _Base.to(self, machine.resolved("cuda"), dtype.dtype, non_blocking=non_blocking)

    return type_


def _new(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def new(self: Any, *args: Any, **kwargs: Any) -> Any:
        device = kwargs.get("device")
        if device is not None:
            kwargs["device"] = machine.resolved(device)
        elif self.is_cuda and not (args and isinstance(args[0], _WITH_A_DEVICE)):
            kwargs["device"] = self.device  # no guard makes the tensor's device the current one
        return plain(self, *args, **kwargs)

    return new


def _drawing(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a random in-place method: a CPU tensor refuses a device's generator."""

    @functools.wraps(plain)
    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        generator = kwargs.get("generator")
        if generator is not None and not self.is_cuda and generator.device.type == "cuda":
            raise RuntimeError("Expected a 'cpu' device type for generator but found 'cuda'")
        return plain(self, *args, **kwargs)

    return draw


def record_stream(self: Any, stream: Any) -> None:
    """``Tensor.record_stream``: do nothing, everything is finished."""
    if not self.is_cuda:
        raise NotImplementedError(
            "Could not run 'aten::record_stream' with arguments from the 'CPU' backend. 'aten::record_stream' is only "
            "available for these backends: [CUDA]."
        )


def install_tensor_methods(patches: Patches) -> None:
    """Patch torch.Tensor and torch.nn.Module."""
    T = torch.Tensor
    methods = {"pin_memory": pin_memory, "is_pinned": is_pinned, "record_stream": record_stream}
    patches.update(T, {"to": _tensor_to, "cuda": _cuda, "type": _type(_Base.type), **methods})
    for name in ("new", "new_empty", "new_zeros", "new_ones", "new_full", "new_tensor"):
        patches.set(T, name, _new(getattr(_Base, name)))
    for name in _DRAWING:
        patches.set(T, name, _drawing(getattr(_Base, name)))
    patches.set(torch.nn.Module, "to", _to(torch.nn.Module.to))
    uninitialized: Any = vars(torch.nn.parameter)["UninitializedTensorMixin"]  # the methods of lazy parameters
    patches.set(uninitialized, "_allowed_methods", [*uninitialized._allowed_methods, T.cuda, T.to])
    _install_storages(patches)


def _install_pinning(patches: Patches, Storage: Any) -> None:
    """Pinned storages."""

    def pin_storage(self: Any, device: Any = "cuda") -> Any:
        empty: Any = torch.empty(0, dtype=torch.uint8)
        return pin_memory(empty.set_(self)).untyped_storage()

    def is_pinned(self: Any, device: Any = "cuda") -> bool:
        return self.data_ptr() in _pinned

    patches.update(Storage, {"pin_memory": pin_storage, "is_pinned": is_pinned})


def _install_storages(patches: Patches) -> None:
    """``torch.UntypedStorage`` on a device, pinned or shared."""
    Storage: Any = torch.UntypedStorage
    plain_new, plain_share, plain_resize = Storage.__new__, Storage.share_memory_, Storage.resize_
    plain_nbytes = Storage.nbytes
    _install_pinning(patches, Storage)

    def construct(cls: Any, *args: Any, **kwargs: Any) -> Any:
        device = machine.resolved(kwargs.get("device"))
        if cls is Storage and isinstance(device, torch.device) and device.type == "cuda":
            size = args[0] if args else kwargs.get("size", 0)
            values = torch.empty(size if isinstance(size, int) else len(size), dtype=torch.uint8)
            return to_cuda(values, device.index).untyped_storage()
        return plain_new(cls, *args, **kwargs)

    def resize_(self: Any, size: int) -> Any:
        if not self.is_cuda:
            return plain_resize(self, size)
        if size > plain_nbytes(self):
            raise SimulationError("storages on a device cannot be enlarged")
        if self._cdata not in _sizes:
            weakref.finalize(self, _sizes.pop, self._cdata, None)
        _sizes[self._cdata] = size  # it keeps its memory: who frees a storage, as FSDP does, takes it back later
        return self

    def nbytes(self: Any) -> int:
        return _sizes[self._cdata] if self._cdata in _sizes else plain_nbytes(self)

    methods = {
        "__new__": construct,
        "resize_": resize_,
        "nbytes": nbytes,
        "size": nbytes,
        "__len__": nbytes,
        "share_memory_": lambda self, *args, **kwargs: self if self.is_cuda else plain_share(self, *args, **kwargs),
    }
    patches.update(Storage, methods)
