"""Autograd on the device."""

from __future__ import annotations

from typing import Any

import pytest
import torch


def test_gradients_are_where_the_tensors_are() -> None:
    """.grad has the device of its tensor. Reference: notes/autograd.rst"""
    x = torch.ones(2, device="cuda:1", requires_grad=True)
    (x * x).sum().backward()
    assert x.grad is not None
    assert (x.grad.device, x.grad.tolist()) == (x.device, [2, 2])


def test_a_gradient_elsewhere_is_refused() -> None:
    """A .grad of another device cannot be assigned. Reference: torch/csrc/autograd/python_variable.cpp"""
    x = torch.ones(2, device="cuda", requires_grad=True)
    with pytest.raises(RuntimeError, match="(assigned grad has data located on a different device|same device)"):
        x.grad = torch.ones(2)
    x.grad = torch.ones(2, device="cuda")


def test_backward_wants_a_gradient_of_the_same_device() -> None:
    """The gradient given to backward() is checked. Reference: torch/csrc/autograd/engine.cpp"""
    x = torch.ones(2, device="cuda", requires_grad=True)
    with pytest.raises(RuntimeError, match="device"):
        (x * 2).backward(torch.ones(2))
    (x * 2).backward(torch.ones(2, device="cuda"))


def test_a_graph_may_cross_devices() -> None:
    """Gradients flow back through copies. Reference: notes/autograd.rst"""
    x = torch.ones(2, requires_grad=True)
    y = (x.cuda() * 2).to("cuda:1") * 3
    y.cpu().sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [6, 6]


def test_gradients_accumulate() -> None:
    """backward() adds to .grad. Reference: generated/torch.Tensor.backward"""
    x = torch.ones(2, device="cuda", requires_grad=True)
    for _ in range(3):
        x.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [3, 3]


def test_grad_of_several() -> None:
    """torch.autograd.grad, create_graph and second derivatives. Reference: autograd.rst"""
    x = torch.tensor([2.0], device="cuda", requires_grad=True)
    (first,) = torch.autograd.grad(x**3, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert (first.item(), second.item()) == (12, 12)


def test_no_grad_and_inference_mode() -> None:
    """Neither records a graph. Reference: notes/autograd.rst"""
    x = torch.ones(2, device="cuda", requires_grad=True)
    with torch.no_grad():
        assert not (x * 2).requires_grad
    with torch.inference_mode():
        y = x * 2
    assert y.is_inference()
    with pytest.raises(RuntimeError, match="Inference tensors"):
        (y * x).sum().backward()


def test_detach_shares_memory() -> None:
    """detach() is a view without history. Reference: generated/torch.Tensor.detach"""
    x = torch.ones(2, device="cuda", requires_grad=True)
    y = x.detach()
    y[0] = 5
    assert x.tolist() == [5, 1]
    assert not y.requires_grad


def test_writing_into_a_leaf_is_refused() -> None:
    """A leaf that requires grad is not written in place. Reference: notes/autograd.rst"""
    x = torch.ones(2, device="cuda", requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        x.add_(1)


def test_a_changed_saved_tensor_is_noticed() -> None:
    """Version counters count on the device too. Reference: notes/autograd.rst"""
    x = torch.ones(2, device="cuda", requires_grad=True)
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_function_of_ones_own() -> None:
    """torch.autograd.Function runs on the device. Reference: notes/extending.rst"""

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            assert x.is_cuda
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
            (x,) = ctx.saved_tensors
            assert grad.is_cuda
            assert x.is_cuda
            return grad * 2

    x = torch.ones(2, device="cuda", requires_grad=True)
    Double.apply(x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2, 2]


def test_hooks_see_device_tensors() -> None:
    """Tensor and module hooks. Reference: notes/autograd.rst (Backward Hooks execution)"""
    seen: list[torch.device] = []
    x = torch.ones(2, device="cuda", requires_grad=True)
    x.register_hook(lambda grad: seen.append(grad.device))
    layer = torch.nn.Linear(2, 1).cuda()
    layer.register_full_backward_hook(lambda module, inward, outward: seen.append(outward[0].device))
    layer(x).sum().backward()
    assert seen == [torch.device("cuda", 0)] * 2


def test_saved_tensor_hooks_can_keep_them_on_the_cpu() -> None:
    """save_on_cpu moves what autograd saves. Reference: autograd.rst (Hooks for saved tensors)"""
    x = torch.ones(2, device="cuda", requires_grad=True)
    with torch.autograd.graph.save_on_cpu():
        y = x * x
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2, 2]


def test_checkpointing() -> None:
    """Recomputation gives the same gradient, random numbers included. Reference: checkpoint.rst"""
    from torch.utils.checkpoint import checkpoint

    layer = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.5)).cuda()
    x = torch.ones(3, 4, device="cuda", requires_grad=True)
    torch.manual_seed(1)
    layer(x).sum().backward()
    assert x.grad is not None
    plain = x.grad.clone()
    x.grad = None
    torch.manual_seed(1)
    checkpoint(layer, x, use_reentrant=False).sum().backward()
    assert torch.equal(plain, x.grad)


def test_gradcheck() -> None:
    """gradcheck works on CUDA tensors. Reference: notes/gradcheck.rst"""
    x = torch.rand(3, dtype=torch.float64, device="cuda", requires_grad=True)
    assert torch.autograd.gradcheck(torch.sin, (x,))


@pytest.mark.slow
def test_transforms_of_functions() -> None:
    """torch.func: grad, vmap, jacrev. Reference: func.rst"""
    x = torch.tensor([1.0, 2.0], device="cuda")
    assert torch.func.grad(lambda v: (v**2).sum())(x).tolist() == [2, 4]
    assert torch.func.vmap(lambda v: v * 2)(x).tolist() == [2, 4]
    assert torch.func.jacrev(torch.square)(x).is_cuda


def test_functional_higher_order() -> None:
    """torch.autograd.functional on the device. Reference: autograd.rst"""
    x = torch.tensor([1.0, 2.0], device="cuda")
    assert torch.autograd.functional.hessian(lambda v: (v**3).sum(), x).tolist() == [[6, 0], [0, 12]]
