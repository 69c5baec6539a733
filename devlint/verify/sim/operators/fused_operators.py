"""Kernels of operators that only CUDA has, fused from several steps: here the same steps in the same order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.sim.dlpack_relabel import Tensor, to_cpu, to_cuda
from devlint.verify.sim.generators import generator_on
from devlint.verify.sim.operators.device_check import misplaced


def _on_cpu(*tensors: Tensor | None) -> Any:
    return tuple(None if tensor is None else to_cpu(tensor) for tensor in tensors)


def _on_device(index: int, *tensors: Tensor | None) -> Any:
    return tuple(None if tensor is None else to_cuda(tensor, index) for tensor in tensors)


def dropout(input: Tensor, p: float, train: bool | None) -> Any:
    """``native_dropout``: the draws and the arithmetic of the CPU's ``dropout``."""
    if train is False:
        return input.clone(), torch.ones_like(input, dtype=torch.bool)
    index, values = input.get_device(), to_cpu(input)
    noise = torch._C.TensorBase.bernoulli_(torch.empty_like(values), 1 - p, generator=generator_on(index, None))
    mask = noise.bool()
    return _on_device(index, values * noise.div_(1 - p), mask)


def dropout_backward(grad: Tensor, mask: Tensor, scale: float) -> Tensor:
    """``native_dropout_backward``."""
    if grad.get_device() != mask.get_device():
        raise misplaced("mask", mask.device, grad.device, "_native_dropout_backward")
    values, kept = _on_cpu(grad, mask)
    noise = kept.to(values.dtype)
    noise = noise.div_(1.0 / scale) if scale else noise.zero_()
    return to_cuda(values * noise, grad.get_device())


def lstm_cell(
    input_gates: Tensor,
    hidden_gates: Tensor,
    cell: Tensor,
    input_bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> Any:
    """``_thnn_fused_lstm_cell``."""
    index = input_gates.get_device()
    of_input, of_hidden, before, ib, hb = _on_cpu(input_gates, hidden_gates, cell, input_bias, hidden_bias)
    gates = of_hidden + of_input if ib is None else (of_hidden + hb) + (of_input + ib)
    i, f, c, o = gates.chunk(4, 1)
    i, f, c, o = i.sigmoid(), f.sigmoid(), c.tanh(), o.sigmoid()
    after = f * before + i * c
    return _on_device(index, o * after.tanh(), after, torch.cat([i, f, c, o], 1))


def lstm_cell_backward(
    grad_hidden: Tensor | None,
    grad_cell: Tensor | None,
    cell_before: Tensor,
    cell_after: Tensor,
    workspace: Tensor,
    has_bias: bool,
) -> Any:
    """``_thnn_fused_lstm_cell_backward_impl``."""
    index = workspace.get_device()
    gh, gc, before, after, saved = _on_cpu(grad_hidden, grad_cell, cell_before, cell_after, workspace)
    i, f, c, o = saved.chunk(4, 1)
    tanh = after.tanh()
    gh = torch.zeros_like(after) if gh is None else gh
    gc = torch.zeros_like(after) if gc is None else gc
    total = gh * o * (1 - tanh * tanh) + gc
    gates = torch.cat(
        [
            total * c * i * (1 - i),
            total * before * f * (1 - f),
            total * i * (1 - c * c),
            gh * tanh * o * (1 - o),
        ],
        1,
    )
    return _on_device(index, gates, total * f, gates.sum(0) if has_bias else None)


def gru_cell(
    input_gates: Tensor,
    hidden_gates: Tensor,
    hidden: Tensor,
    input_bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> Any:
    """``_thnn_fused_gru_cell``."""
    index = input_gates.get_device()
    of_input, of_hidden, before, ib, hb = _on_cpu(input_gates, hidden_gates, hidden, input_bias, hidden_bias)
    if ib is not None:
        of_input, of_hidden = of_input + ib, of_hidden + hb
    ir, iz, inew = of_input.chunk(3, 1)
    hr, hz, hnew = of_hidden.chunk(3, 1)
    r, z = (hr + ir).sigmoid(), (hz + iz).sigmoid()
    new = (inew + r * hnew).tanh()
    return _on_device(index, (before - new) * z + new, torch.cat([r, z, new, before, hnew], 1))


def gru_cell_backward(grad: Tensor, workspace: Tensor, has_bias: bool) -> Any:
    """``_thnn_fused_gru_cell_backward``."""
    index = workspace.get_device()
    g, saved = _on_cpu(grad, workspace)
    r, z, new, before, hnew = saved.chunk(5, 1)
    gz = g * (before - new) * z * (1 - z)
    gnew = g * (1 - z) * (1 - new * new)
    gr = gnew * hnew * r * (1 - r)
    of_input, of_hidden = torch.cat([gr, gz, gnew], 1), torch.cat([gr, gz, gnew * r], 1)
    biases = (of_input.sum(0), of_hidden.sum(0)) if has_bias else (None, None)
    return _on_device(index, of_input, of_hidden, g * z, *biases)


FUSED: dict[str, Callable[..., Any]] = {
    "native_dropout": dropout,
    "native_dropout_backward": dropout_backward,
    "_thnn_fused_lstm_cell": lstm_cell,
    "_thnn_fused_lstm_cell_backward_impl": lstm_cell_backward,
    "_thnn_fused_gru_cell": gru_cell,
    "_thnn_fused_gru_cell_backward": gru_cell_backward,
}
