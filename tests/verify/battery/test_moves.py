"""Moving between devices: what is copied, what is not, and what is refused."""

from __future__ import annotations

import pytest
import torch

from devlint.verify import Simulation


def test_cuda_and_cpu_copy() -> None:
    """A move makes a copy on the other device. Reference: generated/torch.Tensor.cuda"""
    x = torch.ones(2)
    y = x.cuda()
    y.zero_()
    assert x.tolist() == [1, 1]
    assert y.cpu().device.type == "cpu"


def test_no_move_is_no_copy() -> None:
    """A tensor that is there already is returned itself. Reference: generated/torch.Tensor.to"""
    x = torch.ones(2, device="cuda")
    assert x.cuda() is x
    assert x.to("cuda") is x
    assert x.to("cuda:0") is x
    assert x.to(torch.float32) is x
    assert x.to(x) is x
    assert x.to("cuda", copy=True) is not x
    assert torch.ones(2).cpu().device.type == "cpu"


@pytest.mark.parametrize("device", ["cuda:1", 1, torch.device("cuda", 1)])
def test_cuda_takes_a_device(device: object) -> None:
    """Tensor.cuda(device). Reference: generated/torch.Tensor.cuda"""
    assert torch.ones(2).cuda(device).get_device() == 1  # type: ignore[arg-type]
    assert torch.ones(2).cuda(device=device).get_device() == 1  # type: ignore[arg-type]


def test_to_takes_everything() -> None:
    """Tensor.to(device, dtype, non_blocking, copy), or another tensor. Reference: generated/torch.Tensor.to"""
    x, other = torch.ones(2), torch.ones(1, dtype=torch.float64, device="cuda:1")
    moved = x.to("cuda", torch.float16, non_blocking=True)
    assert (moved.dtype, moved.get_device()) == (torch.float16, 0)
    moved = x.to(other)
    assert (moved.dtype, moved.get_device()) == (torch.float64, 1)
    assert x.to(device="cuda", dtype=torch.int32).dtype is torch.int32
    assert x.to(0).is_cuda


def test_to_an_indexless_device_is_the_current_one() -> None:
    """to("cuda") goes to the current device. Reference: notes/cuda.rst"""
    with torch.cuda.device(1):
        assert torch.ones(2).to("cuda").get_device() == 1
        assert torch.ones(2).cuda().get_device() == 1


def test_cuda_with_a_cpu_device_is_refused() -> None:
    """Tensor.cuda(device="cpu") is an error. Reference: torch/csrc/autograd/generated/python_variable_methods.cpp"""
    with pytest.raises(RuntimeError, match="Invalid device, must be cuda device"):
        torch.ones(2).cuda("cpu")


@pytest.mark.parametrize("device", ["cuda:2", "cuda:7", 5])
def test_a_device_that_is_not_there_is_refused(device: object) -> None:
    """An ordinal beyond the last raises. Reference: notes/cuda.rst"""
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        torch.ones(2, device=device)  # type: ignore[call-overload]
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        torch.ones(2).to(device)  # type: ignore[call-overload]
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        torch.ones(2).cuda(device)  # type: ignore[arg-type]


def test_words_that_name_no_device_are_refused() -> None:
    """torch.device checks the type. Reference: tensor_attributes.rst"""
    with pytest.raises(RuntimeError, match="Expected one of cpu, cuda"):
        torch.ones(2, device="gpu")
    with pytest.raises(RuntimeError, match="Invalid device string"):
        torch.device("cuda:x")


def test_copy_crosses_devices() -> None:
    """copy_ is one of the few that take operands of two devices. Reference: notes/cuda.rst"""
    x, y = torch.zeros(2, device="cuda"), torch.ones(2)
    assert x.copy_(y) is x
    assert x.tolist() == [1, 1]
    y.copy_(x * 3)
    assert y.tolist() == [3, 3]
    torch.zeros(2, device="cuda:1").copy_(x)
    x.copy_(torch.ones(2, dtype=torch.int64))
    assert x.dtype is torch.float32


def test_assignment_to_a_slice_copies_from_any_device() -> None:
    """x[i] = y copies, also from the CPU. Reference: notes/cuda.rst"""
    x = torch.zeros(3, device="cuda")
    x[1:] = torch.ones(2)
    assert x.tolist() == [0, 1, 1]
    host = torch.zeros(2)
    host[:] = torch.ones(2, device="cuda")
    assert host.tolist() == [1, 1]


