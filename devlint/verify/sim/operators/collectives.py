"""Collectives of CUDA tensors: gloo, also where a group is one of gloo, gets the same memory as a tensor on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.sim.dlpack_relabel import to_cpu


def make_collective_kernel(name: str) -> Callable[..., Any]:
    """The kernel of an operator of ``c10d``, which returns the tensors it was given first, its work, or both."""

    def kernel(*args: Any) -> Any:
        operator = getattr(torch.ops.c10d, name).default
        result = operator(*map(on_cpu, args))
        return (args[0], *result[1:]) if isinstance(result, (tuple, list)) else result

    return kernel


def on_cpu(value: Any) -> Any:
    """A value with the memory of its CUDA tensors as tensors on the CPU."""
    if isinstance(value, torch.Tensor):
        return to_cpu(value) if value.is_cuda else value
    if isinstance(value, (list, tuple)):
        return [on_cpu(part) for part in value]
    return value
