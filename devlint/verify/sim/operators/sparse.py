"""The kernels of sparse tensors on the simulated device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.sim.dlpack_relabel import CPU, Tensor, to_cpu, to_cuda
from devlint.verify.sim.machine import machine
from devlint.verify.sim.operators.device_check import misplaced
from devlint.verify.sim.operators.half_precision import in_single, refuses_half
from devlint.verify.sim.operators.operator_table import Signature

# These look at a tensor's parts and touch no values: the CPU's kernel takes the device's tensor itself.
METADATA = frozenset(
    "_indices _values indices values _nnz sparse_dim dense_dim is_coalesced _coalesced_ crow_indices col_indices "
    "ccol_indices row_indices _dimI _dimV".split()
)
_BUILDERS = ("_sparse_coo_tensor_with_dims", "_sparse_compressed_tensor_with")
_COPIES = ("aten::copy_", "aten::copy_sparse_to_sparse_")
_ACROSS_DEVICES = (*_COPIES, "aten::_to_sparse")


def make_sparse_kernel(operator: Any, keys: Any) -> Callable[..., Any]:
    """The kernel of an operator for one kind of sparse tensor, given the CPU's dispatch keys for it."""
    base = operator._schema.name.split("::")[1]
    if base in METADATA or base.startswith(_BUILDERS):
        return _part_kernel(operator, keys)
    return _value_kernel(operator)


def _part_kernel(operator: Any, keys: Any) -> Callable[..., Any]:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        device = kwargs.get("device")
        if device is None:
            return operator.redispatch(keys, *args, **kwargs)
        before = machine.current()
        machine.select(machine.of(device))  # what it makes for its parts is on the current device
        try:
            return operator.redispatch(keys, *args, **kwargs)
        finally:
            machine.select(before)

    return kernel


class _Call:
    """The arguments of one call, relabelled."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.index = -1
        self.tensors: list[Tensor] = []
        self.given = (*args, *kwargs.values())
        self.args = [self._placed(value) for value in args]
        self.kwargs = {name: self._placed(value) for name, value in kwargs.items()}
        device = self.kwargs.get("device")
        if isinstance(device, torch.device) and device.type == "cuda":
            self.kwargs["device"] = CPU
            self.index = machine.of(device)

    def _placed(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            self.tensors.append(value)
            if not value.is_cuda:
                return value
            self.index = value.get_device() if self.index < 0 else self.index
            return to_cpu(value)
        if isinstance(value, (list, tuple)):
            return type(value)(self._placed(part) for part in value)
        return value

    def returned(self, value: Any) -> Any:
        """A result: the argument itself where it is one."""
        if isinstance(value, Tensor):
            for given, placed in zip(self.given, (*self.args, *self.kwargs.values())):
                if placed is value:
                    return given
            return to_cuda(value, self.index)
        if isinstance(value, (list, tuple)):
            return type(value)(self.returned(part) for part in value)
        return value


def _value_kernel(operator: Any) -> Callable[..., Any]:
    schema = operator._schema.name
    wrapper = operator.name().replace("aten::", "")

    def kernel(*args: Any, **kwargs: Any) -> Any:
        machine.counters.operators[wrapper] += 1
        call = _Call(args, kwargs)
        if schema not in _ACROSS_DEVICES:
            for tensor in call.tensors:
                if not tensor.is_cuda and tensor.dim() > 0:
                    raise misplaced("mat", tensor.device, torch.device("cuda", call.index), wrapper)
        try:
            result = operator(*call.args, **call.kwargs)
        except RuntimeError as error:
            if not refuses_half(error):
                raise
            result = in_single(operator, Signature(operator), call.args, call.kwargs)
        if schema in _COPIES:
            if args[0].is_cuda:
                args[0].data = to_cuda(call.args[0], args[0].get_device())
            return args[0]
        return call.returned(result)

    return kernel
