"""Saving, loading, sharing, loaders and storages."""

from __future__ import annotations

import copy
import io
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def saved(value: object) -> io.BytesIO:
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return file


def test_a_saved_tensor_comes_back_where_it_was() -> None:
    """torch.load restores the device. Reference: notes/serialization.rst"""
    x = torch.load(saved(torch.arange(3.0, device="cuda:1")))
    assert (x.get_device(), x.tolist()) == (1, [0, 1, 2])


@pytest.mark.parametrize(
    ("place", "device"),
    [
        ("cpu", "cpu"),
        ("cuda:1", "cuda:1"),
        (torch.device("cuda", 0), "cuda:0"),
        ({"cuda:1": "cuda:0"}, "cuda:0"),
        (lambda storage, location: storage, "cpu"),
        (lambda storage, location: storage.cuda(0), "cuda:0"),
    ],
    ids=["cpu", "cuda:1", "device", "dict", "function", "function to cuda"],
)
def test_map_location(place: object, device: str) -> None:
    """map_location says where to. Reference: generated/torch.load"""
    x = torch.load(saved(torch.ones(2, device="cuda:1")), map_location=place, weights_only=not callable(place))  # type: ignore[arg-type]
    assert x.device == torch.device(device)
    assert x.tolist() == [1, 1]


def test_a_device_that_is_not_there_is_refused() -> None:
    """Loading onto an ordinal beyond the last. Reference: torch/serialization.py"""
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on CUDA device 3|invalid device ordinal"):
        torch.load(saved(torch.ones(1)), map_location="cuda:3")


def test_the_file_names_the_device() -> None:
    """The storage's location is in the pickle. Reference: notes/serialization.rst"""
    assert b"cuda:1" in saved(torch.ones(2, device="cuda:1")).getvalue()


@pytest.mark.slow
def test_checkpoints() -> None:
    """A dict of a model's and an optimiser's state. Reference: notes/serialization.rst"""
    layer = nn.Linear(2, 1).cuda()
    optimizer = torch.optim.Adam(layer.parameters())
    layer(torch.ones(1, 2, device="cuda")).sum().backward()
    optimizer.step()
    state = torch.load(saved({"model": layer.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}))
    assert state["model"]["weight"].is_cuda
    assert state["optimizer"]["state"][0]["exp_avg"].is_cuda
    assert torch.equal(state["model"]["weight"], layer.weight)


def test_views_stay_views_of_one_storage() -> None:
    """Saving preserves shared storage. Reference: notes/serialization.rst"""
    x = torch.zeros(4, device="cuda")
    first, second = torch.load(saved([x, x[1:]]))
    first[1] = 5
    assert second[0].item() == 5


def test_pickling() -> None:
    """pickle keeps the device. Reference: notes/serialization.rst"""
    x = pickle.loads(pickle.dumps(torch.ones(2, device="cuda:1")))
    assert (x.get_device(), x.tolist()) == (1, [1, 1])
    parameter = pickle.loads(pickle.dumps(nn.Parameter(torch.ones(1, device="cuda"))))
    assert isinstance(parameter, nn.Parameter)


def test_whole_modules(tmp_path: Path) -> None:
    """A saved module comes back on its device. Reference: notes/serialization.rst"""
    path = tmp_path / "net.pt"
    torch.save(nn.Linear(2, 2).cuda(), path)
    assert torch.load(path, weights_only=False).weight.is_cuda
    assert torch.load(path, weights_only=False, map_location="cpu").weight.device.type == "cpu"
    assert copy.deepcopy(nn.Linear(2, 2).cuda()).weight.is_cuda


def test_loading_with_memory_mapping(tmp_path: Path) -> None:
    """mmap=True loads to the CPU first. Reference: generated/torch.load"""
    path = tmp_path / "x.pt"
    torch.save(torch.arange(3.0, device="cuda"), path)
    assert torch.load(path, mmap=True, map_location="cpu").tolist() == [0, 1, 2]


def test_storages_know_their_device() -> None:
    """UntypedStorage.device, is_cuda, cpu and cuda. Reference: storage.rst"""
    storage = torch.ones(2, device="cuda:1").untyped_storage()
    assert (storage.device, storage.is_cuda, storage.nbytes()) == (torch.device("cuda", 1), True, 8)
    assert storage.cpu().device.type == "cpu"
    assert torch.ones(2).untyped_storage().cuda().is_cuda
    assert torch.UntypedStorage(4, device="cuda").device == torch.device("cuda", 0)


def test_tensors_over_a_storage() -> None:
    """set_ puts a tensor over a storage. Reference: generated/torch.Tensor.set_"""
    x = torch.arange(4.0, device="cuda")
    y = torch.empty(0, device="cuda").set_(x.untyped_storage(), 1, (2,))  # type: ignore[call-overload]
    assert y.tolist() == [1, 2]
    y[0] = 9
    assert x[1].item() == 9


def test_sharing_memory_is_a_no_op() -> None:
    """share_memory_() of a CUDA tensor does nothing. Reference: generated/torch.Tensor.share_memory_"""
    x = torch.ones(2, device="cuda")
    assert x.share_memory_() is x
    assert x.is_shared()


def test_a_loader_with_pinned_memory() -> None:
    """pin_memory=True gives pinned batches. Reference: data.rst (Memory Pinning)"""
    loader = DataLoader(TensorDataset(torch.arange(4.0)), batch_size=2, pin_memory=True)
    batches = [batch for (batch,) in loader]
    assert all(batch.is_pinned() for batch in batches)
    assert batches[1].cuda(non_blocking=True).tolist() == [2, 3]


def test_a_loader_with_workers() -> None:
    """Workers make CPU tensors; pinning is done in the parent. Reference: data.rst (Multi-process data loading)"""
    loader = DataLoader(TensorDataset(torch.arange(4.0)), batch_size=2, num_workers=1, pin_memory=True)
    assert [batch.cuda().tolist() for (batch,) in loader] == [[0, 1], [2, 3]]


class OnDevice(torch.utils.data.Dataset):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.tensor([float(index)], device="cuda")


def test_a_forked_worker_cannot_use_cuda() -> None:
    """CUDA in a forked subprocess. Reference: notes/multiprocessing.rst (CUDA in multiprocessing)"""
    torch.cuda.init()
    batches: Any = iter(DataLoader(OnDevice(), num_workers=1, multiprocessing_context="fork"))
    try:
        with pytest.raises(RuntimeError, match="Cannot re-initialize CUDA in forked subprocess"):
            next(batches)
    finally:
        batches._shutdown_workers()  # else the worker lives on until garbage is collected
    assert [x.item() for x in DataLoader(OnDevice())] == [0, 1]


def test_batches_of_device_tensors() -> None:
    """default_collate stacks where its samples are. Reference: data.rst"""
    (batch,) = DataLoader(OnDevice(), batch_size=2)
    assert batch.is_cuda


def test_numpy_after_cpu() -> None:
    """x.cpu().numpy() is a copy of the device's values. Reference: generated/torch.Tensor.numpy"""
    x = torch.ones(2, device="cuda")
    array = x.cpu().numpy()
    array[0] = 5
    assert x.tolist() == [1, 1]
