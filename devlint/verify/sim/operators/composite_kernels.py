"""Kernels of composite operators that do otherwise on CUDA: the CPU's way, as one differentiable step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
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
_PLAIN = (Tensor, torch.nn.Parameter)
_TYPES_OF_CUDNN = (torch.float16, torch.float32, torch.float64)


class _ToCpu(torch.autograd.Function):
    """All operands of a call at once: a node of the graph costs more than the alias that it makes."""

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.index = tensors[0].get_device()
        ctx.set_materialize_grads(False)
        return tuple(map(to_cpu, tensors))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> Any:
        return _returned(gradients, ctx.index, _ToCuda)


class _ToCuda(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, index: int) -> Tensor:
        return to_cuda(tensor, index)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return _ToCpu.apply(gradient)[0] if torch.is_grad_enabled() else to_cpu(gradient), None


def _returned(gradients: tuple[Tensor | None, ...], index: int, way: type[_ToCuda]) -> tuple[Tensor | None, ...]:
    """Gradients on the device, in a graph of their own if they are to have one."""
    back = way.apply if torch.is_grad_enabled() else to_cuda
    return tuple(None if gradient is None else back(gradient, index) for gradient in gradients)


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
    """The operands of a recurrent layer of cuDNN."""

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> Any:
        return _returned(gradients, ctx.index, _LastGradient)


def _ways(given: dict[str, Any]) -> tuple[type[_ToCpu], type[_ToCuda]]:
    """How the operands of a recurrent layer get to the CPU, and its results back: cuDNN has limits of its own."""
    data = given["input"] if "input" in given else given["data"]
    if not (_C._get_cudnn_enabled() and data.dtype in _TYPES_OF_CUDNN and data.numel()):
        return _ToCpu, _ToCuda
    return _IntoCudnn, _ToCuda if given["train"] else _FromEvaluation


def _onto_cpu(values: tuple[Any, ...], way: type[_ToCpu], narrow: bool) -> tuple[Any, ...]:
    """Arguments on the CPU, narrowed as autocast does it for cuDNN's recurrent layers."""
    graph = torch.is_grad_enabled()
    differentiable: list[Tensor] = []

    def place(tensor: Tensor) -> Tensor:
        if not tensor.is_cuda:
            return tensor
        if narrow and tensor.dtype is torch.float32:
            tensor = tensor.to(torch.get_autocast_dtype("cuda"))
        if graph and tensor.requires_grad:
            differentiable.append(tensor)
            return tensor
        return to_cpu(tensor.detach())

    placed: tuple[Any, ...] = _mapped(values, place)
    if not differentiable:
        return placed
    aliases = iter(way.apply(*differentiable))
    onto_cpu: tuple[Any, ...] = _mapped(placed, lambda tensor: next(aliases) if tensor.is_cuda else tensor)
    return onto_cpu


def _onto_device(tensor: Tensor, index: int, way: type[_ToCuda]) -> Any:
    return way.apply(tensor, index) if tensor.requires_grad else to_cuda(tensor, index)


def make_composite_kernel(operator: Any, name: str) -> Callable[..., Any]:
    """A kernel for the autograd key of CUDA."""
    names = [argument.name for argument in operator._schema.arguments]
    layer = name.startswith(_LAYERS)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        operands = [
            (argument, tensor) for argument, value in (*zip(names, args), *kwargs.items()) for tensor in _tensors(value)
        ]
        if any(_is_traced(tensor) for _, tensor in operands):
            return _traced_attention(*args, **kwargs) if name == _ATTENTION else operator.decompose(*args, **kwargs)
        machine.counters.operators[name] += 1
        index = max(tensor.get_device() for _, tensor in operands)
        _check(name, index, operands)
        into, back = _ways({**dict(zip(names, args)), **kwargs}) if layer else (_ToCpu, _ToCuda)
        placed = _onto_cpu((*args, *kwargs.values()), into, layer and torch.is_autocast_enabled("cuda"))
        with _attention(operands) if name == _ATTENTION else nullcontext():
            result = operator(*placed[: len(args)], **dict(zip(kwargs, placed[len(args) :])))
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
    return type(tensor) not in _PLAIN and _C._dispatch_keys(tensor).has(_C.DispatchKey.Python)


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
