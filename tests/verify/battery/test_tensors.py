"""What a tensor on a device is: made, looked at, printed, read."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch


def test_a_device_without_a_number_is_the_current_one() -> None:
    """torch.device("cuda") stands for the current device. Reference: tensor_attributes.rst"""
    assert torch.ones(2, device="cuda").device == torch.device("cuda", 0)
    assert torch.device("cuda") != torch.device("cuda", 0)


def test_a_device_can_be_a_string_a_number_or_an_object() -> None:
    """A legacy integer names the device of the accelerator. Reference: tensor_attributes.rst"""
    for device in ("cuda:1", 1, torch.device("cuda", 1), torch.device("cuda:1")):
        assert torch.zeros(1, device=device).get_device() == 1


def test_the_attributes_of_a_tensor_say_where_it_is() -> None:
    """Tensor.is_cuda, .device, .is_cpu and get_device. Reference: tensors.rst"""
    x = torch.ones(2, device="cuda")
    assert (x.is_cuda, x.is_cpu, x.device.type, x.device.index, x.get_device()) == (True, False, "cuda", 0, 0)
    assert torch.ones(2).get_device() == -1


def test_it_is_a_plain_tensor() -> None:
    """A CUDA tensor is a torch.Tensor like any other. Reference: tensors.rst"""
    assert type(torch.ones(2, device="cuda")) is torch.Tensor


@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "rand", "randn"])
def test_factories_with_sizes(name: str) -> None:
    """Creation operators take device=. Reference: notes/cuda.rst"""
    assert getattr(torch, name)(2, 3, device="cuda").device == torch.device("cuda", 0)


def test_factories_with_values() -> None:
    """full, arange, linspace, logspace, eye, tensor, tril_indices, randint, randperm. Reference: torch.rst"""
    made = [
        torch.full((2,), 3.0, device="cuda"),
        torch.arange(3, device="cuda"),
        torch.linspace(0, 1, 4, device="cuda"),
        torch.logspace(0, 1, 4, device="cuda"),
        torch.eye(3, device="cuda"),
        torch.tensor([1, 2], device="cuda"),
        torch.tril_indices(3, 3, device="cuda"),
        torch.randint(5, (3,), device="cuda"),
        torch.randperm(4, device="cuda"),
        torch.hann_window(4, device="cuda"),
    ]
    assert all(x.is_cuda for x in made)
    assert made[1].tolist() == [0, 1, 2]


def test_the_like_functions_keep_the_device() -> None:
    """zeros_like and its kin make a tensor of the same device. Reference: notes/cuda.rst"""
    x = torch.ones(2, device="cuda:1")
    for like in (torch.zeros_like, torch.ones_like, torch.empty_like, torch.rand_like, torch.randn_like):
        assert like(x).device == x.device
    assert torch.zeros_like(x, device="cpu").device.type == "cpu"


def test_the_new_methods_keep_the_device() -> None:
    """Tensor.new_* preserves the device. Reference: notes/cuda.rst"""
    x = torch.ones(2, device="cuda:1")
    for made in (x.new_zeros(3), x.new_ones(3), x.new_empty(3), x.new_full((3,), 2.0), x.new_tensor([1.0]), x.new(3)):
        assert made.device == x.device
    assert x.new_zeros(3, device="cuda:0").get_device() == 0


def test_operators_stay_on_the_device() -> None:
    """Results are placed on the device of their operands, whatever the current device. Reference: notes/cuda.rst"""
    x = torch.ones(2, device="cuda:1")
    assert (x + 1).get_device() == (x @ x).get_device() == x.exp().get_device() == 1


def test_printing_names_the_device() -> None:
    """The repr of a CUDA tensor ends with its device. Reference: tensor_attributes.rst"""
    assert repr(torch.ones(2, device="cuda:1")) == "tensor([1., 1.], device='cuda:1')"
    parameter = torch.nn.Parameter(torch.zeros(1, device="cuda"))
    assert repr(parameter) == "Parameter containing:\ntensor([0.], device='cuda:0', requires_grad=True)"
    assert f"{torch.tensor(1.5, device='cuda'):.2f}" == "1.50"


def test_the_type_has_cuda_in_its_name() -> None:
    """Tensor.type() of a CUDA tensor. Reference: tensors.rst"""
    x = torch.ones(2, device="cuda")
    assert x.type() == "torch.cuda.FloatTensor"
    assert x.long().type() == "torch.cuda.LongTensor"
    assert x.half().type() == "torch.cuda.HalfTensor"


def test_numpy_refuses() -> None:
    """Tensor.numpy() wants a CPU tensor. Reference: generated/torch.Tensor.numpy"""
    x = torch.ones(2, device="cuda")
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu"):
        x.numpy()
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
        np.asarray(x)
    assert x.numpy(force=True).tolist() == [1, 1]
    assert x.cpu().numpy().tolist() == [1, 1]


def test_values_can_be_read() -> None:
    """item, tolist, bool, int, float and len copy to the host. Reference: notes/cuda.rst"""
    x = torch.tensor([1.5, 2.5], device="cuda")
    assert (x[0].item(), x.tolist(), float(x[1]), int(x[1]), len(x), bool(x[0] > 1)) == (
        1.5,
        [1.5, 2.5],
        2.5,
        2,
        2,
        True,
    )
    assert [float(value) for value in x] == [1.5, 2.5]


def test_a_number_without_dimensions_can_be_an_index() -> None:
    """A CUDA integer tensor can index a list. Reference: tensors.rst"""
    assert ["a", "b"][torch.tensor(1, device="cuda")] == "b"


def test_from_numpy_is_on_the_cpu() -> None:
    """torch.from_numpy shares host memory, as_tensor and tensor copy to the device. Reference: torch.rst"""
    values = np.ones(2, dtype=np.float32)
    assert torch.from_numpy(values).device.type == "cpu"
    assert torch.as_tensor(values, device="cuda").is_cuda
    assert torch.tensor(values, device="cuda").is_cuda
    assert torch.asarray(values, device="cuda:1").get_device() == 1


def test_as_tensor_of_a_device_tensor_is_itself() -> None:
    """as_tensor makes no copy where dtype and device are right. Reference: generated/torch.as_tensor"""
    x = torch.ones(2, device="cuda")
    assert torch.as_tensor(x, device="cuda") is x
    assert torch.as_tensor(x, device="cpu").device.type == "cpu"


def test_views_share_memory() -> None:
    """Views of a CUDA tensor write into it. Reference: tensor_view.rst"""
    x = torch.zeros(2, 3, device="cuda")
    x.t()[1] = 7
    x.view(-1)[0] = 5
    x[:, 2:].fill_(9)
    assert x.tolist() == [[5, 7, 9], [0, 7, 9]]
    assert x[0].data_ptr() == x.data_ptr()
    assert x.t()._base is x


def test_strides_and_contiguity() -> None:
    """Layout is that of the CPU's tensors. Reference: tensor_view.rst"""
    x = torch.zeros(2, 3, device="cuda").t()
    assert (x.stride(), x.is_contiguous(), x.contiguous().stride()) == ((1, 3), False, (2, 1))
    image = torch.zeros(1, 2, 3, 4, device="cuda").to(memory_format=torch.channels_last)
    assert image.is_contiguous(memory_format=torch.channels_last)
    assert torch.zeros(1, 3, device="cuda").t().stride() == (1, 3)


