"""Every program of the battery runs with two simulated devices and leaves the process as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from devlint.verify import Simulation


@pytest.fixture(autouse=True)
def _machine(simulation: Simulation) -> Iterator[None]:
    torch.manual_seed(0)
    dtype = torch.get_default_dtype()
    yield
    torch.cuda.set_device(0)
    torch.set_default_dtype(dtype)
