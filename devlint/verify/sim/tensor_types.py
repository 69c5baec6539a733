"""The legacy tensor types such as torch.cuda.FloatTensor: as constructors, in isinstance, as the default type."""

from __future__ import annotations

import functools
import types
from typing import Any

import torch

from devlint.verify.sim.machine import machine
from devlint.verify.sim.patches import Patches

_DTYPES = {
    "FloatTensor": torch.float32,
    "DoubleTensor": torch.float64,
    "HalfTensor": torch.float16,
    "BFloat16Tensor": torch.bfloat16,
    "ByteTensor": torch.uint8,
    "CharTensor": torch.int8,
    "ShortTensor": torch.int16,
    "IntTensor": torch.int32,
    "LongTensor": torch.int64,
    "BoolTensor": torch.bool,
    "ComplexFloatTensor": torch.complex64,
    "ComplexDoubleTensor": torch.complex128,
}
_NOT_SPARSE = ("BoolTensor", "ComplexFloatTensor", "ComplexDoubleTensor")


class CudaTensorType(type):
    """The metaclass of torch.cuda.FloatTensor and the other types."""

    dtype: torch.dtype
    layout: torch.layout

    def __new__(mcs, name: str, dtype: torch.dtype, layout: torch.layout) -> CudaTensorType:
        """Make a type of this name."""
        sparse = layout is torch.sparse_coo
        module = "torch.cuda.sparse" if sparse else "torch.cuda"
        attributes = {"dtype": dtype, "layout": layout, "is_cuda": True, "is_sparse": sparse, "__module__": module}
        return super().__new__(mcs, name, (), attributes)

    def __init__(cls, *arguments: Any) -> None:
        pass

    def __instancecheck__(cls, value: object) -> bool:
        if not isinstance(value, torch.Tensor) or not value.is_cuda:
            return False
        return value.dtype is cls.dtype and value.layout is cls.layout

    def __call__(cls, *args: Any, device: Any = None) -> torch.Tensor:
        place = machine.resolved("cuda" if device is None else device)
        kind = torch.device(place).type if isinstance(place, str) else place.type
        if kind != "cuda":
            raise RuntimeError(f"legacy constructor expects device type: cuda but device type: {kind} was passed")
        if cls.layout is torch.sparse_coo and args and isinstance(args[0], torch.Tensor):
            return torch.sparse_coo_tensor(*args, dtype=cls.dtype, device=place)
        if len(args) != 1 or isinstance(args[0], (int, torch.Size)):
            size = args[0] if len(args) == 1 else (args or 0)
            return torch.empty(size, dtype=cls.dtype, layout=cls.layout, device=place)
        return cls._converted(args[0], place)

    def _converted(cls, value: Any, device: torch.device) -> torch.Tensor:
        if isinstance(value, torch.Tensor):
            if not cls.__instancecheck__(value):
                raise TypeError(f"expected {cls.__module__}.{cls.__name__} (got {value.type()})")
            return value.alias() if value.requires_grad else value.detach()  # type: ignore[attr-defined]
        if isinstance(value, (torch.UntypedStorage, torch.storage.TypedStorage)):
            empty: Any = torch.empty(0, dtype=cls.dtype, device=device)
            return empty.set_(value)  # type: ignore[no-any-return]
        return torch.tensor(value, dtype=cls.dtype, device=device)

    def __repr__(cls) -> str:
        return f"<class '{cls.__module__}.{cls.__name__}'>"


CudaTensorType.__module__, CudaTensorType.__qualname__ = "torch", "tensortype"  # by which Dynamo knows them

CUDA_TENSOR_TYPES: dict[str, CudaTensorType] = {}
"""The types by their names with module."""


def install_tensor_types(patches: Patches) -> None:
    """Set the types in torch.cuda and torch.cuda.sparse."""
    sparse = types.ModuleType("torch.cuda.sparse")
    for name, dtype in _DTYPES.items():
        strided = CudaTensorType(name, dtype, torch.strided)
        CUDA_TENSOR_TYPES[f"torch.cuda.{name}"] = strided
        patches.set(torch.cuda, name, strided)
        if name not in _NOT_SPARSE:
            CUDA_TENSOR_TYPES[f"torch.cuda.sparse.{name}"] = CudaTensorType(name, dtype, torch.sparse_coo)
            setattr(sparse, name, CUDA_TENSOR_TYPES[f"torch.cuda.sparse.{name}"])
    patches.set(torch.cuda, "sparse", sparse)
    _install_default(patches)


def _install_default(patches: Patches) -> None:
    """``torch.set_default_tensor_type`` with one of them."""
    plain_setter = torch.set_default_tensor_type
    is_default = [False]

    def construct(*args: Any, **kwargs: Any) -> torch.Tensor:  # torch's compiler compares the signature
        made: torch.Tensor = torch._C.TensorBase.__new__(*args, **kwargs)
        return made.cuda() if args[0] is torch.Tensor and "device" not in kwargs and not made.is_cuda else made

    def leave() -> None:
        if is_default[0]:
            is_default[0] = False
            torch.set_default_device(None)
            del torch.Tensor.__new__

    @functools.wraps(plain_setter)
    def set_default_tensor_type(kind: Any) -> None:
        if isinstance(kind, str) and kind.startswith("torch.cuda."):
            if kind not in CUDA_TENSOR_TYPES:
                raise TypeError(f"invalid type object: {kind}")
            kind = CUDA_TENSOR_TYPES[kind]
        leave()
        if not isinstance(kind, CudaTensorType):
            plain_setter(kind)
            return
        torch.set_default_dtype(kind.dtype)
        torch.set_default_device("cuda")
        is_default[0] = True
        torch.Tensor.__new__ = staticmethod(construct)  # type: ignore[assignment]

    patches.set(torch, "set_default_tensor_type", set_default_tensor_type)
    patches.on_undo(leave)
