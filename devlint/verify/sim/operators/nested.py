"""The kernels of nested tensors on the simulated device."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.sim.dlpack_relabel import CPU_KEYS, NESTED_KEYS, Tensor, to_cpu, to_cuda
from devlint.verify.sim.operators.operator_table import overload

_MAKERS = "_nested_tensor_from_mask _nested_from_padded"
"""Operators that make nested tensors of others."""
_ASKS_FOR_A_GPU = re.compile("missing kernel for cuda|CUDA driver|NVIDIA driver|no CUDA-capable device")
"""What the CPU's kernels say where they choose by the device of a part: a CPU build, and a CUDA build without a GPU."""
_aten: Any = torch.ops.aten


def make_nested_kernel(name: str, keys: Any = NESTED_KEYS) -> Callable[..., Any]:
    """The kernel of an operator: the CPU's on the device's tensors, since it works on parts, which have kernels."""
    operators: list[Any] = []

    def kernel(*args: Any, **kwargs: Any) -> Any:
        if not operators:  # few programs need any of them, and looking for all of them takes time at every start
            operators.append(overload(name))
        operator = operators[0]
        if any(isinstance(value, (int, float)) for value in args[:2]):
            args = tuple(map(_as_tensor, args, operator._schema.arguments))
        try:
            return operator.redispatch(keys, *args, **kwargs)
        except RuntimeError as error:
            if not _ASKS_FOR_A_GPU.search(str(error)):
                raise
        index = next(value.get_device() for value in args if isinstance(value, Tensor) and value.is_cuda)
        placed = {key: _onto_cpu(value) for key, value in kwargs.items()}
        result = operator(*map(_onto_cpu, args), **placed)
        return (
            tuple(_onto_device(one, index) for one in result) if type(result) is tuple else _onto_device(result, index)
        )

    return kernel


def _as_tensor(value: Any, argument: Any) -> Any:
    """A number that stands for a tensor, as PyTorch gives it to kernels in Python."""
    wanted = isinstance(value, (int, float)) and str(argument.type) == "Tensor"
    return torch.tensor(value) if wanted else value


def _onto_cpu(value: Any) -> Any:
    if not isinstance(value, Tensor) or not value.is_cuda:
        return value
    return _with_values(value, to_cpu(_values(value))) if value.is_nested else to_cpu(value)


def _onto_device(value: Any, index: int) -> Any:
    if not isinstance(value, Tensor) or value.is_cuda:
        return value
    return _with_values(value, to_cuda(_values(value), index)) if value.is_nested else to_cuda(value, index)


def _values(nested: Tensor) -> Tensor:
    values: Tensor = _aten.values.default.redispatch(NESTED_KEYS, nested)
    return values


def _with_values(nested: Tensor, values: Tensor) -> Any:
    """A nested tensor of the same shapes as another one."""
    names = ("_nested_tensor_size", "_nested_tensor_strides", "_nested_tensor_storage_offsets")
    shapes = (getattr(_aten, name).default.redispatch(NESTED_KEYS, nested) for name in names)
    return _aten._nested_view_from_buffer.default.redispatch(CPU_KEYS, values, *shapes)


NESTED: dict[str, Callable[..., Any]] = {name: make_nested_kernel(name, CPU_KEYS) for name in _MAKERS.split()}
