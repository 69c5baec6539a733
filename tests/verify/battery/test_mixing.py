"""Operands on two devices: what CUDA raises, and the few places where it does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F

SAME = "Expected all tensors to be on the same device"


def cuda(*shape: int) -> torch.Tensor:
    return torch.ones(*shape, device="cuda")


def cpu(*shape: int) -> torch.Tensor:
    return torch.ones(*shape)


# What each mixes, as documented: "operations on tensors of different devices raise" (notes/cuda.rst).
MIXED: dict[str, Callable[[], object]] = {
    "add": lambda: cuda(2) + cpu(2),
    "add, the other way": lambda: cpu(2) + cuda(2),
    "two devices": lambda: cuda(2) + torch.ones(2, device="cuda:1"),
    "in place": lambda: cuda(2).add_(cpu(2)),
    "in place on the CPU": lambda: cpu(2).mul_(cuda(2)),
    "comparison": lambda: cuda(2) == cpu(2),
    "matmul": lambda: cuda(2, 2) @ cpu(2, 2),
    "mm": lambda: torch.mm(cuda(2, 2), cpu(2, 2)),
    "bmm": lambda: torch.bmm(cuda(1, 2, 2), cpu(1, 2, 2)),
    "linear": lambda: F.linear(cuda(1, 2), cpu(3, 2)),
    "linear with a bias": lambda: F.linear(cuda(1, 2), cuda(3, 2), cpu(3)),
    "embedding": lambda: F.embedding(torch.tensor([0]), cuda(2, 2)),
    "cat": lambda: torch.cat([cuda(2), cpu(2)]),
    "stack": lambda: torch.stack([cuda(2), cpu(2)]),
    "where": lambda: torch.where(cuda(2) > 0, cuda(2), cpu(2)),
    "mse_loss": lambda: F.mse_loss(cuda(2), cpu(2)),
    "cross_entropy": lambda: F.cross_entropy(cuda(1, 2), torch.tensor([0])),
    "cross_entropy with weights": lambda: F.cross_entropy(cuda(1, 2), torch.tensor([0]).cuda(), weight=cpu(2)),
    "bce": lambda: F.binary_cross_entropy(cuda(2), cpu(2)),
    "layer_norm": lambda: F.layer_norm(cuda(2, 2), (2,), cpu(2), cpu(2)),
    "batch_norm": lambda: F.batch_norm(cuda(3, 2), cpu(2), cpu(2), training=True),
    "gather": lambda: torch.gather(cuda(2), 0, torch.tensor([0])),
    "index_select": lambda: cuda(2).index_select(0, torch.tensor([0])),
    "scatter_": lambda: cuda(2).scatter_(0, torch.tensor([0]), 1.0),
    "masked_select": lambda: cuda(2).masked_select(torch.tensor([True, False])),
    "take": lambda: torch.take(cuda(2), torch.tensor([0])),
    "clamp by tensors": lambda: torch.clamp(cuda(2), cpu(2), cpu(2)),
    "lerp": lambda: torch.lerp(cuda(2), cpu(2), 0.5),
    "out= elsewhere": lambda: torch.add(cuda(2), 1, out=cpu(2)),
    "addmm": lambda: torch.addmm(cpu(2, 2), cuda(2, 2), cuda(2, 2)),
    "cdist": lambda: torch.cdist(cuda(2, 2), cpu(2, 2)),
    "foreach": lambda: torch._foreach_add([cuda(2)], [cpu(2)]),
    "dot": lambda: torch.dot(cuda(2), cpu(2)),
    "bucketize": lambda: torch.bucketize(cuda(2), cpu(2)),
}


@pytest.mark.parametrize("name", MIXED)
def test_mixing_raises(name: str) -> None:
    """Cross-device operands are an error. Reference: notes/cuda.rst"""
    with pytest.raises(RuntimeError, match="same device|should be the same|device"):
        MIXED[name]()


def test_the_message_of_an_elementwise_operator() -> None:
    """TensorIterator names both devices. Reference: aten/src/ATen/TensorIterator.cpp"""
    with pytest.raises(RuntimeError, match=f"^{SAME}, but found at least two devices, cuda:0 and cpu!"):
        cuda(2) + cpu(2)


def test_the_message_of_a_wrapper() -> None:
    """A generated wrapper names the argument and itself. Reference: torchgen/dest/register_dispatch_key.py"""
    text = rf"{SAME}, but got mat2 is on cpu, different from other tensors on cuda:0 \(when checking argument in method wrapper_CUDA_mm\)"
    with pytest.raises(RuntimeError, match=text):
        torch.mm(cuda(2, 2), cpu(2, 2))


def test_the_message_of_a_convolution() -> None:
    """A convolution compares the types of its operands. Reference: aten/src/ATen/native/Convolution.cpp"""
    text = r"Input type \(torch.FloatTensor\) and weight type \(torch.cuda.FloatTensor\) should be the same"
    with pytest.raises(RuntimeError, match=text):
        F.conv2d(cpu(2, 1, 3, 3), cuda(1, 1, 2, 2))
    with pytest.raises(RuntimeError, match="got weight is on cuda:0, different from other tensors on cpu"):
        F.conv2d(cpu(1, 1, 3, 3), cuda(1, 1, 2, 2))
    text = r"Input type \(torch.cuda.FloatTensor\) and weight type \(torch.FloatTensor\) should be the same"
    with pytest.raises(RuntimeError, match=text):
        F.conv2d(cuda(1, 1, 3, 3), cpu(1, 1, 2, 2))


def test_the_message_of_an_lstm() -> None:
    """A recurrent layer compares input, state and parameters. Reference: aten/src/ATen/native/RNN.cpp"""
    layer = torch.nn.LSTM(2, 3).cuda()
    state = (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3))
    with pytest.raises(
        RuntimeError, match="Input and hidden tensors are not at the same device, found input tensor at cuda:0"
    ):
        layer(cuda(1, 1, 2), state)


def test_a_module_on_the_cpu_with_input_on_the_device() -> None:
    """The classic mistake. Reference: notes/cuda.rst"""
    with pytest.raises(RuntimeError, match=SAME):
        torch.nn.Linear(2, 2)(cuda(1, 2))
    with pytest.raises(RuntimeError, match=SAME):
        torch.nn.Embedding(2, 2).cuda()(torch.tensor([1]))


def test_numbers_mix_with_everything() -> None:
    """Python numbers have no device. Reference: tensor_attributes.rst (type promotion)"""
    assert (cuda(2) + 1 + 2.5).tolist() == [4.5, 4.5]
    assert (3 - cuda(2)).tolist() == [2, 2]


def test_a_cpu_scalar_mixes() -> None:
    """A tensor without dimensions on the CPU may stand beside CUDA tensors. Reference: notes/cuda.rst"""
    assert (cuda(2) * torch.tensor(3.0)).is_cuda
    assert (torch.tensor(3.0) * cuda(2)).tolist() == [3, 3]
    x = cuda(2)
    x += torch.tensor(1.0)
    assert x.tolist() == [2, 2]
    assert torch.where(cuda(2) > 0, torch.tensor(1.0), cuda(2)).is_cuda


def test_a_device_scalar_does_not_mix_with_the_cpu() -> None:
    """A tensor without dimensions on CUDA is not taken by a CPU tensor. Reference: notes/cuda.rst"""
    with pytest.raises(RuntimeError, match=SAME):
        cpu(2) * torch.tensor(3.0, device="cuda")


def test_two_scalars_of_two_devices() -> None:
    """A CPU scalar beside a CUDA scalar is on CUDA. Reference: aten/src/ATen/TensorIterator.cpp"""
    assert (torch.tensor(1.0) + torch.tensor(1.0, device="cuda")).is_cuda


def test_lerp_does_not_take_a_cpu_scalar_end() -> None:
    """lerp's iterator allows no CPU scalars. Reference: aten/src/ATen/native/Lerp.cpp"""
    with pytest.raises(RuntimeError, match=SAME):
        torch.lerp(cuda(2), torch.tensor(1.0), 0.5)


def test_cpu_indices_of_another_device_are_refused() -> None:
    """Indices are on the CPU or beside what they index. Reference: aten/src/ATen/native/TensorAdvancedIndexing.cpp"""
    with pytest.raises(RuntimeError, match="indices should be either on"):
        cpu(3)[torch.tensor([0], device="cuda")]
    with pytest.raises(RuntimeError, match="indices should be either on"):
        cuda(3)[torch.tensor([0], device="cuda:1")]


def test_nothing_is_written_before_the_refusal() -> None:
    """A refused in-place operator leaves its target. Reference: aten/src/ATen/TensorIterator.cpp"""
    x = cuda(2)
    with pytest.raises(RuntimeError, match=SAME):
        x.add_(cpu(2))
    assert x.tolist() == [1, 1]


def test_where_the_condition_is_elsewhere() -> None:
    """All three operands of where are on one device. Reference: generated/torch.where"""
    with pytest.raises(RuntimeError, match=SAME):
        torch.where(cpu(2) > 0, cuda(2), cuda(2))
