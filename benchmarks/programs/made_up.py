"""What drivers need: stand-ins for packages that are not there, made-up batches, scripts run with arguments.

A driver runs in the folder of its repository, with that folder first in ``sys.path``.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import runpy
import sys
import types
from typing import Any
from unittest import mock

import torch


class _Anything(types.ModuleType):
    """A module that has whatever is asked of it."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {"__init__": _accept, "__getattr__": _member}) if name[:1].isupper() else mock.MagicMock()
        setattr(self, name, made)
        return made


def _accept(self: object, *_: object, **__: object) -> None:
    """Take any arguments."""


def _member(self: object, name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return mock.MagicMock()


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, roots: tuple[str, ...]) -> None:
        self.roots = roots

    def find_spec(self, name: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        known = name.partition(".")[0] in self.roots
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if known else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Anything(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing to run."""


def stand_in(*roots: str) -> None:
    """Let these packages, and all modules in them, be imported without being there."""
    sys.meta_path.insert(0, _Finder(roots))


def batches(count: int, *made: Any) -> list[tuple[Any, ...]]:
    """The same made-up batch, ``count`` times."""
    return [tuple(made) for _ in range(count)]


def labels(count: int, classes: int) -> torch.Tensor:
    """Made-up labels."""
    return torch.arange(count) % classes


class MadeUp(torch.utils.data.Dataset[Any]):
    """A data set of one item, given several times, that takes whatever arguments it is made with."""

    item: tuple[Any, ...] = ()
    size = 4

    def __init__(self, *_: object, **__: object) -> None:
        self.classes = ["a", "b", "c"]

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return type(self).item


def old_scalars() -> None:
    """Let programs written for an older torch read a number as ``loss.data[0]``."""
    read = torch.Tensor.__getitem__
    torch.Tensor.__getitem__ = lambda self, index: read(self, index) if self.dim() else self.clone()  # type: ignore[method-assign,assignment]


def script(path: str, *arguments: str, name: str = "__main__") -> dict[str, Any]:
    """Run a script with arguments, and give what it defined."""
    sys.argv = [path, *arguments]
    sys.path.insert(0, path.rpartition("/")[0] or ".")
    return runpy.run_path(path, run_name=name)


def old_loaders() -> None:
    """Let data loaders read in this process, however many workers a program asks for, and have the ``next`` of old."""
    made = torch.utils.data.DataLoader.__init__

    def alone(self: Any, *arguments: Any, **named: Any) -> None:
        made(self, *arguments, **{**named, "num_workers": 0})

    torch.utils.data.DataLoader.__init__ = alone  # type: ignore[method-assign,assignment]
    iterator = torch.utils.data.dataloader._BaseDataLoaderIter
    iterator.next = iterator.__next__  # type: ignore[attr-defined]
