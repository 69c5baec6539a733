"""A few of PyTorch's own samples of operators; `make verify-operators` compares all of them."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.support.paths import ROOT


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: PyTorch's test utilities change torch's switches when they are imported."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.verify.opinfo", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_some_of_pytorchs_samples_are_bit_equal() -> None:
    result = run("--random", "15")
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.fullmatch(r"15 operators, 15 of them wholly bit-equal; samples: \{'equal': \d+\}\n", result.stdout)


@pytest.mark.slow
def test_what_has_no_cuda_kernel_raises() -> None:
    assert run("--only", "histogramdd").stdout.startswith(
        "histogramdd: {'raised': 40} no CUDA kernel\n1 operators, 0 of"
    )
