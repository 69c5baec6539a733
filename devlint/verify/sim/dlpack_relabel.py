"""Relabels a CPU tensor as a CUDA tensor over the same memory, and back.

A tensor is exported to DLPack, the eight bytes of the capsule that name its device are overwritten, and it is imported
again: a real tensor whose device is cuda:N and whose dispatch key is CUDA, over host memory, without a copy.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.errors import SimulationError

Tensor = torch.Tensor
CPU = torch.device("cpu")

_C: Any = torch._C
_aten: Any = torch.ops.aten
_export: Callable[[Tensor], Any] = _C._to_dlpack
_import: Callable[[Any], Tensor] = _C._from_dlpack
_strided = torch.strided

_pointer: Any = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_memory: Any = (ctypes.c_uint64 * (1 << 59)).from_address(0)
"""The memory of the process, a word for each eighth address: reading it makes no object of ctypes."""
_HEAD = object.__basicsize__
"""What a capsule begins with, before its pointer."""

# DLTensor is {void *data; int32_t device_type; int32_t device_id; int32_t ndim; int32_t dtype; int64_t *shape;
# int64_t *strides; …}; kDLCPU is 1 and kDLCUDA 2.
_DEVICE = 1
_STRIDES = 4
_ON_CPU = 1
_ON_CUDA = 2

CPU_KEYS = _C.DispatchKeySet(_C.DispatchKey.CPU)
SPARSE_KEYS = _C.DispatchKeySet(_C.DispatchKey.SparseCPU)
NESTED_KEYS = _C.DispatchKeySet(_C.DispatchKey.NestedTensorCPU)
COMPRESSED_KEYS = _C.DispatchKeySet(_C.DispatchKey.SparseCsrCPU)

# DLPack has no names for these: they travel as integers of the same width.
_DISGUISES = {
    getattr(torch, name): disguise
    for names, disguise in (
        ("float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu", torch.uint8),
        ("uint16", torch.int16),
        ("uint32", torch.int32),
        ("uint64", torch.int64),
        ("complex32", torch.int32),
    )
    for name in names.split()
    if hasattr(torch, name)
}


def to_cpu(tensor: Tensor) -> Tensor:
    """Relabel a device tensor as a CPU tensor over the same memory."""
    if tensor.layout is not _strided:
        return _other_layout(tensor, to_cpu, CPU)
    if tensor.dtype in _DISGUISES:
        alias = _alias(_disguised(tensor), _ON_CPU).view(tensor.dtype)
    else:
        alias = _alias(tensor, _ON_CPU)
    if tensor.is_conj():
        alias = alias.conj()
    if tensor.is_neg():
        alias = torch._neg_view(alias)
    return alias


def to_cuda(tensor: Tensor, index: int) -> Tensor:
    """Relabel a CPU tensor as one on a device, over the same memory."""
    if tensor.layout is not _strided:
        return _other_layout(tensor, lambda part: to_cuda(part, index), torch.device("cuda", index))
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    device = _ON_CUDA | (index << 32)
    if tensor.dtype not in _DISGUISES:
        return _alias(tensor, device)
    alias: Tensor = _aten.view.dtype.redispatch(CPU_KEYS, _alias(_disguised(tensor), device), tensor.dtype)
    return alias


def _alias(tensor: Tensor, device: int) -> Tensor:
    """A tensor over the same memory, whose device is the one of this word."""
    try:
        capsule = _export(tensor)
    except BufferError as error:
        kind = "quantized tensors" if tensor.is_quantized else f"tensors of {tensor.dtype}"
        raise SimulationError(f"{kind} cannot be simulated on a CUDA device") from error
    start = _memory[(id(capsule) + _HEAD) >> 3] >> 3
    _memory[start + _DEVICE] = device
    if 1 in tensor.shape:  # torch gives dimensions of one regular strides as it exports them
        at = _memory[start + _STRIDES] >> 3
        for stride in tensor.stride():
            _memory[at] = stride
            at += 1
    return _import(capsule)


def _disguised(tensor: Tensor) -> Tensor:
    """The tensor in a type that DLPack knows."""
    if tensor.is_conj():
        tensor = _aten._conj.default.redispatch(CPU_KEYS, tensor)
    disguised: Tensor = _aten.view.dtype.redispatch(CPU_KEYS, tensor, _DISGUISES[tensor.dtype])
    return disguised


def _check_capsules() -> None:
    capsule = _export(torch.empty(1))
    if _memory[(id(capsule) + _HEAD) >> 3] != _pointer(capsule, b"dltensor"):
        raise SimulationError("the capsules of this Python are not as those of CPython: CUDA cannot be simulated")


_check_capsules()


def _other_layout(tensor: Tensor, relabel: Callable[[Tensor], Tensor], device: torch.device) -> Tensor:
    """Relabel the parts of a sparse tensor."""
    layout = tensor.layout
    if layout is torch.sparse_coo:
        return _coo(tensor, relabel, device)
    if layout in (torch.sparse_csr, torch.sparse_bsr):
        names = ("crow_indices", "col_indices", "values")
    elif layout in (torch.sparse_csc, torch.sparse_bsc):
        names = ("ccol_indices", "row_indices", "values")
    else:
        raise SimulationError(f"tensors of layout {layout} cannot be simulated on a device")
    parts = [relabel(getattr(_aten, name).default.redispatch(COMPRESSED_KEYS, tensor)) for name in names]
    result: Tensor = _aten._sparse_compressed_tensor_unsafe.default(
        *parts, list(tensor.shape), dtype=tensor.dtype, layout=layout, device=device
    )
    return result


def _coo(tensor: Tensor, relabel: Callable[[Tensor], Tensor], device: torch.device) -> Tensor:
    def part(name: str) -> Any:
        return getattr(_aten, name).default.redispatch(SPARSE_KEYS, tensor)

    result: Tensor = _aten._sparse_coo_tensor_with_dims_and_tensors.default(
        part("sparse_dim"),
        part("dense_dim"),
        list(tensor.shape),
        relabel(part("_indices")),
        relabel(part("_values")),
        dtype=tensor.dtype,
        layout=torch.sparse_coo,
        device=device,
        pin_memory=False,
        is_coalesced=part("is_coalesced"),
    )
    return result
