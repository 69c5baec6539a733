"""What the members of ``torch.cuda`` do where there is no GPU, and which of torch.accelerator does the same.

The tables are data, measured on the CPU build of torch 2.13; tests/torch_api/test_cuda_members.py compares them with
the torch that is installed. Releases are those whose ``__all__`` has the name first, read from the wheels of 2.6
to 2.15.
"""

from __future__ import annotations

from enum import Enum

from devlint.core.record import Record
from devlint.torch_api import cuda_functions
from devlint.torch_api.accelerator_api import SINCE

Release = tuple[int, int]


class OnCpu(Enum):
    """What a call does where there is no GPU."""

    HARMLESS = "does nothing, or gives an empty answer"
    RAISES = "raises"
    ENTERED = "gives a context manager that raises when it is entered"
    GIVEN = "does nothing with None; any other argument cannot be made"


class Member(Record):
    """A function or class of ``torch.cuda``."""

    name: str
    """``synchronize``, ``nvtx.range_push``: dotted, without ``torch.cuda.``."""
    on_cpu: OnCpu
    counterpart: str | None = None
    """What does the same for any device, below ``torch``: ``accelerator.synchronize``, ``Stream``."""
    counterpart_since: Release = (2, 0)
    same_result: bool = True
    """Whether the counterpart's value is of the same kind, so that code that looks into it goes on working."""


_CUDA_BY_KIND = {
    OnCpu.HARMLESS: cuda_functions.HARMLESS,
    OnCpu.RAISES: cuda_functions.RAISES,
    OnCpu.ENTERED: cuda_functions.ENTERED,
    OnCpu.GIVEN: cuda_functions.GIVEN,
}

_SAME_NAME = """
    current_stream device_count empty_cache is_available max_memory_allocated max_memory_reserved memory_allocated
    memory_reserved memory_stats reset_accumulated_memory_stats reset_peak_memory_stats set_stream synchronize
""".split()

_RENAMED = {
    "current_device": "current_device_index",
    "device": "device_index",
    "get_rng_state": "random.get_rng_state",
    "get_rng_state_all": "random.get_rng_state_all",
    "initial_seed": "random.initial_seed",
    "max_memory_cached": "max_memory_reserved",
    "mem_get_info": "get_memory_info",
    "memory_cached": "memory_reserved",
    "reset_max_memory_allocated": "reset_peak_memory_stats",
    "reset_max_memory_cached": "reset_peak_memory_stats",
    "set_device": "set_device_index",
    "get_device_capability": "get_device_capability",
    "CUDAGraph": "Graph",
}
_ELSEWHERE: dict[str, tuple[str, Release]] = {"Stream": ("Stream", (2, 6)), "Event": ("Event", (2, 6))}
_OTHER_RESULT = frozenset({"current_stream", "get_device_capability", "CUDAGraph", "Stream", "Event"})

ASKED_OF_MODULES = frozenset(
    "default_stream get_device_name get_device_properties get_rng_state is_bf16_supported set_rng_state stream".split()
)
"""What accelerators have in their modules, ``torch.xpu`` and the like, and torch.accelerator has not."""

OUT_OF_MEMORY: tuple[str, Release] = ("OutOfMemoryError", (2, 5))
"""The name below ``torch`` of the class that ``torch.cuda.OutOfMemoryError`` is, and the release that has it first."""


def _cuda_member(name: str, on_cpu: OnCpu) -> Member:
    renamed = name if name in _SAME_NAME else _RENAMED.get(name)
    if renamed is not None:
        return Member(name, on_cpu, f"accelerator.{renamed}", SINCE[renamed], name not in _OTHER_RESULT)
    if name in _ELSEWHERE:
        return Member(name, on_cpu, *_ELSEWHERE[name], same_result=False)
    return Member(name, on_cpu)


CUDA: dict[str, Member] = {
    name: _cuda_member(name, on_cpu) for on_cpu, names in _CUDA_BY_KIND.items() for name in names.split()
}
"""The members of ``torch.cuda`` by name, and the best known ones of its submodules."""

_ALIASES = ("memory.", "random.", "streams.", "graphs.")
"""Modules whose public members ``torch.cuda`` has too."""


def cuda_member(origin: str | None) -> Member | None:
    """What the table says of a name that is imported as ``origin``: ``torch.cuda.synchronize``."""
    if origin is None or not origin.startswith("torch.cuda."):
        return None
    name = origin[len("torch.cuda.") :]
    if name in CUDA:
        return CUDA[name]
    alias = next((one for one in _ALIASES if name.startswith(one)), "")
    return CUDA.get(name[len(alias) :]) if alias else None
