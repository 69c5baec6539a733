"""Training programs with hard-coded CUDA: on the simulated devices they print, bit for bit, what they print on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.program_server import ProgramServer, Request

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
DEVICES = {"data_parallel": 2, "distributed": 2}


@pytest.fixture(scope="module")
def server() -> Iterator[ProgramServer]:
    with ProgramServer() as server:
        yield server


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_program_prints_what_it_prints_on_the_cpu(server: ProgramServer, program: Path) -> None:
    devices = DEVICES.get(program.stem, 1)
    on_cpu = server.run(Request(str(program), patched=True, device_count=devices))
    simulated = server.run(Request(str(program), simulated=True, device_count=devices))
    assert on_cpu.code == 0, on_cpu.stderr
    assert (simulated.stdout, simulated.code) == (on_cpu.stdout, 0), simulated.stderr
    assert sum(character.isdigit() for character in on_cpu.stdout) > 40
