"""Tensors that `devlint observe` has seen on the wrong device, by the expressions that made them."""

from __future__ import annotations

from devlint.core.record import Record

_SAID = {
    "module": "constructed on the CPU",
    "loader": "a batch on the CPU",
    "loaded": "loaded to the CPU",
    "moved": "moved to the CPU",
    "brought": "moved to the CPU",
    "joined": "computed on the CPU",
    "unknown": "on the CPU",
    "use": "on the CPU",
}


class ObservedTensor(Record):
    """An expression that made a tensor on the CPU, which met others on a device."""

    kind: str
    """factory, library, module, loader, loaded, moved, joined or unknown; brought: moved to the CPU inside of the
    operation in which it met; use: where it met what is on the device."""
    operation: str
    """The function of torch that made it."""
    row: int
    column: int
    """In bytes of UTF-8, from 0, as Python has it; -1 where it is not known."""
    end_row: int
    end_column: int
    names: tuple[str, ...]
    """Variables and attributes that held it."""
    device: str
    """What it met: ``cuda:0``."""
    at: str
    """Where it first did: ``model.py:31``."""
    count: int
    partners: tuple[tuple[str, int], ...] = ()
    """Variables that hold what it met, or that are arguments on the device; each with a row of its function."""

    @property
    def message(self) -> str:
        """What a finding says."""
        what = f"`{self.names[0]}`" if self.names else "a module" if self.kind == "module" else "a tensor"
        times = "once" if self.count == 1 else f"{self.count:,} times"
        return f"{what} is {_SAID.get(self.kind, 'made on the CPU')} here, and met {self.device} at {self.at}, {times}"


class ObservedFile(Record):
    """What was seen of one file."""

    tensors: tuple[ObservedTensor, ...]
    is_tried: bool = False
    """Whether the program is run again with the fixes, so that they need no permission."""
