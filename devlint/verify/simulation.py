"""Installs and uninstalls simulated CUDA devices in this process."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from devlint.verify.errors import SimulationError

if TYPE_CHECKING:
    from devlint.verify.sim.counters import Counters
    from devlint.verify.sim.patches import Patches

STREAMS = ("shared", "separate")
"""One stream of random numbers for all devices, or one for each as on real hardware."""

OBSERVE = "DEVLINT_OBSERVE"
"""Tells the Pythons of an observed command, in JSON, where to write what they see: ``devlint.verify.watch``."""


class Simulation:
    """The simulation that is installed in this process."""

    current: Simulation | None = None

    def __init__(self, devices: int, rng: str, patches: Patches, counters: Counters) -> None:
        self.devices = devices
        self.rng = rng
        self.counters = counters
        self._patches = patches

    def as_wanted(self, devices: int, rng: str) -> Simulation:
        """Return this simulation; raises SimulationError if other settings are wanted."""
        if (devices, rng) != (self.devices, self.rng):
            raise SimulationError(f"{self.devices} device(s) with {self.rng} random numbers are simulated already")
        return self

    def uninstall(self) -> None:
        """Put torch back as it was; tensors left on a simulated device become unusable."""
        if Simulation.current is self:
            self._patches.undo()
            Simulation.current = None


def install(devices: int = 1, rng: str = "shared", trace: bool = False) -> Simulation:
    """Simulate this many CUDA devices in this process.

    With no device it is a computer with a CUDA build of torch and no GPU that torch can see. ``trace`` notes the lines
    of the program that move tensors or wait for the device.
    """
    if not 0 <= devices <= 64:
        raise SimulationError(f"between 0 and 64 devices can be simulated, not {devices}")
    if rng not in STREAMS:
        raise SimulationError(f"random numbers come from {' or '.join(STREAMS)} streams, not {rng!r}")
    require_torch()
    torch = importlib.import_module("torch")  # which may simulate: see sitecustomize.py
    if Simulation.current is not None:
        return Simulation.current.as_wanted(devices, rng)
    try:
        from devlint.verify.sim.installation import install_all

        patches, counters = install_all(devices, rng, trace)
    except SimulationError:
        raise
    except Exception as error:  # a torch with other private parts than those that are patched
        problem = f"{type(error).__name__}: {error}".splitlines()[0]
        raise SimulationError(f"CUDA cannot be simulated on torch {torch.__version__}: {problem}") from error
    Simulation.current = Simulation(devices, rng, patches, counters)
    return Simulation.current


@contextmanager
def simulated_cuda(devices: int = 1, rng: str = "shared") -> Iterator[Simulation]:
    """Simulate for the length of a ``with`` block."""
    outer = Simulation.current
    inner = install(devices, rng)
    try:
        yield inner
    finally:
        if inner is not outer:
            inner.uninstall()


def require_torch() -> None:
    """Raise SimulationError if torch is missing."""
    if importlib.util.find_spec("torch") is None:
        raise SimulationError("simulating needs PyTorch: pip install 'devlint[verify]'")


def child_environment(devices: int, rng: str, origins: bool = False) -> dict[str, str]:
    """The environment variables with which a Python simulates as soon as it imports torch.

    With ``origins`` the errors of mixed devices tell where the tensors on the CPU were made.
    """
    wish: dict[str, Any] = {"folder": None, "paths": [], "mends": False, "functions": False}
    told = {OBSERVE: json.dumps(wish)} if origins else {}
    return {"DEVLINT_SIMULATE": f"{devices},{rng}", **told, **site_environment()}


def site_environment() -> dict[str, str]:
    """The environment variable with which a Python looks, at its start, at what else devlint asks of it."""
    site = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sim", "site")
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != site]
    return {"PYTHONPATH": os.pathsep.join([site, *paths])}
