"""Types that CUDA's kernels refuse and the CPU's do not, and the other way round; made from PyTorch's own tests."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.sim.dlpack_relabel import Tensor

Kernel = Callable[..., Any]

_NAMES = {
    torch.bool: "Bool",
    torch.uint8: "Byte",
    torch.int8: "Char",
    torch.int16: "Short",
    torch.int32: "Int",
    torch.int64: "Long",
    torch.float16: "Half",
    torch.bfloat16: "BFloat16",
    torch.complex32: "ComplexHalf",
    torch.complex64: "ComplexFloat",
    torch.complex128: "ComplexDouble",
}


_KERNELS = {
    "mm": "addmm_cuda",
    "bmm": "baddbmm_cuda",
    "addmv": "addmv_impl_cuda",
    "dot": "dot",
    "vdot": "vdot",
}
"""The names of CUDA's kernels in messages, where they are not those of the operators."""


def read_table() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The types that CUDA refuses and those that only CUDA takes, by operator, of the nearest version of torch."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dtypes.json")
    with open(path, encoding="utf-8") as file:
        tables = json.load(file)
    if not tables:
        return {}, {}
    installed = _version(torch.__version__)
    older = [version for version in tables if _version(version) <= installed]
    table = tables[max(older, key=_version) if older else min(tables, key=_version)]
    return table["refused"], table["accepted"]


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.partition("+")[0].split(".")[:2])


def with_types_of_cuda(kernels: dict[str, Kernel]) -> None:
    """Have kernels refuse the types that CUDA refuses, and take those that only CUDA takes."""
    refused, accepted = read_table()
    kernels["abs.out"] = _absolute(kernels["abs.out"])
    for table, change in ((refused, _refusing), (accepted, _accepting)):
        for name, types in table.items():
            for one in (name, f"{name}_", f"{name}.out") if change is _refusing else (name,):
                if one in kernels and (one is name or one not in table):
                    kernels[one] = change(one, kernels[one], frozenset(getattr(torch, word) for word in types))


def _refusing(name: str, kernel: Kernel, types: frozenset[torch.dtype]) -> Kernel:
    plain = name.partition(".")[0].rstrip("_")
    kernel_name = _KERNELS.get(plain) or plain + "_cuda"

    def refuse(*args: Any, **kwargs: Any) -> Any:
        for value in args:
            if isinstance(value, Tensor):
                if value.dtype in types:
                    raise NotImplementedError(f"\"{kernel_name}\" not implemented for '{_NAMES[value.dtype]}'")
                break
        return kernel(*args, **kwargs)

    return refuse


def _accepting(name: str, kernel: Kernel, types: frozenset[torch.dtype]) -> Kernel:
    """Compute whole numbers in a type that the CPU's kernel takes."""

    def accept(*args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else None
        if not isinstance(first, Tensor) or first.dtype not in types:
            return kernel(*args, **kwargs)
        result = kernel(first.to(torch.uint8 if first.dtype is torch.bool else torch.float64), *args[1:], **kwargs)
        narrow = isinstance(result, Tensor) and result.dtype in (torch.uint8, torch.float64)
        return result.to(first.dtype) if narrow else result

    return accept


def _absolute(kernel: Kernel) -> Kernel:
    """``abs.out``, which takes truth values on CUDA: they are what they are."""

    def absolute(self: Tensor, *, out: Tensor) -> Tensor:
        if self.dtype is torch.bool and self.device == out.device:
            return out.resize_(self.shape).copy_(self)
        result: Tensor = kernel(self, out=out)
        return result

    return absolute
