"""Puts the simulation together, in the order in which its parts need each other."""

from __future__ import annotations

import gc
import warnings

import torch

from devlint.verify.errors import SimulationError
from devlint.verify.sim.counters import Counters
from devlint.verify.sim.cuda_module import install_cuda_module
from devlint.verify.sim.engine import install_engine
from devlint.verify.sim.entries import install_entries
from devlint.verify.sim.factories import install_factories
from devlint.verify.sim.legacy import install_legacy
from devlint.verify.sim.machine import HIDDEN, machine
from devlint.verify.sim.native import install_native
from devlint.verify.sim.nccl import install_nccl
from devlint.verify.sim.patches import Patches
from devlint.verify.sim.random import install_random
from devlint.verify.sim.registration import install_kernels
from devlint.verify.sim.selftest import check
from devlint.verify.sim.streams import install_streams
from devlint.verify.sim.tensors import install_tensors

_PARTS = (
    install_native,
    install_entries,
    install_streams,
    install_random,
    install_cuda_module,
    install_legacy,
    install_tensors,
    install_factories,
    install_engine,
    install_kernels,
    install_nccl,
)


def refuse_real_devices() -> None:
    """Kernels that read a GPU's memory as the host's would end the process: where there is one, it must be hidden."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a CUDA build says that there is no driver
        visible = torch.cuda.is_initialized() or torch.cuda.is_available()
    if visible:
        raise SimulationError(
            f"torch sees a real GPU, beside which none can be simulated; hide it: CUDA_VISIBLE_DEVICES={HIDDEN}"
        )


def assemble(devices: int, rng: str, trace: bool) -> tuple[Patches, Counters]:
    """Install all of it, and try it; what fails leaves nothing behind."""
    refuse_real_devices()
    counters, patches = Counters(trace), Patches()
    machine.start(max(devices, 1), rng, counters, trying=True)
    patches.on_undo(machine.stop)
    collecting = gc.isenabled()
    gc.disable()  # a third of the time would go into looking through what has just been made
    try:
        for install in _PARTS:
            install(patches)
        check()
    except BaseException:
        patches.undo()
        raise
    finally:
        if collecting:
            gc.enable()
    machine.start(devices, rng, counters)
    counters.clear()
    return patches, counters
