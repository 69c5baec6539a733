"""Registers a kernel for every operator that upstream has for both the CPU and CUDA."""

from __future__ import annotations

import ctypes
import re
import warnings
from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.errors import SimulationError
from devlint.verify.sim.dlpack_relabel import COMPRESSED_KEYS, SPARSE_KEYS
from devlint.verify.sim.operators.collectives import make_collective_kernel
from devlint.verify.sim.operators.composite_kernels import COMPOSITES, make_composite_kernel
from devlint.verify.sim.operators.dtypes import with_types_of_cuda
from devlint.verify.sim.operators.fused_operators import FUSED
from devlint.verify.sim.operators.handwritten_kernels import HANDWRITTEN
from devlint.verify.sim.operators.kernels import Kernel, make_kernel, make_view_kernel
from devlint.verify.sim.operators.nested import NESTED, make_nested_kernel
from devlint.verify.sim.operators.operator_table import Operator, overload, table
from devlint.verify.sim.operators.sparse import METADATA, make_sparse_kernel
from devlint.verify.sim.operators.sync_batch_norm import SYNC_BATCH_NORM
from devlint.verify.sim.operators.waiting import with_waiting
from devlint.verify.sim.patches import Patches
from devlint.verify.sim.refusals import with_refusals_of_cuda

_C: Any = torch._C
_COMPOSITE = ("CompositeExplicitAutograd", "CompositeImplicitAutograd")
_CPU_KERNEL_IN_PYTHON = re.compile(r"^CPU: registered at .*\.py:\d+ ", re.MULTILINE)
_LAYOUTS = (("SparseCUDA", "SparseCPU", SPARSE_KEYS), ("SparseCsrCUDA", "SparseCsrCPU", COMPRESSED_KEYS))


def install_kernels(patches: Patches) -> None:
    """Register all kernels; leaving takes them out of the dispatcher again."""
    operators = table()
    libraries = library, anything, collectives = [_library(name) for name in ("aten", "_", "c10d")]
    for one in reversed(libraries):
        patches.on_undo(one.reset)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a CUDA build says of each kernel that it is overridden
        _register(library, anything, operators)
        for name in _registered("CUDA", "c10d"):
            collectives.impl(name, "CUDA", make_collective_kernel(name), False)


def _library(namespace: str) -> Any:
    """What registers kernels; torch.library.Library keeps books, and takes each out again at exit."""
    library = _C._dispatch_library("IMPL", namespace, "", __file__, 0)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))  # so that nobody takes them out at exit
    return library


def _register(library: Any, anything: Any, operators: dict[str, Operator]) -> None:
    register = library.impl
    kernels = dense_kernels(operators)
    for name, kernel in kernels.items():
        register(name, "CUDA", kernel, False)
    for name in _registered("CUDA") - set(kernels):  # a CUDA build's own, which would ask the driver
        register(name, "CUDA", _instead(name, operators), False)
    for name in COMPOSITES:
        operator = overload(name)
        if operator is not None:
            register(name, "AutogradCUDA", make_composite_kernel(operator, name), False)
    anything.fallback("CUDA", _dense_fallback(operators, kernels), False)
    for name in _registered("QuantizedCUDA"):
        register(name, "QuantizedCUDA", _quantized_kernel(f"aten::{name}"), False)
    anything.fallback("QuantizedCUDA", _quantized_fallback, False)
    for name in _registered("NestedTensorCPU"):
        register(name, "NestedTensorCUDA", make_nested_kernel(name), False)
    anything.fallback("NestedTensorCUDA", _nested_fallback, False)
    for key, cpu_key, keys in _LAYOUTS:
        registered, native = _registered(cpu_key), _registered(key)
        for name, facts in operators.items():
            wanted = any(entry.startswith(key) for entry in facts.keys) or name.split(".")[0] in METADATA
            operator = overload(name) if (name in registered and wanted) or name in native else None
            if operator is not None:
                register(name, key, make_sparse_kernel(operator, keys), False)
        anything.fallback(key, _sparse_fallback(operators, key, keys), False)


