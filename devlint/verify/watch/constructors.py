"""Births that no mode sees: constructors in C++, legacy types, parameters, batches of a DataLoader, loaded files."""

from __future__ import annotations

import functools
import sys
import weakref
from types import FrameType
from typing import Any, Union

import torch

from devlint.verify.sim.patches import Patches
from devlint.verify.watch.origins import MARK, SOURCE, Tensor, origin_of, tensors_among
from devlint.verify.watch.watcher import Watcher

_UNSEEN = "from_numpy from_dlpack frombuffer".split()
_LEGACY = "Float Double Half BFloat16 Byte Char Short Int Long Bool".split()


def watch_constructors(patches: Patches, watcher: Watcher) -> None:
    """Patch each of them."""
    for name in _UNSEEN:
        patches.set(torch, name, _marking(getattr(torch, name), name, "factory", watcher))
    patches.set(torch, "load", _marking(torch.load, "load", "loaded", watcher))
    _watch_legacy_types(patches, watcher)
    _watch_tensor_class(patches, watcher)
    _watch_parameters(patches)
    _watch_loaders(patches, watcher)


def _marking(plain: Any, name: str, kind: str, watcher: Watcher) -> Any:
    @functools.wraps(plain)
    def made(*args: Any, **kwargs: Any) -> Any:
        result = plain(*args, **kwargs)
        origin = None
        for tensor in tensors_among(result):
            if tensor.is_cpu and (kind == "loaded" or not hasattr(tensor, MARK)):
                origin = origin or watcher.origins.born(kind, name, sys._getframe(1))
                tensor._devlint_origin = origin
        return result

    return made


class WatchedTensorType:
    """``torch.FloatTensor`` and the like, whose tensors are marked."""

    def __init__(self, plain: Any, watcher: Watcher) -> None:
        self.__dict__.update(plain=plain, watcher=watcher)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            made = self.plain(*args, **kwargs)
        except TypeError as error:
            return self._mended(args, error, sys._getframe(1))
        if made.is_cpu and not hasattr(made, MARK):
            given = origin_of(args[0]) if args and isinstance(args[0], Tensor) else None
            made._devlint_origin = given or self.watcher.origins.born("factory", self.plain.__name__, sys._getframe(1))
        return made

    def _mended(self, args: tuple[Any, ...], error: TypeError, frame: FrameType) -> Any:
        """What a type of CUDA makes of a CPU tensor, which it refuses, once that is on the device."""
        tensor = args[0] if len(args) == 1 and isinstance(args[0], Tensor) else None
        if tensor is None or not tensor.is_cpu or self.plain.__module__ != "torch.cuda" or not self.watcher.mends:
            raise error
        with torch._C.DisableTorchFunction():  # this move is not the program's
            moved = tensor.cuda()
        made = self.plain(moved)
        self.watcher.met(self.plain.__name__, tensor, moved.device, frame)
        return made

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, self.plain)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)

    def __repr__(self) -> str:
        return repr(self.plain)

    def __or__(self, other: Any) -> Any:
        return Union[self.plain, other]  # noqa: UP007

    __ror__ = __or__


def _unwrapped(kind: Any) -> Any:
    """The type itself, of one that is wrapped or the name of one."""
    if isinstance(kind, str) and kind.startswith("torch.") and kind.endswith("Tensor"):
        named = getattr(torch, kind.removeprefix("torch."), None)
        return named.plain if isinstance(named, WatchedTensorType) else kind
    return kind.plain if isinstance(kind, WatchedTensorType) else kind


def _watch_legacy_types(patches: Patches, watcher: Watcher) -> None:
    for name in _LEGACY:
        for module in (torch, torch.cuda):
            patches.set(module, f"{name}Tensor", WatchedTensorType(getattr(module, f"{name}Tensor"), watcher))
    plain_cast: Any = Tensor.type
    plain_default = torch.set_default_tensor_type

    @functools.wraps(plain_cast)
    def cast(self: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        return plain_cast(self, _unwrapped(dtype), *args, **kwargs)

    patches.set(Tensor, "type", cast)
    patches.set(torch, "set_default_tensor_type", lambda kind: plain_default(_unwrapped(kind)))


def _watch_tensor_class(patches: Patches, watcher: Watcher) -> None:
    """``torch.Tensor(...)`` and ``Variable(...)``."""
    plain: Any = torch._C.TensorBase.__new__

    def new(*args: Any, **kwargs: Any) -> Any:  # Dynamo checks the names of its parameters, unless there are none
        made = plain(*args, **kwargs)
        if args[0] is Tensor and made.is_cpu and not hasattr(made, MARK):
            given = origin_of(args[1]) if len(args) > 1 and isinstance(args[1], Tensor) else None
            made._devlint_origin = given or watcher.origins.born("factory", "Tensor", sys._getframe(1))
        return made

    patches.set(Tensor, "__new__", staticmethod(new))
    from torch.autograd.variable import VariableMeta

    def call(cls: Any, *args: Any, **kwargs: Any) -> Any:
        made = type.__call__(cls, *args, **kwargs)
        _inherit(made, args)
        if args and isinstance(args[0], Tensor) and isinstance(made, Tensor) and made is not args[0]:
            made._devlint_source = getattr(args[0], SOURCE, None) or weakref.ref(args[0])  # type: ignore[attr-defined]
        return made

    patches.set(VariableMeta, "__call__", call)


def _watch_parameters(patches: Patches) -> None:
    plain: Any = torch.nn.Parameter.__new__

    def new(cls: Any, data: Any = None, requires_grad: bool = True) -> Any:
        made = plain(cls, data, requires_grad)
        _inherit(made, (data,))
        return made

    patches.set(torch.nn.Parameter, "__new__", staticmethod(new))


def _inherit(made: Any, args: tuple[Any, ...]) -> None:
    """Give a tensor the origin of the one that it was made of."""
    origin = origin_of(args[0]) if args and isinstance(args[0], Tensor) and args[0].is_cpu else None
    if origin is not None and isinstance(made, Tensor) and not hasattr(made, MARK):
        made._devlint_origin = origin  # type: ignore[attr-defined]


def _watch_loaders(patches: Patches, watcher: Watcher) -> None:
    """A batch is born at the loop that takes it, not in the collate function."""
    from torch.utils.data.dataloader import _BaseDataLoaderIter

    plain: Any = _BaseDataLoaderIter.__next__

    def take(self: Any) -> Any:
        batch = plain(self)
        tensors = tensors_among(batch if isinstance(batch, (list, tuple, dict, Tensor)) else vars_of(batch))
        on_cpu = [tensor for tensor in tensors if tensor.is_cpu]
        if on_cpu:
            origin = watcher.origins.born("loader", "DataLoader", sys._getframe(1))
            for tensor in on_cpu:
                tensor._devlint_origin = origin
        return batch

    patches.set(_BaseDataLoaderIter, "__next__", take)


def vars_of(value: Any) -> dict[str, Any]:
    """The attributes of a batch of the user's own class."""
    return dict(getattr(value, "__dict__", {}))
