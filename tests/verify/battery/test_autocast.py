"""Mixed precision as CUDA does it."""

from __future__ import annotations

import warnings

import pytest
import torch
import torch.nn.functional as F


def test_autocast_is_half_by_default() -> None:
    """On CUDA autocast means float16. Reference: amp.rst"""
    x = torch.ones(2, 2, device="cuda")
    with torch.autocast("cuda"):
        assert (x @ x).dtype is torch.float16
    assert (x @ x).dtype is torch.float32


def test_autocast_to_bfloat16() -> None:
    """dtype= chooses the precision. Reference: amp.rst"""
    x = torch.ones(2, 2, device="cuda")
    with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
        assert F.linear(x, x).dtype is torch.bfloat16


def test_autocast_of_cuda_leaves_the_cpu_alone() -> None:
    """Each device type has its own autocast. Reference: amp.rst"""
    x = torch.ones(2, 2)
    with torch.autocast("cuda"):
        assert (x @ x).dtype is torch.float32
    y = x.cuda()
    with torch.autocast("cpu"):
        assert (y @ y).dtype is torch.float32


@pytest.mark.parametrize("function", [torch.exp, torch.log, torch.sum, lambda x: F.softmax(x, 0), lambda x: x.pow(2)])
def test_what_autocasts_to_float32(function: object) -> None:
    """Some operators compute in float32. Reference: amp.rst (CUDA Ops that can autocast to float32)"""
    with torch.autocast("cuda"):
        assert function(torch.ones(2, device="cuda").half()).dtype is torch.float32  # type: ignore[operator]


def test_what_promotes_to_the_widest() -> None:
    """Some operators promote. Reference: amp.rst (CUDA Ops that promote to the widest input type)"""
    with torch.autocast("cuda"):
        assert (
            torch.addcmul(
                *[torch.ones(1, device="cuda").half(), torch.ones(1, device="cuda"), torch.ones(1, device="cuda")]
            ).dtype
            is torch.float32
        )


def test_autocast_can_be_left() -> None:
    """enabled=False inside. Reference: amp.rst"""
    x = torch.ones(2, 2, device="cuda")
    with torch.autocast("cuda"):
        half = x @ x
        with torch.autocast("cuda", enabled=False):
            assert (half.float() @ x).dtype is torch.float32
        assert torch.is_autocast_enabled("cuda")


def test_the_old_name() -> None:
    """torch.cuda.amp.autocast is deprecated and works. Reference: amp.rst"""
    x = torch.ones(2, 2, device="cuda")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        with torch.cuda.amp.autocast():
            assert (x @ x).dtype is torch.float16


def test_binary_cross_entropy_is_refused() -> None:
    """Unsafe in float16. Reference: amp.rst (Prefer binary_cross_entropy_with_logits)"""
    x = torch.full((2,), 0.5, device="cuda")
    with torch.autocast("cuda"), pytest.raises(RuntimeError, match="unsafe to autocast"):
        F.binary_cross_entropy(x, x)


def test_a_scaler_scales_and_unscales() -> None:
    """GradScaler. Reference: notes/amp_examples.rst"""
    layer = torch.nn.Linear(2, 1).cuda()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda", init_scale=4.0)
    before = layer.weight.detach().clone()
    with torch.autocast("cuda"):
        loss = layer(torch.ones(3, 2, device="cuda")).sum()
    scaler.scale(loss).backward()
    assert layer.weight.grad is not None
    assert layer.weight.grad.tolist() == [[12, 12]]
    scaler.unscale_(optimizer)
    assert layer.weight.grad.tolist() == [[3, 3]]
    scaler.step(optimizer)
    scaler.update()
    assert not torch.equal(before, layer.weight)
    assert scaler.get_scale() == 4


def test_a_scaler_skips_a_step_with_infinities() -> None:
    """Infinite gradients halve the scale, and the step is skipped. Reference: amp.rst"""
    layer = torch.nn.Linear(2, 1).cuda()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda", init_scale=4.0)
    before = layer.weight.detach().clone()
    scaler.scale(layer(torch.full((1, 2), float("inf"), device="cuda")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert torch.equal(before, layer.weight)
    assert scaler.get_scale() == 2


def test_half_modules() -> None:
    """model.half() trains in half. Reference: nn.rst"""
    layer = torch.nn.Linear(2, 1).cuda().half()
    layer(torch.ones(1, 2, device="cuda", dtype=torch.float16)).sum().backward()
    assert layer.weight.grad is not None
    assert layer.weight.grad.dtype is torch.float16


def test_custom_functions_under_autocast() -> None:
    """custom_fwd and custom_bwd. Reference: notes/amp_examples.rst"""

    class Product(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float32)
        def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
            assert x.dtype is torch.float32
            return x * 2

        @staticmethod
        @torch.amp.custom_bwd(device_type="cuda")
        def backward(ctx: object, grad: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
            return grad * 2

    with torch.autocast("cuda"):
        assert Product.apply(torch.ones(2, device="cuda").half()).dtype is torch.float32


def test_the_gpu_dtype_of_autocast() -> None:
    """get_autocast_dtype. Reference: amp.rst"""
    assert torch.get_autocast_dtype("cuda") is torch.float16
    assert torch.amp.is_autocast_available("cuda")
    assert torch.cuda.is_bf16_supported()


def test_recurrent_layers_are_half_too() -> None:
    """cuDNN's recurrent layers run in float16 under autocast. Reference: amp.rst (CUDA Ops that can autocast to float16)"""
    layer = torch.nn.LSTM(2, 3).cuda()
    with torch.autocast("cuda"):
        output, _ = layer(torch.ones(4, 1, 2, device="cuda"))
    assert output.dtype is torch.float16
    output.float().sum().backward()
    assert layer.weight_ih_l0.grad is not None
    assert layer.weight_ih_l0.grad.dtype is torch.float32
