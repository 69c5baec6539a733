"""Pretend that a CPU build of torch has CUDA: every move to the GPU answers with the tensor itself.

The patch is put into a forked child just before it runs a program (see program_server). It knows nothing of
devlint: it only makes hard-coded CUDA harmless, keeps dtype arguments, and notes which devices were asked for.
``is_cuda`` and ``device`` still tell the truth (cpu), and autocast and GradScaler are off, as they are without CUDA.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Hashable
from types import SimpleNamespace
from typing import Any

import torch
import torch.utils._device

from tests.support.pretended_machine import CurrentDevice, Harmless, LegacyType, Machine, cpu_type, nothing

TENSOR_TYPES = "Float Double Half BFloat16 Char Byte Short Int Long Bool".split()
SPARSE_TYPES = [name for name in TENSOR_TYPES if name != "Bool"]


SILENT = (
    "_lazy_init synchronize empty_cache ipc_collect reset_peak_memory_stats reset_max_memory_allocated "
    "manual_seed manual_seed_all seed seed_all set_rng_state"
).split()


def install(device_count: int = 1) -> Machine:
    """Patch this process for good; returns the machine, which records the devices asked for."""
    machine = Machine(device_count)
    patch_cuda_module(machine)
    patch_accelerator(machine)
    patch_tensor_types(machine)
    patch_tensor_methods(machine)
    patch_factories(machine)
    patch_device_slots(machine)
    patch_process_groups()
    return machine


def patch_cuda_module(machine: Machine) -> None:
    cuda: Any = torch.cuda
    properties = SimpleNamespace(name="Pretended GPU", total_memory=8 << 30, major=8, minor=0, multi_processor_count=80)
    answers = {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "device_count": lambda: machine.device_count,
        "current_device": lambda: machine.current,
        "get_device_name": lambda device=None: properties.name,
        "get_device_properties": lambda device=None: properties,
        "get_device_capability": lambda device=None: (properties.major, properties.minor),
        "mem_get_info": lambda device=None: (4 << 30, 8 << 30),
        "memory_summary": lambda *args, **kwargs: "",
        "get_rng_state": lambda device=None: torch.get_rng_state(),
        "current_stream": Harmless,
        "default_stream": Harmless,
        "stream": Harmless,
        "Stream": Harmless,
        "Event": Harmless,
        "device": lambda device: CurrentDevice(machine, device),
        "set_device": lambda device: setattr(machine, "current", machine.index_of(device)),
        "nvtx": Harmless(),
    }
    for name, answer in {**answers, **dict.fromkeys(SILENT, nothing)}.items():
        setattr(cuda, name, answer)
    cuda.amp.common.amp_definitely_not_available = lambda: True  # autocast and GradScaler stay off
    data_parallel: Any = importlib.import_module("torch.nn.parallel.data_parallel")
    data_parallel._get_available_device_type = nothing  # DataParallel passes through


def patch_accelerator(machine: Machine) -> None:
    """What programs ask of torch.accelerator; torch itself goes on without one."""
    accelerator: Any = torch.accelerator
    answers = {
        "is_available": lambda: True,
        "device_count": lambda: machine.device_count,
        "current_accelerator": lambda check_available=False: torch.device("cuda"),
        "current_device_index": lambda: machine.current,
        "current_stream": Harmless,
        "device_index": lambda device: CurrentDevice(machine, device),
        "get_memory_info": lambda device=None: (4 << 30, 8 << 30),
        "set_device_index": lambda device: setattr(machine, "current", machine.index_of(device)),
    }
    names = "empty_cache reset_accumulated_memory_stats reset_peak_memory_stats set_stream synchronize".split()
    counts = "max_memory_allocated max_memory_reserved memory_allocated memory_reserved".split()
    for name, answer in {**answers, **dict.fromkeys(names, nothing), **dict.fromkeys(counts, zero)}.items():
        setattr(accelerator, name, except_for_torch(getattr(accelerator, name), answer))


def zero(device: Any = None) -> int:
    return 0


def except_for_torch(truth: Any, answer: Any) -> Any:
    """``answer`` for the program, and ``truth`` for torch's own modules."""

    def patched(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        return (truth if caller.startswith("torch.") else answer)(*args, **kwargs)

    return patched


def patch_tensor_types(machine: Machine) -> None:
    for module, cpu_module, names in (
        (torch.cuda, torch, TENSOR_TYPES),
        (torch.cuda.sparse, torch.sparse, SPARSE_TYPES),
    ):
        for name in (f"{name}Tensor" for name in names):
            setattr(module, name, LegacyType(machine, getattr(cpu_module, name)))
    set_default_tensor_type = torch.set_default_tensor_type
    torch.set_default_tensor_type = lambda wanted: set_default_tensor_type(cpu_type(machine, wanted))


def patch_tensor_methods(machine: Machine) -> None:
    tensor: Any = torch.Tensor
    to, as_type = tensor.to, tensor.type

    def patched_cuda(self: Any, device: Any = None, *args: Any, **kwargs: Any) -> Any:
        machine.place(device)
        return self

    def patched_to(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "device" in kwargs:
            kwargs["device"] = machine.to_cpu(kwargs["device"])
        return to(self, *(machine.to_cpu(arg) for arg in args[:1]), *args[1:], **kwargs)

    def patched_type(self: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        return as_type(self, cpu_type(machine, dtype), *args, **kwargs)

    tensor.cuda, tensor.to, tensor.type = patched_cuda, patched_to, patched_type
    tensor.pin_memory = lambda self, device=None: self
    tensor.record_stream = nothing


def patch_factories(machine: Machine) -> None:
    """Every function with a ``device=`` argument that makes a tensor."""
    factories = torch.utils._device._device_constructors()
    likes = [name for name in vars(torch) if name.endswith("_like")]
    owners: list[tuple[Any, list[str]]] = [
        (module, [name for name, value in vars(module).items() if is_one_of(value, factories)])
        for module in (torch, torch.fft, torch.nested)
    ]
    owners += [(torch, likes), (torch.Tensor, [name for name in dir(torch.Tensor) if name.startswith("new")])]
    for owner, names in owners:
        for name in names:
            setattr(owner, name, on_cpu(machine, getattr(owner, name)))


def is_one_of(value: Any, functions: set[Any]) -> bool:
    return callable(value) and isinstance(value, Hashable) and value in functions


def on_cpu(machine: Machine, factory: Any) -> Any:
    @functools.wraps(factory)
    def patched(*args: Any, **kwargs: Any) -> Any:
        if "device" in kwargs:
            kwargs["device"] = machine.to_cpu(kwargs["device"])
        kwargs.pop("pin_memory", None)
        return factory(*args, **kwargs)

    return patched


def patch_device_slots(machine: Machine) -> None:
    """The places that take a device but are no torch functions."""
    parse_to, load = torch._C._nn._parse_to, torch.load

    def patched_parse_to(*args: Any, **kwargs: Any) -> Any:
        """Module.to: only what CUDA adds to the parser, the tensors make the move."""
        if args and isinstance(args[0], int):
            args = (torch.device("cuda", args[0]), *args[1:])
        return parse_to(*args, **kwargs)

    def patched_load(f: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> Any:
        if not callable(map_location) and not isinstance(map_location, dict):
            map_location = machine.to_cpu(map_location)
        return load(f, map_location, *args, **kwargs)

    class Generator(torch.Generator):
        def __new__(cls, device: Any = "cpu") -> Any:
            return super().__new__(cls, machine.to_cpu(device))  # type: ignore[call-arg]

    context_init = torch.utils._device.DeviceContext.__init__

    def patched_context_init(self: Any, device: Any) -> None:
        context_init(self, machine.to_cpu(device))

    def patched_storage_cuda(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
        machine.place(device)
        return self

    replacements: list[tuple[Any, str, Any]] = [
        (torch._C._nn, "_parse_to", patched_parse_to),
        (torch, "load", patched_load),
        (torch, "Generator", Generator),
        (torch.utils._device.DeviceContext, "__init__", patched_context_init),
        (torch.UntypedStorage, "cuda", patched_storage_cuda),
        (torch.TypedStorage, "cuda", patched_storage_cuda),
    ]
    for owner, name, value in replacements:
        setattr(owner, name, value)


def patch_process_groups() -> None:
    """Processes that are to talk over NCCL talk over gloo."""
    distributed: Any = torch.distributed
    make = distributed.init_process_group

    @functools.wraps(make)
    def patched(backend: Any = None, *args: Any, **kwargs: Any) -> Any:
        return make("gloo" if backend == "nccl" else backend, *args, **kwargs)

    distributed.init_process_group = patched