def test_between_devices() -> None:
    """cuda:0 to cuda:1. Reference: notes/cuda.rst"""
    x = torch.arange(3, device="cuda:0")
    y = x.to("cuda:1")
    assert (y.get_device(), y.tolist()) == (1, [0, 1, 2])


def test_moves_are_counted(simulation: Simulation) -> None:
    """Each copy between host and device is seen. Reference: notes/cuda.rst (Asynchronous execution)"""
    simulation.counters.clear()
    x = torch.ones(4).cuda()
    x.cpu()
    x.to("cuda:1")
    assert simulation.counters.copies == {"h2d": 1, "d2h": 1, "d2d": 1}
    assert simulation.counters.bytes["h2d"] == 16
    x.sum().item()
    assert simulation.counters.synchronizations == 1


def test_data_can_be_set_from_another_device() -> None:
    """x.data = y moves the variable. Reference: notes/autograd.rst"""
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.data = parameter.data.cuda()
    assert parameter.is_cuda
    assert isinstance(parameter, torch.nn.Parameter)
    assert parameter.is_leaf


def test_a_moved_parameter_is_no_leaf() -> None:
    """Parameter.cuda() is an operation, its result no leaf. Reference: notes/autograd.rst"""
    parameter = torch.nn.Parameter(torch.ones(2))
    moved = parameter.cuda()
    assert (type(moved), moved.is_leaf, moved.requires_grad) == (torch.Tensor, False, True)


def test_memory_formats_survive_the_move() -> None:
    """to(memory_format=preserve_format) is the default. Reference: tensor_attributes.rst"""
    image = torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last)
    assert image.cuda().is_contiguous(memory_format=torch.channels_last)
    assert torch.zeros(2, 3).t().cuda().stride() == (1, 3)
    assert image.to("cuda", memory_format=torch.contiguous_format).is_contiguous()


def test_pinned_memory() -> None:
    """pin_memory copies to page-locked memory, and only CPU tensors can be. Reference: notes/cuda.rst"""
    x = torch.ones(2)
    assert not x.is_pinned()
    pinned = x.pin_memory()
    assert pinned.is_pinned()
    assert pinned.pin_memory() is pinned
    assert torch.zeros(2, pin_memory=True).is_pinned()
    assert pinned.cuda(non_blocking=True).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned"):
        torch.ones(2, device="cuda").pin_memory()
    del pinned


def test_copies_to_the_cpu_without_blocking_are_pinned() -> None:
    """to("cpu", non_blocking=True) copies to page-locked memory. Reference: aten/src/ATen/native/TensorConversions.cpp"""
    x = torch.arange(3.0, device="cuda", requires_grad=True)
    copy = x.to("cpu", non_blocking=True)
    assert (copy.tolist(), copy.is_pinned(), x.to("cpu").is_pinned()) == ([0, 1, 2], True, False)
    copy.sum().backward()
    assert x.grad is not None and x.grad.tolist() == [1, 1, 1]
    assert x.to(device="cpu", dtype=torch.int64, non_blocking=True).is_pinned()
    assert x.detach().to_sparse().to("cpu", non_blocking=True).to_dense().tolist() == [0, 1, 2]
    layer = torch.nn.Linear(2, 2).cuda().to("cpu", non_blocking=True)
    assert layer.weight.is_cpu
    assert torch.empty(3, pin_memory=True).copy_(x.detach(), non_blocking=True).tolist() == [0, 1, 2]


def test_a_tuple_of_types_moves_together() -> None:
    """Moving and casting at once rounds as a cast does. Reference: generated/torch.Tensor.to"""
    assert torch.tensor([1.7, -1.7]).to("cuda", torch.int32).tolist() == [1, -1]
    assert torch.tensor([True]).cuda().float().tolist() == [1]


def test_requires_grad_survives_the_move() -> None:
    """A copy of a tensor that requires grad has a gradient function. Reference: notes/autograd.rst"""
    x = torch.ones(2, requires_grad=True)
    y = x.cuda()
    assert y.grad_fn is not None
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.device.type == "cpu"


def test_casting_stays_on_the_device() -> None:
    """float(), half(), type_as and their kin. Reference: tensors.rst"""
    x = torch.ones(2, device="cuda:1")
    for cast in (x.double(), x.half(), x.int(), x.bool(), x.type(torch.float64), x.to(torch.int8)):
        assert cast.get_device() == 1
    assert torch.ones(2).type_as(x).get_device() == 1
