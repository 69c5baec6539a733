"""Patches ``torch.cuda`` and ``torch.backends`` to answer as with CUDA devices."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.sim.c_entry_points import memory_info
from devlint.verify.sim.machine import CAPABILITY, NAME, machine
from devlint.verify.sim.patches import Patches
from devlint.verify.sim.tensor_methods import pin, unpin


class _Uuid:
    """The number of a card, which its properties have."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.bytes = bytes.fromhex(text.replace("-", ""))

    def __str__(self) -> str:
        return self._text


class DeviceProperties:
    """``torch.cuda.get_device_properties``: a plausible card."""

    def __init__(self, card: int) -> None:
        self.name = NAME
        self.major, self.minor = CAPABILITY
        self.total_memory = machine.total_memory
        self.multi_processor_count = 108
        self.is_integrated = self.is_multi_gpu_board = 0
        self.max_threads_per_multi_processor = 2048
        self.regs_per_multiprocessor = 65536
        self.warp_size = 32
        self.L2_cache_size = 40 << 20
        self.shared_memory_per_block = 48 << 10
        self.shared_memory_per_multiprocessor = 164 << 10
        self.shared_memory_per_block_optin = 163 << 10
        self.gcnArchName = NAME
        self.uuid = _Uuid(f"00000000-0000-0000-0000-{card:012d}")
        self.pci_bus_id = card
        self.pci_device_id = self.pci_domain_id = 0

    def __repr__(self) -> str:
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory >> 20}MB, multi_processor_count={self.multi_processor_count})"
        )


class _Error(int):
    """``cudaError``: a code that a function of CUDA's runtime gives."""

    success = 0


_MOST_PLANS = 4096
"""How many plans of Fourier transforms are kept, if the program does not say."""
_ERRORS = {0: "no error", 1: "invalid argument", 2: "out of memory"}


def _runtime() -> types.SimpleNamespace:
    """What ``torch.cuda.cudart()`` gives."""

    def success(*arguments: Any) -> int:
        return 0

    names = "cudaProfilerStart cudaProfilerStop cudaStreamCreate cudaStreamDestroy"
    return types.SimpleNamespace(
        cudaMemGetInfo=memory_info,
        cudaGetErrorString=lambda error: _ERRORS.get(error, "unknown error"),
        cudaError=_Error,
        cudaHostRegister=pin,
        cudaHostUnregister=unpin,
        **dict.fromkeys(names.split(), success),
    )


def install_cuda_module(patches: Patches) -> None:
    """Make ``torch.cuda`` that of a CUDA build with the simulated devices."""
    _install_state(patches)
    cuda: Any = torch.cuda
    C: Any = torch._C
    runtime = _runtime()
    properties = functools.cache(DeviceProperties)  # the same object each time

    def cudart() -> Any:
        torch.cuda._lazy_init()
        return runtime

    zero = {name: lambda device=None: 0 for name in ("utilization", "memory_usage", "power_draw", "clock_rate")}
    patches.update(cuda, zero)
    patches.update(
        cuda,
        {
            "_exchange_device": C._cuda_exchangeDevice,
            "_maybe_exchange_device": C._cuda_maybeExchangeDevice,
            "_is_in_bad_fork": C._cuda_isInBadFork,
            "device_count": lambda: machine.devices,
            "is_available": lambda: machine.devices > 0,
            "_cudart": runtime,
            "cudart": cudart,
            "_get_device_properties": lambda index: properties(machine.card(machine.checked(index))),
            "_CudaDeviceProperties": DeviceProperties,
            "temperature": lambda device=None: 40,
            "is_current_stream_capturing": lambda: False,
        },
    )
    patches.set(C, "_CudaDeviceProperties", DeviceProperties)
    _install_backends(patches)


def _install_state(patches: Patches) -> None:
    """Reset the state of CUDA's initialisation, and restore it at the end."""
    cuda: Any = torch.cuda
    patches.set(cuda, "_initialized", False)
    patches.set(cuda, "_queued_calls", list(cuda._queued_calls))
    patches.set(cuda, "_cached_device_count", None)


