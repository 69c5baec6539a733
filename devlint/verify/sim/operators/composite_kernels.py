"""Kernels of composite operators that do otherwise on CUDA: the CPU's way, as one differentiable step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import torch

from devlint.verify.sim.dlpack_relabel import Tensor, to_cpu, to_cuda
from devlint.verify.sim.machine import machine
from devlint.verify.sim.operators.device_check import misplaced

COMPOSITES = (
    "lstm.input lstm.data gru.input gru.data rnn_tanh.input rnn_tanh.data rnn_relu.input rnn_relu.data lstm_cell "
    "gru_cell scaled_dot_product_attention"
).split()
_C: Any = torch._C
_ATTENTION = "scaled_dot_product_attention"
_LAYERS = ("lstm.", "gru.", "rnn_")
_MAY_BE_ON_CPU = ("batch_sizes",)
_ONCE = (
    "the derivative for '_cudnn_rnn_backward' is not implemented. Double backwards is not supported for CuDNN RNNs due "
    "to limitations in the CuDNN API. To run double backwards, please disable the CuDNN backend temporarily while "
    "running the forward pass of your RNN. For example: \nwith torch.backends.cudnn.flags(enabled=False):\n"
    "    output = model(inputs)"
)
_TYPES_OF_CUDNN = (torch.float16, torch.float32, torch.float64)


class _ToCpu(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor) -> Tensor:
        ctx.index = tensor.get_device()
        return to_cpu(tensor)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return _ToCuda.apply(grad, ctx.index)


class _ToCuda(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, index: int) -> Tensor:
        return to_cuda(tensor, index)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return _ToCpu.apply(grad), None


class _FromEvaluation(_ToCuda):
    """The result of a recurrent layer of cuDNN that is not in training mode."""

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        raise RuntimeError("cudnn RNN backward can only be called in training mode")


class _LastGradient(_ToCuda):
    """A gradient that cuDNN has computed."""

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        raise NotImplementedError(_ONCE)


class _IntoCudnn(_ToCpu):
    """An operand of a recurrent layer of cuDNN."""

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return _LastGradient.apply(grad, ctx.index)


def _ways(given: dict[str, Any]) -> tuple[type[_ToCpu], type[_ToCuda]]:
    """How the operands of a recurrent layer get to the CPU, and its results back: cuDNN has limits of its own."""
    data = given["input"] if "input" in given else given["data"]
    if not (_C._get_cudnn_enabled() and data.dtype in _TYPES_OF_CUDNN and data.numel()):
        return _ToCpu, _ToCuda
    return _IntoCudnn, _ToCuda if given["train"] else _FromEvaluation


def _onto_cpu(tensor: Tensor, way: type[_ToCpu], narrow: bool) -> Any:
    """The tensor on the CPU, narrowed as autocast does it for cuDNN's recurrent layers."""
    if not tensor.is_cuda:
        return tensor
    if narrow and tensor.dtype is torch.float32:
        tensor = tensor.to(torch.get_autocast_dtype("cuda"))
    if tensor.requires_grad and torch.is_grad_enabled():
        return way.apply(tensor)
    return to_cpu(tensor.detach())


def _onto_device(tensor: Tensor, index: int, way: type[_ToCuda]) -> Any:
    return way.apply(tensor, index) if tensor.requires_grad else to_cuda(tensor, index)


def make_composite_kernel(operator: Any, name: str) -> Callable[..., Any]:
    """A kernel for the autograd key of CUDA."""
    names = [argument.name for argument in operator._schema.arguments]
    layer = name.startswith(_LAYERS)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        if any(_is_traced(tensor) for value in (*args, *kwargs.values()) for tensor in _tensors(value)):
            return _traced_attention(*args, **kwargs) if name == _ATTENTION else operator.decompose(*args, **kwargs)
        machine.counters.operators[name] += 1
        operands = [
            (argument, tensor) for argument, value in (*zip(names, args), *kwargs.items()) for tensor in _tensors(value)
        ]
        index = max(tensor.get_device() for _, tensor in operands)
        _check(name, index, operands)
        into, back = _ways({**dict(zip(names, args)), **kwargs}) if layer else (_ToCpu, _ToCuda)
        place = partial(_onto_cpu, way=into, narrow=layer and torch.is_autocast_enabled("cuda"))
        placed = {key: _mapped(value, place) for key, value in kwargs.items()}
        with _attention(operands) if name == _ATTENTION else nullcontext():
            result = operator(*(_mapped(value, place) for value in args), **placed)
        return _mapped(result, lambda tensor: _onto_device(tensor, index, back))

    return kernel


def _traced_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, *rest: Any, **options: Any
) -> Tensor:
    """Attention by products, which a CPU build chooses, too: a CUDA build would ask cuDNN first."""
    if "attn_mask" in options:
        mask = options.pop("attn_mask")
    if mask is not None and mask.dtype is torch.bool:
        mask = torch.zeros_like(mask, dtype=query.dtype).masked_fill(~mask, -math.inf)
    result: Tensor = torch.ops.aten._scaled_dot_product_attention_math(query, key, value, mask, *rest, **options)[0]
    return result


@contextmanager
def _attention(operands: list[tuple[str, Tensor]]) -> Iterator[None]:
    """Have the CPU compute what the program's choice of kernels allows on CUDA, which has others than the CPU."""
    if _C._get_math_sdp_enabled():
        yield
        return
    narrow = operands[0][1].dtype in (torch.float16, torch.bfloat16)
    if not (
        _C._get_mem_efficient_sdp_enabled() or (narrow and (_C._get_flash_sdp_enabled() or _C._get_cudnn_sdp_enabled()))
    ):
        raise RuntimeError("No available kernel. Aborting execution.")
    _C._set_sdp_use_math(True)
    try:
        yield
    finally:
        _C._set_sdp_use_math(False)


def _is_traced(tensor: Tensor) -> bool:
    """Whether a tensor has no values of its own: a fake one of Dynamo, or a subclass that dispatches in Python."""
    return type(tensor) is not Tensor and _C._dispatch_keys(tensor).has(_C.DispatchKey.Python)


def _check(name: str, index: int, operands: list[tuple[str, Tensor]]) -> None:
    for argument, tensor in operands:
        if tensor.get_device() == index or argument in _MAY_BE_ON_CPU:
            continue
        if name.startswith(_LAYERS):
            _check_recurrent(operands)
        raise misplaced(argument, tensor.device, torch.device("cuda", index), name)


def _check_recurrent(operands: list[tuple[str, Tensor]]) -> None:
    """What ``_rnn_impl`` says of states and parameters that are not where the input is."""
    device = operands[0][1].device
    for word, argument in (("hidden", "hx"), ("parameter", "params")):
        for name, tensor in operands:
            if name == argument and tensor.device != device:
                raise RuntimeError(
                    f"Input and {word} tensors are not at the same device, found input tensor at {device} and "
                    f"{word} tensor at {tensor.device}"
                )


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _tensors(part)


def _mapped(value: Any, change: Callable[[Tensor], Any]) -> Any:
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(part, change) for part in value)
    return value
