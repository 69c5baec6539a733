"""Runs programs: on a simulated GPU, and before and after a rewrite to compare what they do; torch is imported late."""

from __future__ import annotations

from devlint.verify.errors import SimulationError
from devlint.verify.simulation import Simulation, child_environment, install, simulated_cuda

__all__ = ["Simulation", "SimulationError", "child_environment", "install", "simulated_cuda"]
