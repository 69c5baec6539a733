"""The errors that the simulator and the harness raise."""

from __future__ import annotations

from devlint.core.errors import DevlintError


class SimulationError(DevlintError, RuntimeError):
    """The simulator cannot do this, on this computer or at all."""


class VerifyError(DevlintError):
    """The harness cannot run the programs it was given."""
