"""A simulated computer for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from devlint.verify import Simulation, simulated_cuda


@pytest.fixture(scope="module")
def simulation() -> Iterator[Simulation]:
    with simulated_cuda(devices=2) as simulation:
        yield simulation
