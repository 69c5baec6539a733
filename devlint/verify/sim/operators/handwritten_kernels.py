"""Kernels for operators that relabelling alone cannot simulate: memory, copies, indexing, convolution."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import torch

from devlint.verify.sim.dlpack_relabel import CPU, Tensor, to_cpu, to_cuda
from devlint.verify.sim.machine import machine
from devlint.verify.sim.memory_counters import reserve
from devlint.verify.sim.operators.device_check import another_device, misplaced

_aten: Any = torch.ops.aten


def empty(
    size: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: Any = None,
    memory_format: Any = None,
) -> Tensor:
    """``empty.memory_format``."""
    index = machine.of(device)
    reserve(prod(size) * (dtype or torch.get_default_dtype()).itemsize)
    if memory_format is None:
        return to_cuda(torch.empty(size, dtype=dtype, device=CPU), index)
    return to_cuda(torch.empty(size, dtype=dtype, device=CPU, memory_format=memory_format), index)


def empty_strided(
    size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None
) -> Tensor:
    """``empty_strided``."""
    return to_cuda(torch.empty_strided(size, stride, dtype=dtype, device=CPU), machine.of(device))


def efficient_zeros(
    size: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None
) -> Tensor:
    """``_efficientzerotensor``: zeros with memory, since a tensor without cannot be relabelled."""
    return to_cuda(torch.zeros(size, dtype=dtype, device=CPU), machine.of(device))


def copy_(self: Tensor, source: Tensor, non_blocking: bool = False) -> Tensor:
    """``copy_`` between any two devices."""
    to_device, from_device = self.is_cuda, source.is_cuda
    kind = "d2d" if to_device == from_device else ("h2d" if to_device else "d2h")
    machine.counters.copied(kind, source.numel() * source.element_size())
    if machine.sync_debug_mode and kind != "d2d" and not non_blocking:
        machine.hidden_wait()
    (to_cpu(self) if to_device else self).copy_(to_cpu(source) if from_device else source)
    return self


def item(self: Tensor) -> Any:
    """``_local_scalar_dense``: the host waits for the device."""
    machine.hidden_wait()
    return _aten._local_scalar_dense.default(to_cpu(self))


def resize_(self: Tensor, size: Any, *, memory_format: Any = None) -> Tensor:
    """``resize_``: in place where the memory is enough, else in new memory with the old values."""
    if tuple(self.shape) == tuple(size):
        return self
    needed = prod(size)
    if self.untyped_storage().nbytes() >= (self.storage_offset() + needed) * self.element_size():
        strides = [max(prod(max(n, 1) for n in size[i + 1 :]), 1) for i in range(len(size))]
        self.as_strided_(list(size), strides)
        return self
    old, new = to_cpu(self), torch.empty(size, dtype=self.dtype)
    kept = min(old.numel(), needed)
    if kept and old.is_contiguous():
        new.view(-1)[:kept] = old.reshape(-1)[:kept]
    self.set_(to_cuda(new, self.get_device()))  # type: ignore[call-overload]
    return self


def index(self: Tensor, indices: Any) -> Tensor:
    """``index.Tensor``: the indices may be on the CPU."""
    return to_cuda(_aten.index.Tensor(to_cpu(self), _indices(indices, self)), self.get_device())


def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False, unsafe: bool = False) -> Tensor:
    """``_index_put_impl_``: the indices may be on the CPU, and a value without dimensions too."""
    placed = _indices(indices, self)
    if values.get_device() == self.get_device():
        values = to_cpu(values)
    elif values.is_cuda or values.dim() != 0 or not self.is_cuda:
        pair = (self.device, values.device) if self.is_cuda else (values.device, self.device)
        raise another_device(*pair)
    _aten._index_put_impl_.default(to_cpu(self), placed, values, accumulate, unsafe)
    return self


def _indices(indices: Any, indexed: Tensor) -> list[Tensor | None]:
    placed: list[Tensor | None] = []
    for entry in indices:
        if entry is not None and entry.dtype in (torch.bool, torch.uint8) and indexed.is_cuda:
            machine.hidden_wait()  # a mask is turned into indices, whose number the host must know
        if entry is not None and entry.is_cuda:
            if entry.get_device() != indexed.get_device():
                raise RuntimeError(
                    f"indices should be either on cpu or on the same device as the indexed tensor ({indexed.device})"
                )
            entry = to_cpu(entry)
        placed.append(entry)
    return placed


def _softmax(name: str) -> Callable[..., Tensor]:
    operator = getattr(_aten, name).default

    def kernel(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
        on_cpu = to_cpu(self)
        return to_cuda(operator(on_cpu.float() if half_to_float else on_cpu, dim, False), self.get_device())

    return kernel


def _softmax_backward(name: str) -> Callable[..., Tensor]:
    operator = getattr(_aten, name).default

    def kernel(grad: Tensor, output: Tensor, dim: int, input_dtype: torch.dtype) -> Tensor:
        if grad.get_device() != output.get_device():
            raise misplaced("output", output.device, grad.device, name)
        on_cpu = to_cpu(grad)
        result = operator(on_cpu, to_cpu(output), dim, on_cpu.dtype)
        return to_cuda(result.to(input_dtype), grad.get_device())

    return kernel


def convolution(input: Tensor, weight: Tensor, bias: Tensor | None, *rest: Any) -> Tensor:
    """``convolution``, which looks at the types of its operands."""
    for name, operand in (("weight", weight), ("bias", bias)):
        if operand is not None and operand.get_device() != input.get_device():
            if not input.is_cuda and operand is weight and _is_left_to_loops(input, weight, *rest):
                raise misplaced(name, weight.device, input.device, "__slow_conv2d_forward")
            raise RuntimeError(f"Input type ({input.type()}) and {name} type ({operand.type()}) should be the same")
    placed_bias = None if bias is None else to_cpu(bias)
    return to_cuda(_aten.convolution.default(to_cpu(input), to_cpu(weight), placed_bias, *rest), input.get_device())


def _is_left_to_loops(input: Tensor, weight: Tensor, *rest: Any) -> bool:
    """Whether the CPU has no library for a convolution, so that its weight is the first that is looked at."""
    C: Any = torch._C
    return bool(C._select_conv_backend(input, to_cpu(weight), None, *rest) == C._ConvBackend.Slow2d)


def convolution_backward(grad: Tensor, input: Tensor, weight: Tensor, *rest: Any) -> Any:
    """``convolution_backward``."""
    parts = _aten.convolution_backward.default(to_cpu(grad), to_cpu(input), to_cpu(weight), *rest)
    return tuple(None if part is None else to_cuda(part, grad.get_device()) for part in parts)


def nansum(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """``nansum``, which takes complex numbers too."""
    on_cpu = to_cpu(self)
    if on_cpu.is_complex():
        kept = on_cpu.masked_fill(on_cpu.isnan(), 0)
        wide = kept.to(torch.complex64) if kept.dtype is torch.complex32 else kept
        result = torch.sum(wide, dim, keepdim, dtype=dtype or wide.dtype).to(dtype or kept.dtype)
    else:
        result = torch.nansum(on_cpu, dim, keepdim, dtype=dtype)
    return to_cuda(result, self.get_device())


def lstsq(self: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """``linalg_lstsq``, for which CUDA has one driver."""
    if driver not in (None, "gels"):
        raise RuntimeError("torch.linalg.lstsq: `driver` other than `gels` is not supported on CUDA")
    if b.get_device() != self.get_device():
        raise misplaced("b", b.device, self.device, "_linalg_lstsq")
    results = _aten.linalg_lstsq.default(to_cpu(self), to_cpu(b), rcond, driver="gels")
    return tuple(to_cuda(one, self.get_device()) for one in results)


def observe_and_quantize(self: Tensor, observes: Tensor, quantizes: Tensor, *rest: Any) -> Any:
    """``_fused_moving_avg_obs_fq_helper``, which may enlarge the first four of the rest."""
    index, observed = self.get_device(), rest[:4]
    for name, tensor in zip(("observer_on", "fake_quant_on", "running_min"), (observes, quantizes, observed[0])):
        if tensor.get_device() != index:
            raise misplaced(name, tensor.device, self.device, "___fused_moving_avg_obs_fq_helper")
    copies = [to_cpu(tensor).clone() for tensor in observed]
    on_cpu = map(to_cpu, (self, observes, quantizes))
    results = _aten._fused_moving_avg_obs_fq_helper.default(*on_cpu, *copies, *rest[4:])
    for tensor, copy in zip(observed, copies):
        to_cpu(tensor.resize_(copy.shape)).copy_(copy)
    return tuple(to_cuda(one, index) for one in results)


def _never(*args: Any, **kwargs: Any) -> bool:
    return False


HANDWRITTEN: dict[str, Callable[..., Any]] = {
    "empty.memory_format": empty,
    "empty_strided": empty_strided,
    "_efficientzerotensor": efficient_zeros,
    "copy_": copy_,
    "_local_scalar_dense": item,
    "resize_": resize_,
    "index.Tensor": index,
    "_index_put_impl_": index_put_,
    "_fused_moving_avg_obs_fq_helper": observe_and_quantize,
    "convolution": convolution,
    "linalg_lstsq": lstsq,
    "nansum": nansum,
    "convolution_backward": convolution_backward,
    "_use_cudnn_ctc_loss": _never,
    "_use_cudnn_ctc_loss.Tensor": _never,
    "_use_miopen_ctc_loss": _never,
    "_use_miopen_ctc_loss.Tensor": _never,
    "_softmax": _softmax("_softmax"),
    "_log_softmax": _softmax("_log_softmax"),
    "_softmax_backward_data": _softmax_backward("_softmax_backward_data"),
    "_log_softmax_backward_data": _softmax_backward("_log_softmax_backward_data"),
}
