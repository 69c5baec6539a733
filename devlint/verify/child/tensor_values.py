"""In the child: reads the values of tensors without changing counters or random numbers."""

from __future__ import annotations

import ctypes
import hashlib
import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch

from devlint.verify.sim.dlpack_relabel import to_cpu
from devlint.verify.simulation import Simulation

LARGEST = 1 << 20
"""Most elements of a tensor whose values are kept; of larger ones only sums and a digest."""
ALL = 1 << 22
"""Most elements that are kept of all tensors together."""

Record = dict[str, Any]


class Values:
    """Writes the values of tensors to a file, and records their offsets."""

    def __init__(self, path: str, uncounted: Callable[[], AbstractContextManager[None]]) -> None:
        self._file = open(path, "wb")  # noqa: SIM115
        self._unseen = uncounted
        self._at = 0

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def record(self, tensor: torch.Tensor, keep: bool = False) -> Record:
        """Record shape, dtype, device, digest and sums of a tensor, and its values if ``keep``."""
        with self._unseen(), torch.no_grad():
            record: Record = {
                "shape": list(tensor.shape),
                "dtype": str(tensor.dtype).removeprefix("torch."),
                "device": str(tensor.device),
                "requires_grad": tensor.requires_grad,
            }
            flat = _flat(tensor)
            record["digest"] = _digest(flat)
            exact = not flat.dtype.is_floating_point
            record["sums"] = _sums(flat)
            if keep and flat.numel() <= LARGEST and self._at + flat.numel() * 8 <= ALL * 8:
                record["at"], record["kind"], record["length"] = self._at, "q" if exact else "d", flat.numel()
                self._at += self._file.write(_bytes(flat.to(torch.int64 if exact else torch.float64)))
            return record


def _flat(tensor: torch.Tensor) -> torch.Tensor:
    """The values of a tensor as a flat CPU tensor; complex numbers become pairs."""
    tensor = tensor.detach()
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    if tensor.layout is not torch.strided:
        tensor = tensor.to_dense()
    if tensor.is_cuda and Simulation.current is not None:
        tensor = to_cpu(tensor)  # the same memory
    tensor = tensor.cpu().resolve_conj().resolve_neg()
    if tensor.dtype.is_complex:
        tensor = torch.view_as_real(tensor)
    return tensor.contiguous().reshape(-1)


def _sums(flat: torch.Tensor) -> list[Any]:
    """The sum of the values, and of their amounts, in a type wide enough."""
    if flat.dtype in (torch.float32, torch.float64):
        total, amount = flat.sum(dtype=torch.float64), torch.linalg.vector_norm(flat, 1, dtype=torch.float64)
    else:
        wide = flat.to(torch.float64 if flat.dtype.is_floating_point else torch.int64)
        total, amount = wide.sum(), wide.abs().sum()
    return [_finite(total.item()), _finite(amount.item())]


def _bytes(flat: torch.Tensor) -> Any:
    """The memory of a tensor, as it is."""
    size = flat.numel() * flat.element_size()
    return (ctypes.c_char * size).from_address(flat.data_ptr()) if size else b""


def _digest(flat: torch.Tensor) -> str:
    return hashlib.sha1(_bytes(flat)).hexdigest()[:16]


def _finite(number: float) -> Any:
    """The number if it is finite, else its repr, for JSON."""
    return number if math.isfinite(number) else repr(number)
