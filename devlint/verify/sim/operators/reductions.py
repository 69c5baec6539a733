"""How nccl reduces, where gloo, which does its work here, differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch.utils._pytree import tree_map

from devlint.verify.errors import SimulationError

_BITWISE = ("BAND", "BOR", "BXOR")


def collected_tensors(value: Any) -> Iterator[torch.Tensor]:
    """The tensors in the arguments of a collective."""
    if isinstance(value, torch.Tensor):
        yield value
    for part in value if isinstance(value, (list, tuple)) else ():
        yield from collected_tensors(part)


def reduce_as_nccl(placed: list[Any], rank: int, size: int) -> Callable[[], None] | None:
    """Change the arguments of a reduction to ones that gloo knows, and say what to do when it is finished."""
    *_, options = (None, *placed)
    operation = getattr(options, "reduceOp", None)
    if operation is None:
        return None
    kinds = {tensor.dtype for tensor in collected_tensors(placed)}
    _refuse(operation, kinds)
    is_root = getattr(options, "rootRank", rank) == rank
    if not is_root:  # gloo uses the memory of the others for its own sums
        placed[0] = tree_map(torch.clone, placed[0])
    if operation == dist.ReduceOp.PREMUL_SUM:
        _multiply_first(placed, options)
    elif operation == dist.ReduceOp.AVG and not any(kind.is_floating_point or kind.is_complex for kind in kinds):
        options.reduceOp = dist.ReduceOp.SUM
        if is_root:
            return lambda: _divide(placed[0], size)
    return None


def _refuse(operation: Any, kinds: set[torch.dtype]) -> None:
    for name in _BITWISE:
        if operation == getattr(dist.ReduceOp, name):
            raise ValueError(f"Cannot use ReduceOp.{name} with NCCL")
    if torch.bool in kinds and operation == dist.ReduceOp.AVG:
        raise TypeError("Cannot use ReduceOp.AVG with boolean inputs")
    if operation == dist.ReduceOp.PREMUL_SUM and not all(kind.is_floating_point for kind in kinds):
        raise TypeError("PreMulSum Data type must be half, float, bfloat16 or double")
    for kind in kinds:
        if kind.is_floating_point and kind.itemsize == 1:
            raise SimulationError(f"a reduction of {kind} by nccl cannot be simulated")


def _multiply_first(placed: list[Any], options: Any) -> None:
    """Multiply what is reduced by the factor of PREMUL_SUM, which gloo lacks."""
    options.reduceOp, factor = dist.ReduceOp.SUM, options.reduceOp.__getstate__()[1]
    in_place = len(placed) == 2
    placed[-2] = tree_map(lambda tensor: tensor.mul_(factor) if in_place else tensor * factor, placed[-2])


def _divide(summed: Any, size: int) -> None:
    """Divide sums of whole numbers by the size of the group, toward zero, as nccl does."""
    for tensor in collected_tensors(summed):
        tensor.div_(size, rounding_mode="trunc")
