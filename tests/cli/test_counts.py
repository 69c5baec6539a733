"""What a check counts, a fix counts, too: as fixed or as remaining."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from devlint.cli import main
from tests.support.paths import ROOT

ALIKE = [
    ("devices_kept_for_later", []),  # one fix repairs two findings
    ("checkpoint_entries", ["--target=accelerator", "--unsafe-fixes"]),
    ("mnist_no_cuda_flag", []),
    ("model_parallel_two_gpus", []),
]


def last_lines(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit):
        main([*arguments, "--isolated", "--no-cache"])
    return capsys.readouterr().out


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "a.py"


@pytest.mark.parametrize(("case", "options"), ALIKE, ids=lambda value: value if isinstance(value, str) else "")
def test_a_check_and_a_fix_find_as_many(
    case: str, options: list[str], program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program.write_bytes((ROOT / "fixtures" / case / "input.py").read_bytes())
    checked = re.search(r"^Found (\d+) errors", last_lines(capsys, "check", *options, "a.py"), re.MULTILINE)
    fixed = re.search(
        r"^Found (\d+) errors \((\d+) fixed, (\d+) remaining\)",
        last_lines(capsys, "fix", *options, "a.py"),
        re.MULTILINE,
    )
    assert checked is not None and fixed is not None
    assert checked[1] == fixed[1]
    assert int(fixed[1]) == int(fixed[2]) + int(fixed[3])


def test_what_only_fixes_bring_to_light_is_counted_apart(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.write_bytes((ROOT / "fixtures" / "own_cuda_method" / "input.py").read_bytes())
    options = ["--target=accelerator", "--unsafe-fixes", "a.py"]
    assert "Found 4 errors.\n" in last_lines(capsys, "check", *options)
    assert "Found 4 errors (3 fixed, 2 remaining, 1 of them new).\n" in last_lines(capsys, "fix", *options)
