"""What nccl refuses, where gloo, which does its work here, would take it or say it in other words."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

from devlint.verify.sim.machine import machine
from devlint.verify.sim.operators.reductions import collected_tensors

_WITHOUT_NCCL = {torch.int16: "Short", torch.uint16: "UInt16", torch.uint32: "UInt32", torch.uint64: "UInt64"}
"""The types of numbers that nccl does not know, as its error calls them."""
_READ = {"allgather": slice(1, 2), "gather": slice(1, 2), "scatter": slice(1), "reduce_scatter": slice(1)}
"""The arguments, of those that hold tensors, that nccl uses where they are; the lists beside them are copied."""
_BETWEEN_TWO = ("send", "recv")


def refuse_unknown_types(tensors: list[torch.Tensor]) -> None:
    """Raise nccl's error about types that it cannot send."""
    for tensor in tensors:
        if tensor.dtype in _WITHOUT_NCCL:
            name = _WITHOUT_NCCL[tensor.dtype]
            raise TypeError(f"Input tensor data type is not supported for NCCL process group: {name}")


def refuse_layouts(name: str, tensors: list[torch.Tensor], arguments: tuple[Any, ...]) -> None:
    """Raise nccl's errors about tensors that are sparse, or not in one piece where it needs them to be."""
    if any(tensor.layout != torch.strided for tensor in tensors):
        if name == "allreduce":
            raise RuntimeError(
                "NCCL does not support all_reduce with sparse tensors. Please use dense tensors instead."
            )
        raise ValueError("Tensors must be CUDA and dense")
    for tensor in () if name in _BETWEEN_TWO else collected_tensors(arguments[_READ.get(name, slice(None))]):
        if not (tensor.is_contiguous() or tensor.is_contiguous(memory_format=_suggested(tensor))):
            raise ValueError("Tensors must be contiguous")


def _suggested(tensor: torch.Tensor) -> torch.memory_format:
    """The order of memory that a tensor of images may have."""
    return {4: torch.channels_last, 5: torch.channels_last_3d}.get(tensor.dim(), torch.contiguous_format)


def refuse_sizes(name: str, size: int, output: torch.Tensor, given: torch.Tensor) -> None:
    """Raise nccl's errors about a tensor that does not have the type or the size of the parts."""
    gathers = name == "_allgather_base"
    if output.dtype != given.dtype:
        same = "output tensor must have the same type as input tensor"
        raise TypeError(same if gathers else "input tensor must be the same type as the output tensor.")
    whole, part = (output, given) if gathers else (given, output)
    if whole.numel() != part.numel() * size:
        larger = "output tensor size must be equal to world_size times input tensor size"
        raise ValueError(larger if gathers else "input tensor must be the same size as output size times world size")


def refuse_shared_card(gloo: Any, rank: int, size: int, device: torch.device) -> None:
    """Raise nccl's error where two processes of a group use the same card, as where none has chosen its own."""
    mine = torch.tensor([machine.card(machine.of(device))])
    cards = [torch.empty_like(mine) for _ in range(size)]
    gloo.allgather([cards], [mine]).wait()
    others = [other for other, card in enumerate(cards) if other != rank and card.item() == mine.item()]
    if others:
        raise dist.DistBackendError(
            "NCCL error: invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.27.3\nncclInvalidUsage: "
            f"This usually reflects invalid usage of NCCL library.\nLast error:\nDuplicate GPU detected : rank {rank} "
            f"and rank {others[0]} both on CUDA device {mine.item():x}"
        )