def dense_kernels(operators: dict[str, Operator]) -> dict[str, Kernel]:
    """The kernel of each operator for tensors that are not sparse."""
    registered = _registered("CPU")
    kernels: dict[str, Kernel] = {}
    for name, facts in operators.items():
        special = HANDWRITTEN.get(name) or FUSED.get(name) or NESTED.get(name) or SYNC_BATCH_NORM.get(name)
        if special is not None:
            kernels[name] = special
            continue
        if "CUDA" not in facts.keys or not (name in registered or name.startswith("_foreach_")):
            continue
        operator = overload(name)
        if operator is None:
            continue
        if name.startswith("set_.") or _is_view(operator):
            kernels[name] = make_view_kernel(operator)
        else:
            kernels[name] = make_kernel(operator, name, facts)
    with_types_of_cuda(kernels)
    with_refusals_of_cuda(kernels)
    with_waiting(kernels)
    return kernels


def _instead(name: str, operators: dict[str, Operator]) -> Kernel:
    """A kernel in place of a CUDA build's own: the CPU's if there is one, else a refusal."""
    operator, facts = overload(name), operators.get(name)
    if operator is not None and facts is not None and (facts.keys & {"CPU", *_COMPOSITE} or not facts.keys):
        return make_view_kernel(operator) if _is_view(operator) else make_kernel(operator, name, facts)

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise SimulationError(f"aten::{name} has no counterpart on the CPU and cannot be simulated")

    return refuse


def _registered(key: str, library: str = "aten") -> set[str]:
    names = _C._dispatch_get_registrations_for_dispatch_key(key)
    return {name.removeprefix(f"{library}::") for name in names if name.startswith(f"{library}::")}


def _is_view(operator: Any) -> bool:
    infos = (result.alias_info for result in operator._schema.returns)
    return any(info is not None and not info.is_write for info in infos)


def _dense_fallback(operators: dict[str, Operator], kernels: dict[str, Kernel]) -> Callable[..., Any]:
    """The kernel of operators without one of their own: composites, and operators of other libraries."""

    def fallback(operator: Any, *args: Any, **kwargs: Any) -> Any:
        full = str(operator.name())
        namespace, _, name = full.partition("::")
        facts = operators.get(name) if namespace == "aten" else None
        if facts is not None and facts.keys and not facts.keys & {"CUDA", *_COMPOSITE}:
            raise _no_kernel(full, "CUDA")
        if full not in kernels:
            if facts is None and _is_written_for_the_cpu(full):
                raise _no_kernel(full, "CUDA")
            kernels[full] = make_kernel(operator, name if facts is not None else full.replace("::", "."), facts)
        return kernels[full](*args, **kwargs)

    return fallback


def _is_written_for_the_cpu(name: str) -> bool:
    """Whether Python gave an operator its kernel for the CPU: one in C++ may have another for CUDA in other builds."""
    return _CPU_KERNEL_IN_PYTHON.search(_C._dispatch_dump(name)) is not None


def _sparse_fallback(operators: dict[str, Operator], key: str, keys: Any) -> Callable[..., Any]:
    kernels: dict[str, Kernel] = {}

    def fallback(operator: Any, *args: Any, **kwargs: Any) -> Any:
        full = str(operator.name())
        facts = operators.get(full.partition("::")[2])
        if full not in kernels:
            simulated = facts is None or not facts.keys or any(e.startswith((key, "Composite")) for e in facts.keys)
            if not simulated and operator._schema.name.partition("::")[2] not in METADATA:
                raise _no_kernel(full, key)
            kernels[full] = make_sparse_kernel(operator, keys)
        return kernels[full](*args, **kwargs)

    return fallback


def _quantized_kernel(name: str) -> Kernel:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise SimulationError(f"{name}: quantized tensors cannot be simulated on a CUDA device")

    return refuse


def _quantized_fallback(operator: Any, *args: Any, **kwargs: Any) -> Any:
    return _quantized_kernel(operator.name())()


def _nested_fallback(operator: Any, *args: Any, **kwargs: Any) -> Any:
    raise _no_kernel(str(operator.name()), "NestedTensorCUDA")


def _no_kernel(name: str, backend: str) -> NotImplementedError:
    return NotImplementedError(
        f"Could not run '{name}' with arguments from the '{backend}' backend. This could be because the operator "
        "doesn't exist for this backend, or was omitted during the selective/custom build process."
    )
