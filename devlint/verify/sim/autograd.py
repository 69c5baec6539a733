"""Autograd without a thread for each device, and CUDA in forked processes."""

from __future__ import annotations

import functools
import os
from typing import Any

import torch

from devlint.verify.sim.machine import machine
from devlint.verify.sim.patches import Patches


def install_autograd(patches: Patches) -> None:
    """Run ``backward`` in the calling thread, and notice forks."""
    _install_backward(patches)
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
