"""What a check counts, a fix counts, too; what is wrong is said once, and does not keep devlint from the rest."""

from __future__ import annotations

import os
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


def test_a_configuration_that_contradicts_itself_is_one_error(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.py", "b.py", "sub/c.py"):
        path = program.parent / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("import torch\n\nx = torch.zeros(2).cuda()\n")
    configuration = program.parent / "pyproject.toml"
    configuration.write_text(
        '[project]\nname = "x"\ndependencies = ["torch>=2.1"]\n[tool.devlint]\ntarget = "accelerator"\n'
    )
    for paths in (["."], ["b.py", "a.py"]):
        with pytest.raises(SystemExit) as left:
            main(["check", "--no-cache", *paths])
        out, err = capsys.readouterr()
        assert (left.value.code, out) == (2, "")
        assert err.startswith(f"error: {configuration}: 'target': 'accelerator' needs torch 2.6")
        assert err.count("\n") == 1
    configuration.write_text(configuration.read_text() + 'torch-min-version = "2.6"\n')
    with pytest.raises(SystemExit) as left:
        main(["check", "--no-cache"])
    assert left.value.code == 1


def test_a_file_that_cannot_be_read_keeps_devlint_from_no_other(
    program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program.write_text("import torch\n\nx = torch.zeros(2).cuda()\n")
    locked = program.parent / "locked.py"
    locked.write_text("")
    locked.chmod(0)
    if os.access(locked, os.R_OK):  # who may do everything is told so all the same
        can, opens = os.access, os.open

        def may(path: object, mode: int, **options: object) -> bool:
            return path != "locked.py" and can(path, mode)  # type: ignore[arg-type]

        def opened(path: object, *options: object, **more: object) -> int:
            if path == "locked.py":
                raise PermissionError(13, "Permission denied", path)
            return opens(path, *options, **more)  # type: ignore[arg-type]

        monkeypatch.setattr(os, "access", may)
        monkeypatch.setattr(os, "open", opened)
    with pytest.raises(SystemExit) as left:
        main(["check", "--no-cache", "--isolated", "locked.py", "a.py"])
    out, err = capsys.readouterr()
    assert (left.value.code, err) == (2, "error: locked.py: Permission denied\n")
    assert "a.py:3:20: DEV101" in out
