"""Standard streams that are closed, full or no longer read: one line, exit code 2, and no file half done."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.cli import lint, main
from tests.support.paths import ROOT

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")

TEXT = "import torch\n\nx = torch.zeros(2).cuda()\ny = torch.ones(2).cuda()\nz = torch.device('cuda:1')\n"
FULL = "error: standard output cannot be written: No space left on device\n"
CLOSED = "error: standard output is closed\n"


def shell(folder: Path, arguments: str, redirection: str) -> subprocess.CompletedProcess[str]:
    """A real process, started by a shell."""
    command = f"{shlex.quote(sys.executable)} -m devlint {arguments} {redirection}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """So many findings that the output does not wait in a buffer until the end."""
    for number in range(60):
        (tmp_path / f"{number}.py").write_text(TEXT)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        "check",
        "check -j 1 --output-format json",
        "check 1.py",
        "check --statistics --fix",
        "fix -j 2",
        "fix --diff",
        "fix - < 1.py",
        "rules",
        "explain DEV101",
        "init --stdout",
        "--version",
        "check --help",
    ],
)
def test_output_that_cannot_be_written(arguments: str, project: Path) -> None:
    full = shell(project, arguments, "> /dev/full")
    assert (full.returncode, full.stderr) == (2, FULL)
    fixed = [path.read_text() != TEXT for path in project.glob("*.py")]
    assert all(fixed) if arguments in ("check --statistics --fix", "fix -j 2") else not any(fixed)


@pytest.mark.parametrize("arguments", ["check", "fix", "fix --diff", "rules", "--version", "--help"])
def test_closed_output_stops_a_run_before_it_begins(arguments: str, project: Path) -> None:
    closed = shell(project, arguments, ">&-")
    assert (closed.returncode, closed.stderr) == (2, CLOSED)
    assert {path.read_text() for path in project.glob("*.py")} == {TEXT}


@pytest.mark.parametrize("arguments", ["check -", "fix -", "fix --stdin-filename a.py"])
def test_closed_input_is_said(arguments: str, project: Path) -> None:
    closed = shell(project, arguments, "<&-")
    assert (closed.returncode, closed.stdout, closed.stderr) == (2, "", "error: standard input is closed\n")


def test_closed_input_answers_no_question(project: Path) -> None:
    closed = shell(project, "fix --interactive 1.py", "<&-")
    assert (closed.returncode, closed.stderr) == (1, "") and "Fixed 0 findings" in closed.stdout
    assert (project / "1.py").read_text() == TEXT


@pytest.mark.parametrize("redirection", ["2>&-", "2> /dev/full"])
def test_errors_that_nobody_can_read(redirection: str, project: Path) -> None:
    for arguments, code in (
        ("check 1.py", 1),
        ("check none.py", 2),
        ("check --target gpu", 2),
        ("check --nonsense", 2),
    ):
        assert shell(project, arguments, redirection).returncode == code
    assert shell(project, "check none.py", "> /dev/full 2> /dev/full").returncode == 2


def test_failures_are_told_though_findings_cannot_be(project: Path) -> None:
    result = shell(project, "fix none.py 1.py", "> /dev/full")
    assert result.returncode == 2
    assert result.stderr == f"error: none.py: No such file or directory\n{FULL}"


def test_a_fix_goes_on_when_its_reader_has_seen_enough(project: Path) -> None:
    result = shell(project, "fix -j 1", "| head -n 1")
    assert (len(result.stdout.splitlines()), result.stderr) == (1, "")
    assert TEXT not in {path.read_text() for path in project.glob("*.py")}


def test_a_folder_that_is_gone_is_one_line(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    program = (
        f"cd {shlex.quote(str(gone))} && rmdir {shlex.quote(str(gone))}; {shlex.quote(sys.executable)} -m devlint check"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(["sh", "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (2, "error: the current folder: No such file or directory\n")


def test_other_errors_of_the_system_are_not_taken_for_output(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied", "secret")

    monkeypatch.setattr(lint, "run_lint", fail)
    monkeypatch.chdir(project)
    with pytest.raises(PermissionError):
        main(["check", "1.py"])
