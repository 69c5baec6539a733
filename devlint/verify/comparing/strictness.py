"""How strictly two runs are compared, and one difference between them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Strictness:
    """How strictly two runs are compared."""

    across_devices: bool = False
    """Between devices, where names of devices, numbers of GPUs and the like may differ."""
    tolerance_factor: float = 0.0
    """How many times the tolerance of a type is allowed; 0 is bit for bit."""
    placement: bool = False
    """Whether everything must be on the device it was on."""
    random: bool = True
    """Whether the generators of random numbers must end in the same state."""
    not_compared: frozenset[str] = frozenset()
    """Places that are not compared: variables, lines of the output, files."""


@dataclass(frozen=True)
class Difference:
    """One difference between two runs."""

    kind: str
    """value, device, output, steps, random, files or ending."""
    place: str
    text: str