def test_in_place_operators_return_the_same_object() -> None:
    """x.add_() is x. Reference: tensors.rst"""
    x = torch.zeros(2, device="cuda")
    assert x.add_(1) is x
    assert x.mul_(2).tolist() == [2, 2]
    x[0] = 5
    x += 1
    assert x.tolist() == [6, 3]


def test_out_arguments() -> None:
    """out= is filled, and resized where it is empty. Reference: torch.rst"""
    x, out = torch.ones(2, device="cuda"), torch.empty(0, device="cuda")
    result = torch.add(x, 1, out=out)
    assert result is out
    assert out.tolist() == [2, 2]
    values, indices = torch.empty(1, device="cuda"), torch.empty(1, dtype=torch.long, device="cuda")
    torch.max(x.view(1, 2), 1, out=(values, indices))
    assert values.item() == 1


def test_indexing() -> None:
    """Indices may be on the device or on the CPU. Reference: aten/src/ATen/native/TensorAdvancedIndexing.cpp"""
    x = torch.arange(6.0, device="cuda")
    assert x[torch.tensor([1, 3], device="cuda")].tolist() == [1, 3]
    assert x[torch.tensor([1, 3])].is_cuda
    assert x[x > 3].tolist() == [4, 5]
    x[torch.tensor([0, 1])] = torch.tensor(9.0)
    assert x[:3].tolist() == [9, 9, 2]


