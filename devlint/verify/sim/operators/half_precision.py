"""Computes in single precision what the CPU has no half-precision kernel for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.sim.operators.operator_table import Signature

_WIDE = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.complex32: torch.complex64}
_REFUSALS = ("not implemented for", "doesn't support tensors of type", "is not supported for conjugate view")


def refuses_half(error: Exception) -> bool:
    """Whether an error says that the CPU kernel lacks half precision."""
    message = str(error)
    return ("Half" in message or "BFloat16" in message) and any(words in message for words in _REFUSALS)


def in_single(call: Callable[..., Any], signature: Signature, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Run a CPU kernel in single precision, and convert its results to half."""
    wide_args = [_widened(value) for value in args]
    wide_kwargs = {name: _widened(value) for name, value in kwargs.items()}
    result = call(*wide_args, **wide_kwargs)
    for argument in signature.tensors:
        if argument.written:
            in_place = not argument.keyword_only and argument.position < len(args)
            wide = wide_args[argument.position] if in_place else wide_kwargs.get(argument.name)
            narrow = args[argument.position] if in_place else kwargs.get(argument.name)
            if narrow is not None and wide is not narrow:
                narrow.copy_(wide)
    values = (*args, *kwargs.values())
    narrow_dtypes = [value.dtype for value in values if isinstance(value, torch.Tensor) and value.dtype in _WIDE]
    is_brain = torch.bfloat16 in narrow_dtypes[:1]
    return _narrowed(result, torch.bfloat16 if is_brain else torch.float16)


def with_lengths_of_cufft(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of a Fourier transform, which CUDA does in half precision for lengths that are powers of two only."""

    def checked(self: torch.Tensor, dim: Any, normalization: int, rest: Any, **kwargs: Any) -> Any:
        if self.dtype in _WIDE:
            lengths = [self.shape[one] for one in dim]
            if not isinstance(rest, bool):  # of complex numbers to real ones, of which it says how many
                lengths[-1] = int(rest)
            if any(length & (length - 1) for length in lengths):
                raise RuntimeError(
                    "cuFFT only supports dimensions whose sizes are powers of two when computing in half precision, "
                    f"but got a signal size of{lengths}"
                )
        return kernel(self, dim, normalization, rest, **kwargs)

    return checked


def _widened(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to(_WIDE[value.dtype]) if value.dtype in _WIDE else value
    if isinstance(value, (list, tuple)):
        return type(value)(_widened(part) for part in value)
    return value


def _narrowed(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor):
        if value.dtype is torch.complex64:
            return value.to(torch.complex32)
        return value.to(dtype) if value.dtype is torch.float32 else value
    if isinstance(value, (list, tuple)):
        return type(value)(_narrowed(part, dtype) for part in value)
    return value
