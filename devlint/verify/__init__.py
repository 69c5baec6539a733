"""The run-time half of devlint: a simulated accelerator, and what is proven with it; needs torch, inside functions."""

from __future__ import annotations

from devlint.verify.errors import SimulationError
from devlint.verify.simulation import Simulation, child_environment, install, simulated_cuda

__all__ = ["Simulation", "SimulationError", "child_environment", "install", "simulated_cuda"]
