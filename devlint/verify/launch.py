"""Runs a program with simulated CUDA devices, in a Python whose environment enables them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from devlint.verify.simulation import child_environment, require_torch


def launch(arguments: Sequence[str], devices: int, rng: str, origins: bool = False) -> None:
    """Replace this process by Python with these arguments, so that exit code and signals are the program's own.

    With ``origins`` the errors of mixed devices tell where the tensors on the CPU were made.
    """
    require_torch()
    environment = {**os.environ, **child_environment(devices, rng, origins)}
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.execve(sys.executable, [sys.executable, *arguments], environment)
