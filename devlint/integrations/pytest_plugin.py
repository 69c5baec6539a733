"""A pytest plugin: ``pytest --simulate-cuda`` runs a test suite as on a computer with a GPU."""

from __future__ import annotations

import argparse
import os
from typing import Any

import pytest


def pytest_addoption(parser: Any) -> None:
    """The options; without the first, this plugin does nothing."""
    group = parser.getgroup("devlint")
    group.addoption(
        "--simulate-cuda",
        action=_Devices,
        help="run the tests as on a computer with a CUDA device, simulated by devlint on the CPU; with several: "
        "--simulate-cuda=2, up to 64",
    )
    group.addoption(
        *(f"--simulate-cuda={number}" for number in range(65)),
        dest="simulate_cuda",
        action=_Devices,
        help=argparse.SUPPRESS,
    )
    group.addoption(
        "--simulate-rng",
        choices=("shared", "separate"),
        default="separate",
        help="one stream of random numbers for each device, as on a GPU (default), or one for all with the CPU",
    )
    group.addoption(
        "--simulate-origins",
        action="store_true",
        help="if tensors of two devices meet, say at the error where that on the CPU was made (slower)",
    )


class _Devices(argparse.Action):
    """Reads the number from ``--simulate-cuda=2``; argparse would take it from the next argument, too: a path."""

    def __init__(self, option_strings: list[str], dest: str, **kwargs: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **kwargs)

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        setattr(namespace, self.dest, int((option_string or "").partition("=")[2] or 1))


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
    os.environ.update(child_environment(options.simulate_cuda, options.simulate_rng, options.simulate_origins))
    if options.simulate_origins:
        from devlint.verify.watch.installation import watch

        watch()


def pytest_report_header(config: Any) -> list[str]:
    """What the report says about it."""
    devices = config.getoption("simulate_cuda")
    return [] if devices is None else [f"devlint: {devices} simulated CUDA device(s), {config.option.simulate_rng} rng"]
