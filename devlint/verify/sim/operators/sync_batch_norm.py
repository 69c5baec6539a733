"""Kernels of the operators of SyncBatchNorm, which only CUDA has: statistics of channels, joined over processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.sim.dlpack_relabel import Tensor, to_cpu, to_cuda


def _kernel(compute: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that computes with relabelled arguments."""

    def kernel(*args: Any) -> Any:
        index = args[0].get_device()
        result = compute(*(to_cpu(value) if isinstance(value, Tensor) else value for value in args))
        if isinstance(result, Tensor):
            return to_cuda(result, index)
        return tuple(None if part is None else to_cuda(part, index) for part in result)

    return kernel


def _summed(values: Tensor) -> Tensor:
    return values.sum([dimension for dimension in range(values.dim()) if dimension != 1])


def _wide(values: Tensor | None, like: Tensor) -> Any:
    """Values of channels, in a shape that goes with an input."""
    return 1.0 if values is None else values.view(1, -1, *[1] * (like.dim() - 2))


def _stats(input: Tensor, eps: float) -> Any:
    count = input.numel() // input.size(1)
    values = input.float() if input.dtype in (torch.half, torch.bfloat16) else input
    mean = _summed(values) / count
    return mean, (_summed((values - _wide(mean, input)).square()) / count + eps).rsqrt()


def _gather_stats(
    input: Tensor,
    mean: Tensor,
    invstd: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    momentum: float,
    eps: float,
    counts: Tensor,
) -> Any:
    weights, total = counts.view(-1, 1), counts.sum()
    joined = (mean * weights).sum(0) / total
    variance = ((invstd**-2 - eps + (mean - joined).square()) * weights).sum(0) / total
    if running_mean is not None:
        running_mean.lerp_(joined.to(running_mean.dtype), momentum)
    if running_var is not None:
        running_var.lerp_((variance * total / (total - 1)).to(running_var.dtype), momentum)
    return joined, (variance + eps).rsqrt()


def _gather_equal_stats(
    input: Tensor,
    mean: Tensor,
    invstd: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    momentum: float,
    eps: float,
    count: int,
) -> Any:
    counts = mean.new_full((len(mean),), count)
    return _gather_stats(input, mean, invstd, running_mean, running_var, momentum, eps, counts)


def _elementwise(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, invstd: Tensor, eps: float
) -> Tensor:
    scaled: Tensor = (input - _wide(mean, input)) * _wide(invstd, input) * _wide(weight, input)
    return (scaled if bias is None else scaled + _wide(bias, input)).to(input.dtype)


def _backward_reduce(
    grad: Tensor,
    input: Tensor,
    mean: Tensor,
    invstd: Tensor,
    weight: Tensor | None,
    input_g: bool,
    weight_g: bool,
    bias_g: bool,
) -> Any:
    sums, products = _summed(grad.to(mean.dtype)), _summed(grad * (input - _wide(mean, input)))
    dtype = mean.dtype if weight is None else weight.dtype
    return (
        sums if input_g else None,
        products if input_g else None,
        (products * invstd).to(dtype) if weight_g else None,
        sums.to(dtype) if bias_g else None,
    )


def _backward_elementwise(
    grad: Tensor,
    input: Tensor,
    mean: Tensor,
    invstd: Tensor,
    weight: Tensor | None,
    sums: Tensor,
    products: Tensor,
    counts: Tensor,
) -> Tensor:
    total = counts.sum()
    slope = _wide(invstd.square() * products / total, input)
    centred = grad - _wide(sums / total, input) - (input - _wide(mean, input)) * slope
    result: Tensor = centred * _wide(invstd, input) * _wide(weight, input)
    return result.to(input.dtype)


SYNC_BATCH_NORM: dict[str, Callable[..., Any]] = {
    "batch_norm_stats": _kernel(_stats),
    "batch_norm_gather_stats": _kernel(_gather_equal_stats),
    "batch_norm_gather_stats_with_counts": _kernel(_gather_stats),
    "batch_norm_elemt": _kernel(_elementwise),
    "batch_norm_backward_reduce": _kernel(_backward_reduce),
    "batch_norm_backward_elemt": _kernel(_backward_elementwise),
}
