"""The machine that the identity patch pretends: its GPUs, and the torch.cuda types that live on them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch


class Machine:
    """The pretended machine: how many GPUs it has, which is current, and how often each was asked for."""

    def __init__(self, device_count: int) -> None:
        self.device_count = device_count
        self.current = 0
        self.used: Counter[str] = Counter()

    def index_of(self, device: Any) -> int:
        """The ordinal a CUDA device stands for: an index, "cuda:1", torch.device("cuda") or None."""
        if isinstance(device, str):
            device = torch.device(device)
        if isinstance(device, torch.device):
            device = device.index
        index = self.current if device is None or device == -1 else int(device)
        if not 0 <= index < self.device_count:
            raise RuntimeError(f"CUDA error: invalid device ordinal {index} of {self.device_count}")
        return index

    def place(self, device: Any) -> None:
        self.used[f"cuda:{self.index_of(device)}"] += 1

    def to_cpu(self, device: Any) -> Any:
        """What the CPU build must see in a device slot where the program said ``device``."""
        if isinstance(device, bool) or not is_cuda_device(device):
            return device
        self.place(device)
        return "cpu" if isinstance(device, str) else torch.device("cpu")


def is_cuda_device(value: Any) -> bool:
    if isinstance(value, str):
        return value == "cuda" or value.startswith("cuda:")
    if isinstance(value, torch.device):
        return value.type == "cuda"
    return isinstance(value, int)


class LegacyType:
    """``torch.cuda.FloatTensor``: constructs, casts and checks like its CPU namesake."""

    def __init__(self, machine: Machine, cpu_type: Any) -> None:
        self.machine = machine
        self.cpu_type = cpu_type

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.machine.place(kwargs.pop("device", None))
        return self.cpu_type(*args, **kwargs)

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, self.cpu_type)

    @property
    def dtype(self) -> Any:
        return self.cpu_type.dtype


def cpu_type(machine: Machine, wanted: Any) -> Any:
    """The CPU type for ``torch.cuda.FloatTensor``, given as the type or as its name."""
    if isinstance(wanted, LegacyType):
        machine.place(None)
        return wanted.cpu_type
    if isinstance(wanted, str) and wanted.startswith("torch.cuda."):
        machine.place(None)
        return wanted.replace("torch.cuda.", "torch.")
    return wanted


class Harmless:
    """A stream, event or context manager on which every method does nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exc: object) -> None:
        return None

    def elapsed_time(self, other: Any) -> float:
        return 0.0

    def query(self) -> bool:
        return True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return nothing


class CurrentDevice:
    """``torch.cuda.device(i)``: the current device inside the block."""

    def __init__(self, machine: Machine, device: Any) -> None:
        self.machine = machine
        self.index = machine.index_of(device)

    def __enter__(self) -> None:
        self.before, self.machine.current = self.machine.current, self.index

    def __exit__(self, *exc: object) -> None:
        self.machine.current = self.before


def nothing(*args: Any, **kwargs: Any) -> None:
    return None
