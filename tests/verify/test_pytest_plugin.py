"""`pytest --simulate-cuda`: somebody's test suite, run as on a computer with a GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

SUITE = """\
import subprocess
import sys

import pytest
import torch

from conftest import DEVICE


def test_device():
    assert torch.zeros(1, device=DEVICE).device.type == DEVICE


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_gpu(request):
    assert torch.ones(2).cuda().sum().item() == 2
    with pytest.raises(RuntimeError, match="same device") as mixed:
        torch.ones(2).cuda() + torch.ones(2)
    told = [note.rpartition("test_suite.py:")[2] for note in getattr(mixed.value, "__notes__", ())]
    is_told = request.config.option.simulate_origins and sys.version_info >= (3, 11)
    assert told == ["18: torch.ones(2)"] * is_told


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="no two GPUs")
def test_two():
    assert torch.ones(2, device="cuda:1").get_device() == 1


def test_child():
    code = "import torch; print(torch.cuda.device_count())"
    count = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert int(count) == torch.cuda.device_count()
"""
CONFTEST = "import torch\n\nDEVICE = 'cuda' if torch.cuda.is_available() else 'cpu'\n"


def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_suite.py").write_text(SUITE)
    (folder / "conftest.py").write_text(CONFTEST)
    options = [
        "-p",
        "devlint.integrations.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "-rs",
        *arguments,
    ]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **variables},
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "summary"),
    [
        ((), "2 passed, 2 skipped"),
        (("--simulate-cuda",), "3 passed, 1 skipped"),
        (("--simulate-cuda=2", "--simulate-rng=separate"), "4 passed"),
        (("--simulate-cuda=2", "--simulate-origins", "-p", "xdist", "-n", "1"), "4 passed"),
        (("--simulate-cuda", "test_suite.py"), "3 passed, 1 skipped"),
        (("--simulate-cuda=2", "test_suite.py"), "4 passed"),
    ],
    ids=["without", "one", "two", "origins, and workers", "one before a path", "two before a path"],
)
def test_a_suite(tmp_path: Path, arguments: tuple[str, ...], summary: str) -> None:
    result = run(tmp_path, *arguments)
    assert result.stdout.splitlines()[-1].strip("= ").startswith(f"{summary} in "), result.stdout + result.stderr
    assert ("simulated CUDA device" in result.stdout) == bool(arguments)


def test_bad_numbers_are_an_error_of_usage(tmp_path: Path) -> None:
    result = run(tmp_path, "--simulate-cuda=99")
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert "error: argument --simulate-cuda: ignored explicit argument '99'" in result.stderr


SEEDED = """\
import torch


def draw(seed):
    torch.cuda.manual_seed(seed)
    return torch.rand(3, device="cuda").tolist()


def test_seeds():
    assert draw(3) == draw(3) != draw(4)
    assert torch.cuda.initial_seed() == 4
    torch.cuda.manual_seed_all(5)
    assert torch.cuda.initial_seed() == 5
    torch.manual_seed(6)
    assert torch.cuda.initial_seed() == 6
"""


@pytest.mark.slow
def test_seeds_of_the_device_count(tmp_path: Path) -> None:
    (tmp_path / "test_seeds.py").write_text(SEEDED)
    result = run(tmp_path, "--simulate-cuda", "test_seeds.py")
    assert "1 passed" in result.stdout, result.stdout + result.stderr


def test_the_plugin_alone_imports_nothing_of_weight(tmp_path: Path) -> None:
    code = (
        "import sys, pytest\nbefore = set(sys.modules)\nimport devlint.integrations.pytest_plugin\n"
        "print(sorted(set(sys.modules) - before))\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "['devlint', 'devlint.integrations', 'devlint.integrations.pytest_plugin']\n"
