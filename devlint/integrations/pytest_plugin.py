"""A pytest plugin: ``pytest --simulate-cuda`` runs a test suite as on a computer with a GPU."""

from __future__ import annotations

import os
from typing import Any

import pytest


def pytest_addoption(parser: Any) -> None:
    """The options; without the first, this plugin does nothing."""
    group = parser.getgroup("devlint")
    group.addoption(
        "--simulate-cuda",
        nargs="?",
        type=int,
        const=1,
        default=None,
        metavar="N",
        help="run the tests as on a computer with N (default: 1) CUDA devices, simulated by devlint on the CPU",
    )
    group.addoption(
        "--simulate-rng",
        choices=("shared", "separate"),
        default="shared",
        help="one stream of random numbers for all simulated devices, or one for each",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    """Simulate before the first conftest.py is read, for it may ask whether there is a device."""
    options = early_config.known_args_namespace
    if options.simulate_cuda is None:
        return
    from devlint.verify.errors import SimulationError
    from devlint.verify.simulation import child_environment, install

    try:
        install(options.simulate_cuda, options.simulate_rng)
    except SimulationError as error:
        raise pytest.UsageError(str(error)) from error
    os.environ.update(child_environment(options.simulate_cuda, options.simulate_rng))


def pytest_report_header(config: Any) -> list[str]:
    """What the report says about it."""
    devices = config.getoption("simulate_cuda")
    return [] if devices is None else [f"devlint: {devices} simulated CUDA device(s), {config.option.simulate_rng} rng"]