def _install_backends(patches: Patches) -> None:
    import torch.backends.cuda
    import torch.backends.cudnn
    import torch.cuda.graphs

    if torch.version.cuda is None:
        patches.set(torch.version, "cuda", "12.8")
    patches.set(torch._C, "_has_cuda", True)
    patches.set(torch.backends.cuda, "is_built", lambda: True)
    cudnn = {
        "is_available": lambda: True,
        "version": lambda: 91002,
        "is_acceptable": lambda tensor: False,  # recurrent weights are not flattened: nothing reads them flat
    }
    patches.update(torch.backends.cudnn, cudnn)
    _install_libraries(patches)
    _install_triton(patches)
    _install_ranges(patches)
    patches.set(torch.autograd.profiler.profile, "__init__", _without_device_events(torch.autograd.profiler.profile))
    nothing = {"__enter__": lambda self: self, "__exit__": lambda self, *error: None}
    patches.update(torch.autograd.profiler.emit_nvtx, nothing)
    patches.set(torch.cuda.graphs, "is_current_stream_capturing", lambda: False)
    # There is no fuser of CUDA kernels to hand TorchScript's subgraphs to.
    fuses = torch._C._jit_can_fuse_on_gpu()
    torch._C._jit_override_can_fuse_on_gpu(False)
    patches.on_undo(lambda: torch._C._jit_override_can_fuse_on_gpu(fuses))


def _install_triton(patches: Patches) -> None:
    """Triton compiles for CUDA's driver, which there is none of, even where its package is installed."""
    import torch.utils._triton

    patches.set(torch.utils._triton, "has_triton", functools.cache(lambda: False))


def _install_libraries(patches: Patches) -> None:
    """The choice of libraries for linear algebra, and the caches of plans for Fourier transforms, which are empty."""
    C: Any = torch._C
    for name in ("linalg", "blas"):
        chosen = [getattr(C, f"_get_{name}_preferred_backend")()]
        patches.set(C, f"_get_{name}_preferred_backend", lambda chosen=chosen: chosen[0])
        patches.set(C, f"_set_{name}_preferred_backend", _chooser(chosen))
    limits: dict[int, int] = {}

    def size(cache: Any) -> int:
        return limits.get(cache.device_index, _MOST_PLANS)

    def resize(cache: Any, most: int) -> None:
        limits[cache.device_index] = most

    plans = {"size": property(lambda cache: 0), "max_size": property(size, resize), "clear": lambda cache: None}
    patches.update(torch.backends.cuda.cuFFTPlanCache, plans)


def _chooser(chosen: list[Any]) -> Callable[[Any], None]:
    """What sets a choice of libraries; the default one of matrix products is cuBLAS."""

    def choose(backend: Any) -> None:
        libraries: Any = torch._C._BlasBackend
        chosen[0] = libraries.Cublas if backend == libraries.Default else backend

    return choose


def _without_device_events(profile: Any) -> Callable[..., None]:
    """A profiler that records the CPU's operators, where it would time them with CUDA events of C++."""
    plain = profile.__init__
    states: Any = torch._C._profiler.ProfilerState

    @functools.wraps(plain)
    def start(self: Any, *args: Any, **kwargs: Any) -> None:
        plain(self, *args, **kwargs)
        if self.profiler_kind == states.KINETO_GPU_FALLBACK:
            self.profiler_kind = states.KINETO

    return start


def _install_ranges(patches: Patches) -> None:
    """``torch.cuda.nvtx``, where no tool watches, which its functions return -2 for."""
    untold = {"range_push": lambda msg: -2, "range_pop": lambda: -2, "mark": lambda msg: None}
    patches.update(torch.cuda.nvtx, untold)
    patches.update(torch.cuda.nvtx, {"range_start": lambda msg: 0, "range_end": lambda range_id: None})
