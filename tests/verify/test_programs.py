"""Training programs with hard-coded CUDA: on the simulated devices they print, bit for bit, what they print on the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.program_server import ProgramServer, Request

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
OF_MANY_PROCESSES = ("distributed",)
DEVICES = {"data_parallel": 2}


@pytest.fixture(scope="module")
def server() -> Iterator[ProgramServer]:
    with ProgramServer() as server:
        yield server


@pytest.mark.slow
@pytest.mark.parametrize(
    "program", [path for path in PROGRAMS if path.stem not in OF_MANY_PROCESSES], ids=lambda program: program.stem
)
def test_a_program_prints_what_it_prints_on_the_cpu(server: ProgramServer, program: Path) -> None:
    devices = DEVICES.get(program.stem, 1)
    on_cpu = server.run(Request(str(program), patched=True, device_count=devices))
    simulated = server.run(Request(str(program), simulated=True, device_count=devices))
    assert on_cpu.code == 0, on_cpu.stderr
    assert (simulated.stdout, simulated.code) == (on_cpu.stdout, 0), simulated.stderr
    assert sum(character.isdigit() for character in on_cpu.stdout) > 40


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_MANY_PROCESSES)
def test_processes_that_train_together_agree_with_those_on_the_cpu(name: str) -> None:
    program = str(Path(__file__).parent / "programs" / f"{name}.py")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    printed = []
    for start in ([], ["-m", "devlint", "simulate", "--devices", "2"]):
        command = [sys.executable, *start, program]
        run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=900)
        assert run.returncode == 0, run.stderr
        printed.append(run.stdout)
    assert printed[0] == printed[1]
