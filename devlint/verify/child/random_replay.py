"""In the child, on a real accelerator: draws random numbers from the CPU's generator, and counts copies."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter, tree_map

_CPU = torch.device("cpu")
_HERE = ("cpu", "meta")
_Generator: Any = torch.Generator


class CopyCounter(TorchDispatchMode):
    """Counts the copies from device to device."""

    def __init__(self) -> None:
        super().__init__()
        self.copies: Counter[str] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        name = func._schema.name
        if name == "aten::_to_copy":
            self._count(args[0], result)
        elif name == "aten::copy_":
            self._count(args[1], args[0])
        elif name == "aten::_local_scalar_dense" and args[0].device.type not in _HERE:
            self.copies["d2h"] += 1
        return result

    def _count(self, source: torch.Tensor, target: torch.Tensor) -> None:
        if source.device != target.device:
            self.copies[f"{'h' if source.is_cpu else 'd'}2{'h' if target.is_cpu else 'd'}"] += 1


class RandomReplay(TorchDispatchMode):
    """Draws every random number of an accelerator program from the CPU's generator.

    A real device has a stream of its own, so nothing that is random could be compared with the CPU. Here each seeded
    operator runs on the CPU, with the kernel and the consumption it has there, and what it drew is copied.
    """

    def __init__(self) -> None:
        super().__init__()
        self._generators: dict[int, tuple[Any, Any]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        device = _device(args, kwargs) if torch.Tag.nondeterministic_seeded in func.tags else None
        if device is None:
            return func(*args, **kwargs)
        if func._schema.name == "aten::native_dropout":
            return _dropout(device, *args)
        moved_args, moved = tree_map(self._on_cpu, args), tree_map(self._on_cpu, kwargs)
        if kwargs.get("device") is not None:
            moved["device"] = _CPU
            moved.pop("pin_memory", None)
        result = func(*moved_args, **moved)
        written = _write_back(func._schema, args, kwargs, moved_args, moved)
        if written is not None:
            return written
        return tree_map(lambda one: one.to(device) if isinstance(one, torch.Tensor) else one, result)

    def _on_cpu(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.to(_CPU)
        if isinstance(value, _Generator) and value.device.type != "cpu":
            if id(value) not in self._generators:
                self._generators[id(value)] = value, _Generator().manual_seed(value.initial_seed())
            return self._generators[id(value)][1]
        return value


def _device(args: Any, kwargs: Any) -> torch.device | None:
    """The accelerator on which an operator draws random numbers, or None."""
    if kwargs.get("device") is not None:
        asked = torch.device(kwargs["device"])
        return None if asked.type in _HERE else asked
    for value in tree_iter((args, kwargs)):
        if isinstance(value, torch.Tensor) and value.device.type not in _HERE:
            return value.device
    return None


def _dropout(device: torch.device, x: torch.Tensor, p: float, train: bool | None) -> Any:
    """Dropout with the mask that the CPU would draw."""
    if train is False:
        return x.clone(), torch.ones_like(x, dtype=torch.bool)
    noise = torch.empty_like(x, device=_CPU).bernoulli_(1 - p)
    return x * (noise / (1 - p)).to(device), noise.bool().to(device)


def _write_back(schema: Any, args: Any, kwargs: Any, moved_args: Any, moved: Any) -> Any:
    """Copy results written in place on the CPU to the device; return the argument that the operator returns, if any."""
    written = None
    for index, argument in enumerate(schema.arguments):
        if argument.alias_info is None or not argument.alias_info.is_write:
            continue
        if argument.kwarg_only:
            source, target = moved.get(argument.name), kwargs.get(argument.name)
        else:
            source, target = moved_args[index], args[index]
        if isinstance(target, torch.Tensor):
            target.copy_(source)
            written = target
    returns = schema.returns
    aliased = len(returns) == 1 and returns[0].alias_info is not None and returns[0].alias_info.is_write
    return written if aliased else None
