"""Streams and events of a device on which every operation is finished at once."""

from __future__ import annotations

import ctypes
import itertools
import struct
import time
from typing import Any

import torch
from torch.cuda._utils import _get_device_index

from devlint.verify.sim.machine import accelerator_error, machine
from devlint.verify.sim.patches import Patches

_numbers = itertools.count(32, 32)


class _AnyDevice(type):
    """The metaclass of ``torch.Stream`` and ``torch.Event``, which create those of every device."""

    plain: Any
    simulated: Any

    def __instancecheck__(cls, value: object) -> bool:
        return super().__instancecheck__(value) or ("plain" in vars(cls) and isinstance(value, cls.plain))

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls._of(*args, **kwargs) if "simulated" in vars(cls) else super().__call__(*args, **kwargs)

    def _of(cls, device: Any = None, **kwargs: Any) -> Any:
        place = machine.resolved("cuda" if device is None else device)
        if torch.device(place).type == "cuda":
            return cls.simulated(device=place, **kwargs)
        return cls.plain(device, **kwargs)


class _AnyStream(metaclass=_AnyDevice):
    """``torch.Stream``."""


class _AnyEvent(metaclass=_AnyDevice):
    """``torch.Event``."""


class _OfTheProcess:
    """What no other process can have a copy of; ``torch.multiprocessing`` has a way of its own for events."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")


class Stream(_OfTheProcess, _AnyStream):
    """``torch.cuda.Stream``, which only has a number and a device."""

    device_type = 1

    def __init__(self, device: Any = None, priority: int = 0, **given: Any) -> None:
        """Make a stream on a device, or the one of given numbers."""
        self.stream_id: int
        self.device_index: int
        if "stream_id" in given:
            self.stream_id, self.device_index = given["stream_id"], given.get("device_index", machine.current())
        else:
            self.stream_id = given["stream_ptr"] if "stream_ptr" in given else next(_numbers)
            self.device_index = machine.checked(_get_device_index(device, optional=True))
        self.priority = priority

    @property
    def device(self) -> torch.device:
        """The device it is on."""
        return torch.device("cuda", self.device_index)

    @property
    def cuda_stream(self) -> int:
        """The number that stands for a cudaStream_t."""
        return int(self.stream_id)

    native_handle = cuda_stream

    def __cuda_stream__(self) -> tuple[int, int]:
        """The version of this protocol, and the number."""
        return (0, self.cuda_stream)

    @property
    def _as_parameter_(self) -> Any:
        return ctypes.c_void_p(self.cuda_stream)

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """The least and the greatest priority."""
        return (0, -5)

    def wait_event(self, event: Any) -> None:
        """Do nothing: everything is finished."""

    def wait_stream(self, stream: Any) -> None:
        """Do nothing: everything is finished."""

    def synchronize(self) -> None:
        """Count a synchronization."""
        machine.counters.waited()

    def query(self) -> bool:
        """Whether everything is finished: always."""
        return True

    def is_capturing(self) -> bool:
        """Whether a graph is being captured: none can be."""
        return False

    def record_event(self, event: Event | None = None) -> Event:
        """Record an event, a new one if need be."""
        event = event or Event()
        event.record(self)
        return event

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (other.stream_id, other.device) == (self.stream_id, self.device)

    def __hash__(self) -> int:
        return hash((self.stream_id, self.device_index))

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device=cuda:{self.device_index} cuda_stream={self.cuda_stream:#x}>"

    def __enter__(self) -> Stream:
        self._context: Any = torch.cuda.stream(self)  # type: ignore[arg-type]
        self._context.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._context.__exit__(*error)


class ExternalStream(Stream):
    """``torch.cuda.ExternalStream``."""

    def __init__(self, stream_ptr: int, device: Any = None, **given: Any) -> None:
        super().__init__(device, stream_ptr=stream_ptr)


ExternalStream.__module__ = "torch.cuda"


class Event(_OfTheProcess, _AnyEvent):
    """``torch.cuda.Event``, which holds the host's time when it was recorded."""

    def __init__(
        self,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
        **device: Any,
    ) -> None:
        self.enable_timing = enable_timing
        self._interprocess = interprocess
        self._time: float | None = None
        self._stream: Any = None

    @property
    def device(self) -> torch.device | None:
        """The device of the stream it was recorded on."""
        return None if self._stream is None else self._stream.device

    @property
    def cuda_event(self) -> int:
        """The number that stands for a cudaEvent_t."""
        return 0 if self._time is None else id(self)

    event_id = cuda_event

    def record(self, stream: Any = None) -> None:
        """Record the host's time."""
        self._stream = stream or torch.cuda.current_stream()
        self._time = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """Do nothing: everything is finished."""

    def query(self) -> bool:
        """Whether everything is finished: always."""
        return True

    def synchronize(self) -> None:
        """Count a synchronization."""
        machine.counters.waited()

    def ipc_handle(self) -> bytes:
        """What another process needs to wait for it, if it was made for that."""
        if not self._interprocess or self.enable_timing:
            raise accelerator_error("CUDA error: invalid resource handle", 400)
        return struct.pack("d", self._time or 0.0)

    @classmethod
    def from_ipc_handle(cls, device: Any, handle: bytes) -> Event:
        """The event of another process."""
        event = cls(interprocess=True)
        event.record(Stream(device, stream_id=0))
        (event._time,) = struct.unpack("d", handle)
        return event

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds between two events, by the host's clock."""
        if not (self.enable_timing and end_event.enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._time is None or end_event._time is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event._time - self._time) * 1e3

    def __repr__(self) -> str:
        return "<torch.cuda.Event uninitialized>" if self._time is None else f"<torch.cuda.Event {self.cuda_event:#x}>"


def install_streams(patches: Patches) -> None:
    """Replace PyTorch's classes of streams and events."""
    import torch.cuda.streams

    generic: Any
    simulated: Any
    for generic, simulated in ((_AnyStream, Stream), (_AnyEvent, Event)):
        name = simulated.__name__
        simulated.__module__ = "torch.cuda"
        patches.set(torch.cuda, name, simulated)
        patches.set(torch.cuda.streams, name, simulated)
        generic.plain, generic.simulated = getattr(torch, name), simulated
        generic.__module__, generic.__name__, generic.__qualname__ = "torch", name, name
        patches.set(torch, name, generic)
        patches.set(torch._C, f"_Cuda{name}Base", simulated)
    for module in (torch.cuda, torch.cuda.streams):
        patches.set(module, "ExternalStream", ExternalStream)
