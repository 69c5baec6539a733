"""Installs all parts of the simulation, in the order in which they need each other."""

from __future__ import annotations

import gc
import sys
import warnings

import torch

from devlint.verify.errors import SimulationError
from devlint.verify.sim.autograd import install_autograd
from devlint.verify.sim.c_entry_points import install_c_entry_points
from devlint.verify.sim.compilation import install_compilation
from devlint.verify.sim.counters import Counters
from devlint.verify.sim.cpp_hooks import install_cpp_hooks
from devlint.verify.sim.cuda_graphs import install_cuda_graphs
from devlint.verify.sim.cuda_module import install_cuda_module
from devlint.verify.sim.factories import install_factories
from devlint.verify.sim.generators import install_generators
from devlint.verify.sim.machine import HIDDEN, machine
from devlint.verify.sim.nccl import install_nccl
from devlint.verify.sim.operators.registration import install_kernels
from devlint.verify.sim.patches import Patches
from devlint.verify.sim.process_sharing import install_process_sharing
from devlint.verify.sim.self_test import run_self_test
from devlint.verify.sim.streams import install_streams
from devlint.verify.sim.tensor_methods import install_tensor_methods
from devlint.verify.sim.tensor_types import install_tensor_types

_INSTALLERS = (
    install_cpp_hooks,
    install_c_entry_points,
    install_streams,
    install_generators,
    install_cuda_module,
    install_tensor_types,
    install_tensor_methods,
    install_process_sharing,
    install_factories,
    install_autograd,
    install_compilation,
    install_cuda_graphs,
    install_kernels,
    install_nccl,
)

_REMEMBER_DEVICES = "accelerator cuda nn.attention._fa3 nn.attention._fa4 utils._triton _inductor.utils"
"""The modules below torch that keep what they have once asked a device, its types and its size for instance."""


def forget_answers() -> None:
    """Empty what torch remembers of its devices, which are others now."""
    for name in _REMEMBER_DEVICES.split():
        module = sys.modules.get(f"torch.{name}")
        for member in list(vars(module).values()) if module else []:
            forget = getattr(member, "cache_clear", None) if callable(member) else None
            if forget is not None:
                forget()


def refuse_real_devices() -> None:
    """Refuse to simulate beside a visible GPU: CPU kernels would read its memory and crash."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a CUDA build says that there is no driver
        visible = torch.cuda.is_initialized() or torch.cuda.is_available()
    if visible:
        raise SimulationError(
            f"torch sees a real GPU, beside which none can be simulated; hide it: CUDA_VISIBLE_DEVICES={HIDDEN}"
        )


def install_all(devices: int, rng: str, trace: bool) -> tuple[Patches, Counters]:
    """Patch torch, and test the result; on failure everything is put back."""
    refuse_real_devices()
    counters, patches = Counters(trace), Patches()
    machine.start(max(devices, 1), rng, counters, trying=True)
    patches.on_undo(machine.stop)
    patches.on_undo(forget_answers)
    forget_answers()
    collecting = gc.isenabled()
    gc.disable()  # a third of the time would go into looking through what has just been made
    try:
        for install in _INSTALLERS:
            install(patches)
        run_self_test()
    except BaseException:
        patches.undo()
        raise
    finally:
        if collecting:
            gc.enable()
    machine.start(devices, rng, counters)
    counters.clear()
    return patches, counters
