"""A simulated computer for the tests of a module."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest

from devlint.verify import Simulation, simulated_cuda
from devlint.verify.observer import Observer
from devlint.verify.program import Limits
from tests.support.queued_calls import forget_queued_calls


class RealCuda:
    """In place of the simulation where the battery runs on a GPU: benchmarks/gpu_run.py."""

    def __getattr__(self, name: str) -> object:
        pytest.skip("asks the simulation for its counts")


@pytest.fixture(scope="module")
def simulation() -> Iterator[Simulation | RealCuda]:
    if os.environ.get("DEVLINT_REAL_CUDA"):
        yield RealCuda()
        return
    with simulated_cuda(devices=2) as simulation:
        forget_queued_calls()
        yield simulation


@pytest.fixture
def no_garbage() -> Iterator[None]:
    """Memory can be counted: what other tests have left in cycles is gone, and nothing is collected meanwhile."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(scope="session")
def observer() -> Iterator[Observer]:
    """Runs programs; its limits are small."""
    with Observer(Limits(seconds=300, memory=1 << 30)) as observer:
        yield observer
