"""What PyTorch's documentation says of CUDA holds on the simulated device, or is a row of what it cannot show."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from devlint.verify import SimulationError, simulated_cuda
from tests.support.paths import ROOT
from tests.support.torch_build import is_cuda_build
from tests.verify.behaviours.behaviour import Behaviour, Differs, behaviours, run
from tests.verify.behaviours.machine import fresh, machine

REAL = bool(os.environ.get("DEVLINT_REAL_CUDA"))
"""Whether they are run on a GPU: benchmarks/gpu_run.py."""
SECTION = (ROOT / "docs/simulator.md").read_text("utf-8").partition("## What the simulation cannot show")[2]


@pytest.fixture(scope="module")
def names() -> Iterator[dict[str, Any]]:
    gc.collect()  # what other tests have left would be freed while memory is counted
    if REAL:
        with machine(simulated=False) as names:
            yield names
        return
    with simulated_cuda(devices=2, rng="separate"), machine(simulated=True) as names:
        yield names


@pytest.mark.parametrize("behaviour", behaviours(), ids=str)
def test_behaviour(names: dict[str, Any], behaviour: Behaviour) -> None:
    if lacking := behaviour.lacking():
        pytest.skip(lacking)
    with fresh(behaviour.code):
        if is_cuda_build() and not REAL and "DistributedDataParallel" in behaviour.page:
            with suppress(SimulationError):  # it is refused, but where it refuses itself
                run(behaviour.code, dict(names))
            return
        if not behaviour.not_shown or REAL:
            run(behaviour.code, dict(names))
            return
        with pytest.raises((Differs, SimulationError)):
            run(behaviour.code, dict(names))


def test_there_are_300_of_them_each_once() -> None:
    found = behaviours()
    assert len(found) >= 300
    assert len({one.code for one in found}) == len(found)
    assert all(one.page and one.sentence.endswith(".") for one in found)


def test_what_is_not_shown_is_a_row_of_the_table() -> None:
    for one in behaviours():
        assert not one.not_shown or f"\n| {one.not_shown}" in SECTION, one
