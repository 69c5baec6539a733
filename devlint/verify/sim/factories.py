"""Patches the functions of torch that create tensors: integers as devices, pinned memory, checks of generators."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch

from devlint.verify.sim.machine import machine
from devlint.verify.sim.patches import Patches
from devlint.verify.sim.tensor_methods import pin_memory

_MORE = "normal randperm bernoulli multinomial asarray as_tensor".split()


def install_factories(patches: Patches) -> None:
    """Patch each of them."""
    from torch.jit._builtins import _get_builtin_table
    from torch.utils._device import _device_constructors

    builtins: dict[int, Any] = _get_builtin_table()
    for name, plain in _factories(_device_constructors()):
        wrapped = _wrapped(plain)
        if id(plain) in builtins:  # TorchScript finds its builtins by identity
            builtins[id(wrapped)] = builtins[id(plain)]
        patches.set(torch, name, wrapped)


def _factories(constructors: Any) -> Iterator[tuple[str, Any]]:
    found = {getattr(function, "__name__", ""): function for function in constructors}
    for name in dict.fromkeys([*sorted(found), *_MORE]):
        plain = getattr(torch, name, None)
        if plain is not None and (name in _MORE or plain is found[name]):
            yield name, plain


def _wrapped(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def factory(*args: Any, **kwargs: Any) -> Any:
        device = kwargs.get("device")
        if device is not None:
            kwargs["device"] = device = machine.resolved(device)
        pinned = kwargs.pop("pin_memory", False)
        if pinned and device is not None and torch.device(device).type == "cuda":
            raise RuntimeError("Only dense CPU tensors can be pinned")
        if kwargs.get("generator") is not None:
            _check_generator(kwargs["generator"], device, args)
        made = plain(*args, **kwargs)
        return pin_memory(made) if pinned else made

    return factory


def _check_generator(generator: Any, device: Any, args: tuple[Any, ...]) -> None:
    if device is not None:
        wanted = torch.device(device).type
    elif any(isinstance(value, torch.Tensor) for value in args):
        return  # its kernel checks
    else:
        wanted = torch.get_default_device().type
    if generator.device.type != wanted:
        raise RuntimeError(f"Expected a '{wanted}' device type for generator but found '{generator.device.type}'")
