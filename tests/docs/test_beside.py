"""What docs/beside.md says that devlint and Ruff find is what they find; TorchFix has an environment of its own."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import devlint
from benchmarks import beside

PROGRAMS = beside.programs()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from tests.support.paths import ROOT

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


@pytest.mark.parametrize("number", sorted(PROGRAMS))
def test_what_devlint_finds(number: str, folder: Path) -> None:
    folder.joinpath("program.py").write_text(PROGRAMS[number])
    assert beside.devlint(str(folder)) == beside.recorded()[number][0]


def test_what_ruff_finds(folder: Path) -> None:
    if beside.version_of(sys.executable, "-m", "ruff") != beside.recorded_version("Ruff"):
        pytest.skip("another version of Ruff is installed than the page names")
    for number, text in PROGRAMS.items():
        folder.joinpath("program.py").write_text(text)
        assert beside.ruff(str(folder)) == beside.recorded()[number][1], number


def test_what_is_read_of_torchfix(folder: Path) -> None:
    """Its output, kept from version 0.7.0."""
    program = folder / "torchfix"
    printed = (
        "a.py:3:9: TOR102 [*] `torch.load` is unsafe. Set `weights_only`.\na.py:6:8: TOR106 Use `torch.log1p(x)`.\n"
    )
    program.write_text(f"#!{sys.executable}\nprint({printed!r})\n")
    program.chmod(0o755)
    assert beside.torchfix(str(program), str(folder)) == "TOR102 \\*, TOR106"


CONVERTED = {
    number: cell
    for numbers, cell in re.findall(r"^\| ([\d, ]+) \| (.*?) \|", beside.PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    for number in numbers.split(", ")
}


@pytest.mark.parametrize("number", sorted(PROGRAMS))
def test_what_devlint_writes(number: str) -> None:
    safe, unsafe = (devlint.fix(PROGRAMS[number], select="ALL", unsafe=one).text for one in (False, True))
    assert (CONVERTED[number] == "–") == (unsafe == PROGRAMS[number])
    for told in CONVERTED[number].split("; "):
        is_unsafe = told.endswith(", unsafe")
        for piece in re.findall(r"`(.*?)…?\)?`", told):
            assert piece in unsafe and (piece in safe) != is_unsafe, piece


def test_the_last_program_is_for_cuda_alone() -> None:
    found = devlint.check(PROGRAMS["8"], target="accelerator", torch_min_version="2.6").diagnostics
    assert [one.code for one in found] == ["DEV508"]


def test_every_program_has_a_row_and_is_python() -> None:
    assert set(PROGRAMS) == set(beside.recorded()) and len(PROGRAMS) == 8
    for text in PROGRAMS.values():
        compile(text, "program.py", "exec")
    assert all(all(row) for row in beside.recorded().values())
