"""What the rest of PyTorch must know: autograd without device threads, compilation without Triton, no CUDA graphs."""

from __future__ import annotations

import functools
import os
from typing import Any

import torch

from devlint.verify.errors import SimulationError
from devlint.verify.sim.machine import machine
from devlint.verify.sim.patches import Patches


def install_engine(patches: Patches) -> None:
    """Patch them."""
    _install_backward(patches)
    _install_compile(patches)
    _install_graphs(patches)
    _install_fork()


def _install_backward(patches: Patches) -> None:
    import torch.autograd.graph

    plain: Any = torch.autograd.graph._engine_run_backward

    @functools.wraps(plain)
    def run_backward(*args: Any, **kwargs: Any) -> Any:
        with torch.autograd.set_multithreading_enabled(False):  # no thread waits for work of a simulated device
            return plain(*args, **kwargs)

    patches.set(torch.autograd.graph, "_engine_run_backward", run_backward)
    patches.set(torch.autograd, "_engine_run_backward", run_backward)


def _install_compile(patches: Patches) -> None:
    plain: Any = torch.compile
    forced: list[bool] = []

    @functools.wraps(plain)
    def compile(model: Any = None, **options: Any) -> Any:
        if options.get("backend", "inductor") == "inductor":  # it would write Triton
            options["backend"] = "eager"
            options.pop("mode", None)
            options.pop("options", None)
            if not forced and hasattr(torch.compiler, "set_stance"):
                forced.append(True)
                torch.compiler.set_stance("force_eager")
        return plain(model, **options)

    patches.set(torch, "compile", compile)
    patches.on_undo(lambda: torch.compiler.set_stance("default") if forced else None)


def _install_graphs(patches: Patches) -> None:
    import torch.cuda.graphs

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise SimulationError("CUDA graphs cannot be simulated: nothing is recorded on a device that runs at once")

    for name in ("CUDAGraph", "graph", "make_graphed_callables", "graph_pool_handle"):
        patches.set(torch.cuda, name, refuse)
        patches.set(torch.cuda.graphs, name, refuse)


_hooked = False


def _install_fork() -> None:
    """A forked child of a process that has used CUDA cannot use it."""
    global _hooked
    if _hooked:
        return
    _hooked = True

    def after_fork() -> None:
        machine.forked = machine.active and torch.cuda.is_initialized()

    os.register_at_fork(after_in_child=after_fork)
