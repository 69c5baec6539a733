"""Replaces functions of two C++ objects, the CUDA device guard and the CUDA hooks, to report the simulated devices.

Both are reached through exported symbols. Virtual functions are found by reading the class declarations in the headers
that the wheel ships, and the effect is verified: where it is not what it should be, nothing is simulated.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.sim.machine import machine
from devlint.verify.sim.patches import Patches
from devlint.verify.sim.tensor_methods import is_pinned_at

_C: Any = torch._C
_FOLDER = os.path.dirname(os.path.abspath(torch.__file__))
_CUDA = 1
"""c10::DeviceType::CUDA."""
_HEADER_WORDS = 2
"""What lies before the functions of a virtual table: the offset to the top and the type's description."""
_unguarded: list[Any] = []


def install_cpp_hooks(patches: Patches) -> None:
    """Give autograd a device guard for CUDA, and PyTorch an accelerator."""
    _install_guard(patches)
    _install_hooks(patches)


def _install_guard(patches: Patches) -> None:
    registry = (ctypes.c_void_p * 32).in_dll(_library("c10"), "_ZN3c104impl26device_guard_impl_registryE")
    before = registry[_CUDA]
    if not _unguarded:
        _unguarded.append(_no_op_guard(registry))
    order = _virtual_functions("c10/core/impl/DeviceGuardImplInterface.h", "DeviceGuardImplInterface")
    guard = (ctypes.c_void_p * 1)(_unguarded[0])
    functions = _own_table(ctypes.addressof(guard), _unguarded[0], len(order))

    def here(guard: int) -> int:  # a c10::Device is two bytes: its type and its number
        return _CUDA | (machine.current() << 8)

    functions[order.index("getDevice")] = _callback(here, ctypes.c_uint16)
    _keep(guard)
    registry[_CUDA] = ctypes.addressof(guard)
    patches.on_undo(lambda: registry.__setitem__(_CUDA, before))


def _no_op_guard(registry: Any) -> int:
    """The virtual table of PyTorch's own guard that does nothing, which it gives to CUDA where CUDA has no device."""
    if not hasattr(_C, "_ensureCUDADeviceGuardSet"):
        raise RuntimeError("it is too old to replace a device guard that has no device")
    # It replaces a guard that counts no devices. A CPU build has no guard, so it gets one whose every answer is 0.
    zero = _callback(lambda guard: 0, ctypes.c_int64)
    table = (ctypes.c_void_p * 128)(*([zero] * 128))
    empty = (ctypes.c_void_p * 1)(ctypes.addressof(table))
    _keep(table)
    _keep(empty)
    before, registry[_CUDA] = registry[_CUDA], ctypes.addressof(empty)
    _C._ensureCUDADeviceGuardSet()
    found, registry[_CUDA] = registry[_CUDA], before
    if found == ctypes.addressof(empty):
        raise ValueError("it does not replace a device guard without devices")
    return _word(found)


def _install_hooks(patches: Patches) -> None:
    library = _library("torch_cpu")
    find = library._ZN2at6detail12getCUDAHooksEv
    find.restype = ctypes.c_void_p
    hooks = find()
    before = _word(hooks)
    # In a CUDA build these are CUDA's own, which would ask the driver and choose cuDNN: those of a CPU build answer.
    plain = ctypes.addressof(ctypes.c_char.in_dll(library, "_ZTVN2at18CUDAHooksInterfaceE")) + 8 * _HEADER_WORDS
    order = _virtual_functions("ATen/detail/AcceleratorHooksInterface.h", "AcceleratorHooksInterface")
    functions = _own_table(hooks, plain, 160)
    patches.on_undo(lambda: setattr(ctypes.c_void_p.from_address(hooks), "value", before))
    false = functions[order.index("isBuilt")]  # what the interface says, where nobody overrides it
    true = ctypes.cast(ctypes.pythonapi.Py_IsInitialized, ctypes.c_void_p).value  # 1, without the interpreter's lock
    functions[order.index("isBuilt")] = true
    functions[order.index("isAvailable")] = true
    functions[order.index("hasPrimaryContext")] = false
    functions[order.index("init")] = false
    # What is copied to the CPU without blocking goes to pinned memory; here that is ordinary memory.
    allocator = ctypes.cast(_library("c10")._ZN3c1015GetCPUAllocatorEv, ctypes.c_void_p).value
    functions[order.index("getPinnedMemoryAllocator")] = allocator
    functions[order.index("isPinnedPtr")] = _callback(_is_pinned, ctypes.c_bool, ctypes.c_void_p)
    functions[order.index("deviceCount")] = _callback(lambda hooks: machine.devices, ctypes.c_int8)
    functions[order.index("getCurrentDevice")] = _callback(lambda hooks: machine.current(), ctypes.c_int8)
    accelerator = _C._accelerator_getAccelerator()
    if accelerator is None or accelerator.type != "cuda":
        patches.undo()
        raise ValueError("its CUDA hooks are not where its headers say")


def _is_pinned(hooks: int, address: int | None) -> bool:
    """Whether memory is pinned; C++ asks during ``backward``, about what it has just let the allocator pin."""
    return is_pinned_at(address or 0) or _C._current_graph_task_id() >= 0


def _library(stem: str) -> ctypes.CDLL:
    for name in (f"lib{stem}.so", f"lib{stem}.dylib"):
        path = os.path.join(_FOLDER, "lib", name)
        if os.path.exists(path):
            return ctypes.CDLL(path)
    raise ValueError(f"lib{stem} is not there (builds for Linux only)")


def _keep(value: Any) -> None:
    """C++ holds pointers to this beyond the interpreter's end."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))


def _word(address: int) -> int:
    return ctypes.c_void_p.from_address(address).value or 0


def _own_table(address: int, table: int, size: int) -> Any:
    """Give the C++ object at an address its own copy of a virtual table; the copy."""
    whole = size + _HEADER_WORDS
    source = (ctypes.c_void_p * whole).from_address(table - 8 * _HEADER_WORDS)
    copy = (ctypes.c_void_p * whole)(*source)
    _keep(copy)
    ctypes.c_void_p.from_address(address).value = ctypes.addressof(copy) + 8 * _HEADER_WORDS
    return (ctypes.c_void_p * size).from_buffer(copy, 8 * _HEADER_WORDS)


def _callback(function: Callable[..., int], result: Any, *more: Any) -> int:
    """A C function of a pointer, and of more."""
    callback = ctypes.CFUNCTYPE(result, ctypes.c_void_p, *more)(function)
    _keep(callback)
    return ctypes.cast(callback, ctypes.c_void_p).value or 0


def _virtual_functions(header: str, name: str) -> list[str]:
    """The virtual functions of a class in the order of its table; a destructor takes two places."""
    with open(os.path.join(_FOLDER, "include", header), encoding="utf-8") as file:
        source = file.read()
    start = re.search(rf"(?:class|struct)\s+(?:\w+\s+)?{name}\b[^;{{]*{{", source)
    if start is None:
        raise ValueError(f"{header} does not declare {name}")
    depth, end = 1, start.end()
    while depth:
        depth += {"{": 1, "}": -1}.get(source[end], 0)
        end += 1
    body = re.sub(r"//[^\n]*|/\*.*?\*/", "", source[start.end() : end - 1], flags=re.DOTALL)
    functions: list[str] = []
    for function in re.findall(r"virtual\s+[^;{}()]*?(~?\w+)\s*\(", body):
        functions += [function, function + " deleting"] if function.startswith("~") else [function]
    return functions
