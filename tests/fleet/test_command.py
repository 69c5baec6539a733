"""``devlint fleet`` with the options that docs/audits.md shows: what it prints, and its exit codes."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devlint.cli import main
from devlint.cli.commands import command_line
from tests.fleet.repositories import rows


def call(*arguments: object) -> Result:
    """One call of the command line."""
    return CliRunner().invoke(command_line, ["fleet", *map(str, arguments)], standalone_mode=False, obj=False)


def test_a_run_says_what_it_found_and_can_be_repeated(repositories: Path, tmp_path: Path) -> None:
    first = call("check", repositories, "-o", tmp_path / "audit", "-j1", "--partition-size", 4)
    findings = len(rows(tmp_path / "audit", "findings"))
    said = f": {findings:,} findings, 2 files that cannot be checked.\n"
    assert first.output == f"Checked 9 files in 3 partitions{said}"
    assert first.return_value == 1
    again = call("check", repositories, "-o", tmp_path / "audit", "-j1", "--partition-size", 4)
    assert again.output == f"Checked 9 files in 3 partitions (3 of them before){said}"
    assert again.return_value == 1


def test_options_are_those_of_check(repositories: Path, tmp_path: Path) -> None:
    options = ("--select", "DEV101,DEV3", "--ignore", "DEV301,DEV001", "--target", "accelerator", "--fix", "-j1")
    assert call("check", repositories, "-o", tmp_path / "audit", *options).return_value == 1
    assert {row["code"] for row in rows(tmp_path / "audit", "findings")} == {"DEV101"}
    assert any(b"accelerator" in (row["fixed_content"] or b"") for row in rows(tmp_path / "audit", "files"))


def test_exit_codes(repositories: Path, git_repositories: Path, tmp_path: Path) -> None:
    nothing = call(
        "check", git_repositories, "-o", tmp_path / "nothing", "--select", "DEV503", "--ignore", "DEV001", "-j1"
    )
    assert (nothing.return_value, nothing.output.partition(": ")[2]) == (
        0,
        "0 findings.\n",
    )
    with git_repositories.open("a") as file:
        file.write("gone\n")
    missing = call("check", git_repositories, "-o", tmp_path / "missing", "-j1")
    assert missing.return_value == 2
    assert "error: gone: " in missing.output


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--select", "DEV999"), "DEV999"),
        (("--target", "moon"), "'moon'"),
    ],
)
def test_a_wrong_option_ends_the_command_before_anything_is_written(
    repositories: Path, tmp_path: Path, arguments: tuple[str, ...], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["fleet", "check", str(repositories), "-o", str(tmp_path / "audit"), *arguments])
    assert ended.value.code == 2
    assert problem in capsys.readouterr().err
    assert not (tmp_path / "audit").exists()


def test_without_the_extra_one_line_says_what_to_install(
    repositories: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SystemExit) as ended:
        main(["fleet", "check", str(repositories), "-o", "audit"])
    assert ended.value.code == 2
    assert capsys.readouterr().err == "error: devlint fleet needs pyarrow: pip install 'devlint[fleet]'\n"


def test_other_commands_do_without_pyarrow() -> None:
    """The list of commands names `fleet`, and imports nothing of it."""
    importlib.import_module("devlint.cli.commands")
    assert "Check thousands of repositories" in CliRunner().invoke(command_line, ["--help"]).output
