"""The state of the simulation: the devices, the current one of each thread, errors for wrong numbers."""

from __future__ import annotations

import os
import threading
import warnings
from typing import Any

import torch

from devlint.verify.sim.counters import Counters

NAME = "NVIDIA simulated by devlint on the CPU"
CAPABILITY = (8, 0)
TOTAL_MEMORY = 16 << 30
MEMORY = "DEVLINT_SIMULATE_MEMORY"
"""The environment variable with the memory of each device in GiB."""
_LARGEST_NUMBER = 127
"""What torch keeps the number of a device in has eight bits."""
HIDDEN = "simulated"
"""A value of CUDA_VISIBLE_DEVICES that hides real devices, since it names none, and no simulated ones."""

_FORKED = (
    "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' "
    "start method"
)
_ORDINAL = (
    "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?\n"
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be "
    "incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)


def accelerator_error(message: str, code: int) -> Exception:
    """CUDA's error with this message and code."""
    error: Any = getattr(torch, "AcceleratorError", RuntimeError)(message)
    error.error_code = code
    return error  # type: ignore[no-any-return]


class Machine:
    """The simulated devices of this process; there is one instance."""

    def __init__(self) -> None:
        self.plugged = 1
        self.rng = "shared"
        self.active = False
        self.forked = False
        self.counters = Counters()
        self._thread = threading.local()
        self._visible: list[int] | None = None
        self.sync_debug_mode = 0
        self.total_memory = TOTAL_MEMORY

    def start(self, devices: int, rng: str, counters: Counters, trying: bool = False) -> None:
        """Start the simulation; while ``trying``, all devices are visible."""
        self.plugged, self.rng, self.counters = devices, rng, counters
        self.active, self.forked, self._visible = True, False, list(range(devices)) if trying else None
        self._thread = threading.local()
        self.sync_debug_mode = 0
        self.total_memory = int(float(os.environ.get(MEMORY, TOTAL_MEMORY / (1 << 30))) * (1 << 30))

    def stop(self) -> None:
        """Stop the simulation."""
        self.active = False

    @property
    def devices(self) -> int:
        """How many devices the program sees: CUDA_VISIBLE_DEVICES is read until CUDA is initialised, then no more."""
        return len(self._cards())

    def card(self, index: int) -> int:
        """The number that a device has among all of the computer, of which a program may see some only."""
        return self._cards()[index]

    def _cards(self) -> list[int]:
        if self._visible is not None:
            return self._visible
        return _visible(os.environ.get("CUDA_VISIBLE_DEVICES"), self.plugged)

    def hidden_wait(self) -> None:
        """Count a synchronization that a program may not expect, and report it in ``torch.cuda``'s debug mode."""
        self.counters.waited()
        if self.sync_debug_mode == 2:
            raise RuntimeError("called a synchronizing CUDA operation")
        if self.sync_debug_mode == 1:
            warnings.warn("called a synchronizing CUDA operation", UserWarning, stacklevel=3)

    def select_sync_debug_mode(self, mode: int) -> None:
        """``torch.cuda.set_sync_debug_mode``: 0 says nothing, 1 warns, 2 raises."""
        self.sync_debug_mode = mode

    def initialise(self) -> None:
        """What ``cudaInit`` does."""
        self._visible = self._cards()
        if not self._visible:
            self._visible = None
            raise RuntimeError("No CUDA GPUs are available")

    def current(self) -> int:
        """The number of this thread's current device."""
        return getattr(self._thread, "index", 0)

    def select(self, index: int) -> None:
        """Make a device the current one of this thread; a negative number changes nothing."""
        if index >= 0:
            self._thread.index = self.checked(index)

    def streams(self) -> dict[int, Any]:
        """The current stream of each device in this thread, where it is not the default one."""
        streams: dict[int, Any] = self._thread.__dict__.setdefault("streams", {})
        return streams

    def checked(self, index: int | None) -> int:
        """Check a device number as CUDA does; None is the current device."""
        if self.forked:
            raise RuntimeError(_FORKED)
        if index is None or index < 0:
            index = self.current()
        if index >= self.devices:
            if not self.devices:
                raise RuntimeError("No CUDA GPUs are available")
            raise accelerator_error(_ORDINAL, 101)
        return index

    def with_streams(self, index: int) -> int:
        """Check a device number as what is asked for streams does."""
        if index > _LARGEST_NUMBER:
            raise RuntimeError("Overflow when unpacking DeviceIndex")
        if index >= self.devices:
            raise RuntimeError(f"Device index value {index} is out of index range [0, {self.devices})")
        return self.checked(index)

    def of(self, device: torch.device | None) -> int:
        """The number of the device an operator was given."""
        return self.checked(None if device is None else device.index)

    def resolved(self, device: Any) -> Any:
        """Add the number to a CUDA device that a program gave; anything else is unchanged."""
        if not self.active:
            return device
        if type(device) is str:
            if not device.startswith("cuda"):
                return device
            device = torch.device(device)
        elif type(device) is int:
            return torch.device("cuda", self.checked(device))
        if isinstance(device, torch.device) and device.type == "cuda":
            self.initialised()
            return torch.device("cuda", self.checked(device.index))
        return device

    def initialised(self) -> None:
        """Initialise CUDA as the first use of a device does."""
        if not torch.cuda.is_initialized():
            torch.cuda.init()


machine = Machine()


def _visible(setting: str | None, plugged: int) -> list[int]:
    """The devices that CUDA_VISIBLE_DEVICES leaves, in its order: those before the first invalid one."""
    if setting is None or setting == HIDDEN:
        return list(range(plugged))
    seen: list[int] = []
    for word in setting.split(","):
        number = word.strip()
        if number.startswith("GPU-"):
            number = number.rpartition("-")[2]
        if not number.isdigit() or int(number) >= plugged or int(number) in seen:
            break
        seen.append(int(number))
    return seen
