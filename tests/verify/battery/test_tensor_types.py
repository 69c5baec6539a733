"""The names of old programs: torch.cuda.FloatTensor, default tensor types, Variable."""

from __future__ import annotations

import pytest
import torch
from torch.autograd import Variable


def test_constructors() -> None:
    """Legacy constructors take sizes or values. Reference: tensors.rst"""
    cuda = torch.cuda
    assert cuda.FloatTensor(2, 3).shape == (2, 3)
    assert cuda.FloatTensor([1, 2]).tolist() == [1, 2]
    assert cuda.LongTensor([[1], [2]]).dtype is torch.int64
    assert cuda.FloatTensor().shape == (0,)
    assert cuda.FloatTensor(torch.Size([2])).shape == (2,)
    assert cuda.ByteTensor([1]).is_cuda


def test_constructors_want_cuda_tensors() -> None:
    """torch.cuda.FloatTensor(cpu tensor) is a TypeError. Reference: torch/csrc/utils/tensor_new.cpp"""
    with pytest.raises(TypeError, match="expected"):
        torch.cuda.FloatTensor(torch.ones(2))
    with pytest.raises(RuntimeError, match="legacy constructor expects device type: cuda"):
        torch.cuda.FloatTensor(2, device="cpu")


def test_isinstance_of_a_legacy_type() -> None:
    """The type says dtype and device. Reference: tensors.rst"""
    x = torch.ones(2, device="cuda")
    assert isinstance(x, torch.cuda.FloatTensor)
    assert not isinstance(x, torch.cuda.DoubleTensor)
    assert not isinstance(x, torch.FloatTensor)
    assert not isinstance(torch.ones(2), torch.cuda.FloatTensor)


def test_casting_to_a_legacy_type() -> None:
    """Tensor.type(torch.cuda.FloatTensor) moves and casts. Reference: generated/torch.Tensor.type"""
    x = torch.ones(2, dtype=torch.int32)
    for kind in (torch.cuda.FloatTensor, "torch.cuda.FloatTensor"):
        assert x.type(kind).type() == "torch.cuda.FloatTensor"
    assert x.cuda().type(torch.FloatTensor).type() == "torch.FloatTensor"
    assert x.cuda().type("torch.cuda.DoubleTensor").dtype is torch.float64


def test_a_type_that_is_none() -> None:
    """An unknown type name raises. Reference: generated/torch.Tensor.type"""
    with pytest.raises(ValueError, match="invalid type: 'torch.cuda.SomeTensor'"):
        torch.ones(2).type("torch.cuda.SomeTensor")


def test_modules_cast_to_a_legacy_type() -> None:
    """Module.type(torch.cuda.FloatTensor). Reference: generated/torch.nn.Module"""
    assert torch.nn.Linear(1, 1).type(torch.cuda.FloatTensor).weight.is_cuda


@pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type")
def test_the_default_tensor_type() -> None:
    """set_default_tensor_type("torch.cuda.FloatTensor") makes all new tensors on CUDA. Reference: torch.rst"""
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
    try:
        assert torch.ones(1).is_cuda
        assert torch.tensor([1.0]).is_cuda
        assert torch.Tensor([1.0]).is_cuda
        assert torch.nn.Linear(1, 1).weight.is_cuda
        assert torch.ones(1, device="cpu").device.type == "cpu"
    finally:
        torch.set_default_tensor_type("torch.FloatTensor")
    assert not torch.ones(1).is_cuda
    assert not torch.Tensor([1.0]).is_cuda


@pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type")
def test_the_default_tensor_type_as_a_class() -> None:
    """The class does as well as its name. Reference: torch.rst"""
    torch.set_default_tensor_type(torch.cuda.DoubleTensor)
    try:
        assert torch.ones(1).type() == "torch.cuda.DoubleTensor"
    finally:
        torch.set_default_tensor_type(torch.FloatTensor)


def test_choosing_a_type_once() -> None:
    """The idiom of many GANs. Reference: tensors.rst"""
    Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor
    valid = Variable(Tensor(4, 1).fill_(1.0), requires_grad=False)
    assert (valid.is_cuda, valid.sum().item()) == (True, 4)
    import numpy as np

    noise = Variable(Tensor(np.random.normal(0, 1, (4, 2))))
    assert (noise.dtype, noise.shape) == (torch.float32, (4, 2))


def test_variables_and_data() -> None:
    """Variable is Tensor. Reference: autograd.rst"""
    x = Variable(torch.ones(2).cuda(), requires_grad=True)
    assert isinstance(x, torch.Tensor)
    assert x.data.is_cuda


def test_new_of_a_tensor() -> None:
    """tensor.new(...) makes one of the same type and device. Reference: torch/csrc/utils/tensor_new.cpp"""
    x = torch.ones(2, device="cuda:1")
    assert x.new([1, 2]).get_device() == 1
    assert x.new(2, 2).shape == (2, 2)
    assert x.data.new(x.size()).get_device() == 1


def test_storages_of_legacy_tensors() -> None:
    """storage() knows its device. Reference: storage.rst"""
    x = torch.cuda.FloatTensor([1, 2])
    assert x.untyped_storage().device == torch.device("cuda", 0)
    assert torch.cuda.FloatTensor(x.untyped_storage()).tolist() == [1, 2]


def test_sparse_types() -> None:
    """torch.cuda.sparse.FloatTensor is the type of a sparse CUDA tensor. Reference: sparse.rst"""
    x = torch.eye(2, device="cuda").to_sparse()
    assert x.type() == "torch.cuda.sparse.FloatTensor"
    assert isinstance(x, torch.cuda.sparse.FloatTensor)
    assert torch.cuda.sparse.FloatTensor(2, 3).shape == (2, 3)


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
def test_sparse_from_indices_and_values() -> None:
    """torch.cuda.sparse.FloatTensor(indices, values, size), as old graph networks make theirs. Reference: sparse.rst"""
    indices, values = torch.cuda.LongTensor([[0, 1], [1, 0]]), torch.cuda.FloatTensor([2, 3])
    x = torch.cuda.sparse.FloatTensor(indices, values, torch.Size([2, 2]))
    assert x.to_dense().tolist() == [[0, 2], [3, 0]]
    assert torch.cuda.sparse.FloatTensor(indices, values).shape == (2, 2)
