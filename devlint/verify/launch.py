"""Runs somebody's program on the simulated accelerator: Python itself runs it, with an environment that simulates."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from devlint.verify.simulation import child_environment, require_torch


def launch(arguments: Sequence[str], devices: int, rng: str) -> None:
    """Become a Python with these arguments; its exit code, tracebacks and signals are the program's own."""
    require_torch()
    environment = {**os.environ, **child_environment(devices, rng)}
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.execve(sys.executable, [sys.executable, *arguments], environment)