def test_every_dtype_lives_on_the_device() -> None:
    """All dtypes have CUDA tensors. Reference: tensor_attributes.rst"""
    names = (
        "float16 bfloat16 float32 float64 uint8 int8 int16 int32 int64 bool complex64 complex128 "
        "uint16 uint32 uint64 float8_e4m3fn float8_e5m2"
    )
    for name in names.split():
        dtype = getattr(torch, name)
        x = torch.zeros(2, dtype=dtype).cuda()
        assert (x.is_cuda, x.dtype, x.cpu().dtype) == (True, dtype, dtype), name


def test_half_precision_arithmetic() -> None:
    """Half precision computes on CUDA, also where the CPU once did not. Reference: notes/amp_examples.rst"""
    x = torch.ones(2, 3, dtype=torch.float16, device="cuda")
    assert (x @ x.t()).tolist() == [[3, 3], [3, 3]]
    assert torch.nn.functional.softmax(x, 1).dtype is torch.float16
    assert torch.nn.functional.conv1d(x.view(1, 2, 3), x[:, :2].view(1, 2, 2)).dtype is torch.float16


def test_complex_numbers_and_their_lazy_conjugates() -> None:
    """conj() is a view with a bit set. Reference: complex_numbers.rst"""
    x = torch.tensor([1 + 2j], device="cuda")
    assert x.conj().is_conj()
    assert x.conj().cpu().tolist() == [1 - 2j]
    assert torch.view_as_real(x).tolist() == [[1, 2]]
    assert x.conj().imag.tolist() == [-2]
    assert (x * x.conj()).real.tolist() == [5]


def test_copies() -> None:
    """copy.copy, deepcopy and clone stay on the device. Reference: tensors.rst"""
    x = torch.ones(2, device="cuda:1")
    for other in (copy.copy(x), copy.deepcopy(x), x.clone()):
        assert other.device == x.device
    copy.deepcopy(x).zero_()
    assert x.tolist() == [1, 1]


def test_resizing() -> None:
    """resize_ changes the size in place. Reference: generated/torch.Tensor.resize_"""
    x = torch.arange(6.0, device="cuda")
    assert x.resize_(2, 2).tolist() == [[0, 1], [2, 3]]
    x.resize_(8)
    assert x.shape == (8,)
    assert x[:4].tolist() == [0, 1, 2, 3]


def test_zero_sized_and_scalar_tensors() -> None:
    """Tensors without elements or dimensions are tensors. Reference: torch.rst"""
    assert torch.empty(0, device="cuda").sum().item() == 0
    assert torch.tensor(2.0, device="cuda").shape == ()
    assert torch.cat([torch.empty(0, device="cuda"), torch.ones(1, device="cuda")]).tolist() == [1]


def test_the_default_device_is_for_all_that_are_made() -> None:
    """torch.set_default_device and `with torch.device`. Reference: generated/torch.set_default_device"""
    with torch.device("cuda:1"):
        assert torch.zeros(1).get_device() == 1
        assert torch.tensor([1]).get_device() == 1
        assert torch.nn.Linear(1, 1).weight.get_device() == 1
    torch.set_default_device("cuda")
    try:
        assert torch.ones(1).is_cuda
        assert torch.get_default_device() == torch.device("cuda", 0)
    finally:
        torch.set_default_device(None)
    assert not torch.ones(1).is_cuda


def test_a_meta_tensor_is_nowhere() -> None:
    """Meta tensors have no values and mix with nothing that has. Reference: meta.rst"""
    x = torch.ones(2, device="meta")
    assert not x.is_cuda
    assert torch.empty_like(x, device="cuda").is_cuda
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
        x.to("cuda")


def test_equality_and_closeness() -> None:
    """torch.equal, allclose and testing.assert_close want one device. Reference: testing.rst"""
    x = torch.ones(2, device="cuda")
    assert torch.equal(x, x.clone())
    assert torch.allclose(x, x + 1e-9)
    torch.testing.assert_close(x, x.clone())
    with pytest.raises(AssertionError, match="device"):
        torch.testing.assert_close(x, x.cpu())
    torch.testing.assert_close(x, x.cpu(), check_device=False)


def test_dlpack_of_a_device_tensor_says_cuda() -> None:
    """Tensor.__dlpack_device__ is (2, index) for CUDA. Reference: dlpack.rst"""
    device, index = torch.ones(2, device="cuda:1").__dlpack_device__()
    assert (int(device), index) == (2, 1)
