from __future__ import annotations

import importlib

import pytest

from devlint.torch_api.module_members import DEVICE_NAMES, intended

pytest.importorskip("torch")


@pytest.mark.parametrize("module", sorted(DEVICE_NAMES))
def test_every_name_of_the_table_exists(module: str) -> None:
    importlib.import_module("torch.cuda.comm")
    owner = importlib.import_module(module)
    assert not [name for name in DEVICE_NAMES[module] if not hasattr(owner, name)]


@pytest.mark.parametrize("module", sorted(DEVICE_NAMES))
def test_no_name_that_exists_is_called_misspelled(module: str) -> None:
    names = dir(importlib.import_module(module))
    assert not {name: intended(module, name) for name in names if intended(module, name)}


@pytest.mark.parametrize(
    ("module", "name", "meant"),
    [
        ("torch.cuda", "is_avaliable", ("is_available",)),
        ("torch.cuda", "is_availble", ("is_available",)),
        ("torch.cuda", "isavailable", ("is_available",)),
        ("torch.cuda", "Is_Available", ("is_available",)),
        ("torch.cuda", "is_availabel", ("is_available",)),
        ("torch.cuda", "empty_cahce", ("empty_cache",)),
        ("torch.cuda", "synchronise", ("synchronize",)),
        ("torch.cuda", "device_counts", ("device_count",)),
        ("torch.cuda", "floatTensor", ("FloatTensor",)),
        ("torch.cuda", "steam", ("stream",)),
        ("torch.cuda", "STREAM", ("Stream",)),
        ("torch", "Device", ("device",)),
        ("torch", "Cuda", ("cuda",)),
        ("torch.nn", "Dataparallel", ("DataParallel",)),
        ("torch.nn.parallel", "DistributedDataparallel", ("DistributedDataParallel",)),
        ("torch.backends", "cudn", ("cudnn",)),
        ("torch.backends.cudnn", "benchmak", ("benchmark",)),
        ("torch.cuda", "get_available", ()),
        ("torch.cuda", "foo", ()),
        ("torch", "musa", ()),
        ("torch", "npu", ()),
        ("torch", "cudo", ()),
        ("torch.cuda", "memory_cached", ()),
        ("torch.nn", "parallels", ("parallel",)),
        ("numpy", "device", ()),
    ],
)
def test_intended(module: str, name: str, meant: tuple[str, ...]) -> None:
    assert intended(module, name) == meant
