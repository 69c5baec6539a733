"""In the child: reads the values of tensors without changing counters or random numbers."""

from __future__ import annotations

import ctypes
import math
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from devlint.verify.sim.dlpack_relabel import to_cpu
from devlint.verify.simulation import Simulation

LARGEST = 1 << 20
"""Most elements of a tensor whose values are kept; of larger ones only sums and a digest."""
ALL = 1 << 22
"""Most elements that are kept of all tensors together."""

Record = dict[str, Any]
_PLAIN = (torch.Tensor, torch.nn.Parameter)


class Values:
    """Writes the values of tensors to a file, and records their offsets."""

    def __init__(
        self, path: str, uncounted: Callable[[], AbstractContextManager[None]], within_tolerance: bool = False
    ) -> None:
        """``within_tolerance``: also the sums of amounts, which say how much two sums may differ."""
        self._file = open(path, "wb")  # noqa: SIM115
        self._unseen = uncounted
        self._amounts = within_tolerance
        self._at = 0

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def record(self, tensor: torch.Tensor, keep: bool = False) -> Record:
        """Record shape, dtype, device, digest and sums of a tensor, and its values if ``keep``."""
        with self._unseen(), torch.no_grad(), _outside_modes(tensor):
            record: Record = {
                "shape": list(tensor.shape),
                "dtype": str(tensor.dtype).removeprefix("torch."),
                "device": str(tensor.device),
                "requires_grad": tensor.requires_grad,
            }
            flat = _flat(tensor)
            exact = not flat.dtype.is_floating_point
            record["sums"] = _sums(flat, self._amounts)
            record["digest"] = f"{zlib.crc32(_bytes(flat)):08x} {record['sums'][0]}"
            if keep and flat.numel() <= LARGEST and self._at + flat.numel() * 8 <= ALL * 8:
                record["at"], record["kind"], record["length"] = self._at, "q" if exact else "d", flat.numel()
                wide = flat.to(torch.int64 if exact else torch.float64)  # whose memory must live until it is written
                self._at += self._file.write(_bytes(wide))
            return record


def _outside_modes(tensor: torch.Tensor) -> Any:
    """Hides operations from the modes that count and replay those of the program; classes of tensors may need them."""
    return torch._C._DisableTorchDispatch() if type(tensor) in _PLAIN else nullcontext()


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


def _sums(flat: torch.Tensor, amounts: bool) -> list[Any]:
    """The sum of the values, and of their amounts if they are wanted, in a type wide enough."""
    wide = torch.float64 if flat.dtype.is_floating_point else torch.int64
    if flat.dtype not in (torch.float32, torch.float64):  # the others cannot all be added up
        flat = flat.to(wide)
    sums = [flat.sum(dtype=wide)]
    if amounts:
        sums.append(torch.linalg.vector_norm(flat, 1, dtype=wide) if wide is torch.float64 else flat.abs().sum())
    return [_finite(one.item()) for one in sums]


def _bytes(flat: torch.Tensor) -> Any:
    """The memory of a tensor, as it is, for as long as the tensor lives."""
    size = flat.numel() * flat.element_size()
    return (ctypes.c_char * size).from_address(flat.data_ptr()) if size else b""


def _finite(number: float) -> Any:
    """The number if it is finite, else its repr, for JSON."""
    return number if math.isfinite(number) else repr(number)
