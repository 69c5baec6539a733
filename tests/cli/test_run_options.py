"""Options of a run that Ruff's users know: what is looked at, with which settings, what was fixed, and where it is written."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from devlint.cli import main
from devlint.config.option_table import FORMATS
from devlint.config.options import parse_options
from devlint.config.settings import default_settings, layered
from devlint.core.toml import load_toml

PROGRAM = "import torch\n\nx = torch.zeros(2).cuda()\ny = torch.zeros(2).cuda()\nz = f'{x}:0'\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(PROGRAM)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.py").write_text("x = 1\n")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


@pytest.mark.parametrize("command", ["check", "fix"])
def test_files(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "build").mkdir()
    (folder / "build" / "c.py").write_text("")
    (folder / "d.txt").write_text("")
    assert run(capsys, command, "--show-files") == (0, f"a.py\n{Path('sub', 'b.py')}\n", "")
    assert run(capsys, command, "--show-files", "--exclude", "sub", ".")[1] == f"a.py\n{Path('build', 'c.py')}\n"
    assert run(capsys, command, "--show-files", "no.py", "a.py") == (
        2,
        "a.py\n",
        "error: no.py: No such file or directory\n",
    )
    assert (folder / "a.py").read_text() == PROGRAM


def test_settings_are_those_of_the_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "sub" / "devlint.toml").write_text(
        'select = ["DEV1"]\ndevice = "get()"\ndevice-import = "from lib import get"\nunsafe-fixes = true\n'
        'torch-min-version = "2.7"\nsuppression-comments = ["allow"]\nexclude = ["x"]\n'
        '[per-file-ignores]\n"tests/**" = ["DEV103"]\n"!src" = ["cuda-method"]\n'
        '[calls]\n"torch.cuda.empty_cache" = { call = "empty()", import = "from lib import empty" }\n'
        '"lib.go" = { device = "where", position = 1 }\n[gates]\nneeds_gpu = "needs_any"\n'
    )
    code, out, err = run(capsys, "check", "--show-settings", "--ignore", "DEV106")
    assert (code, err) == (0, "")
    first, second = out.split("\n\n")
    assert first.startswith("# default settings, for a.py\n")
    assert second.startswith(f"# {folder / 'sub' / 'devlint.toml'}, for {Path('sub', 'b.py')}\n")
    wanted = parse_options(load_toml((folder / "sub" / "devlint.toml").read_text()), "test")
    shown = parse_options(load_toml(second), "test")
    for key in set(wanted) - {"select"}:
        assert shown[key] == wanted[key], key
    assert {"DEV101", "DEV105"} < set(shown["select"]) and not {"DEV106", "DEV201"} & set(shown["select"])
    made = layered(default_settings(str(folder)), shown, str(folder), "test")
    assert made.target.device == "get()" and made.unsafe_fixes


def test_settings_that_contradict_themselves(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "devlint.toml").write_text('target = "accelerator"\ntorch-min-version = "2.1"\n')
    code, out, err = run(capsys, "check", "--show-settings")
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_what_was_fixed_where(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "sub" / "b.py").write_text('import torch\n\nx = torch.zeros(2, device="cuda")\n')
    code, out, _ = run(capsys, "fix", "--show-fixes")
    name = Path("sub", "b.py")
    assert (code, out) == (
        0,
        f"a.py:\n  2 × DEV101 (cuda-method)\n{name}:\n  1 × DEV102 (cuda-argument)\n"
        "Found 3 errors (3 fixed, 0 remaining).\n",
    )
    assert run(capsys, "fix", "--show-fixes")[1] == "All checks passed!\n"
    assert run(capsys, "fix", "--show-fixes", "--output-format", "json")[0] == 2


@pytest.mark.parametrize("command", ["check", "fix"])
def test_fixing_without_a_report(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "sub" / "b.py").write_text('import torch\n\nx = torch.zeros(2).cuda()\nprint(x.device == "cuda")\n')
    assert run(capsys, command, "--fix-only") == (0, "Fixed 3 errors.\n", "")
    assert ".cuda()" not in (folder / "a.py").read_text()
    assert run(capsys, command, "--fix-only") == (0, "Fixed 0 errors.\n", "")
    assert run(capsys, command, "--fix-only", "-q") == (0, "", "")
    assert run(capsys, command, "--fix-only", "--output-format", "json") == (0, "[]\n", "")
    assert run(capsys, "check")[0] == 1
    assert run(capsys, command, "--fix-only", "no.py")[0] == 2


def test_fixing_without_a_report_may_tell_by_its_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "fix", "--fix-only", "--exit-non-zero-on-fix")[0] == 1
    assert run(capsys, "fix", "--fix-only", "--exit-non-zero-on-fix")[0] == 0


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_goes_to_a_file(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("check", "--output-format", name)
    printed = run(capsys, *options)
    assert printed[1]
    assert run(capsys, *options, "--output-file", "out") == (printed[0], "", "")
    assert (folder / "out").read_text(encoding="utf-8") == printed[1]
    assert sorted(one.name for one in folder.iterdir()) == [".devlint_cache", "a.py", "out", "sub"]


def test_diffs_and_counts_go_to_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options in (("fix", "--diff"), ("check", "--statistics", "--output-format", "json")):
        printed = run(capsys, *options)
        assert run(capsys, *options, "--output-file=out")[1:] == ("", printed[2])
        assert (folder / "out").read_text() == printed[1]


def test_a_run_that_fails_leaves_the_file(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "out").write_text("before")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("devlint.cli.printer.Printer.show", interrupted)
        assert run(capsys, "check", "--output-file", "out")[0] == 130
    assert (folder / "out").read_text() == "before"


def test_where_no_file_can_be(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("sub", "no/out"):
        assert run(capsys, "fix", "--output-file", name) == (
            2, "", f"error: --output-file {name}: is a folder, or in none\n"
        )  # fmt: skip
    assert (folder / "a.py").read_text() == PROGRAM


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in the file system")
def test_a_device_is_written_and_not_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "link").symlink_to(os.devnull)
    assert run(capsys, "check", "--output-file", "link")[0] == 1
    assert not Path(os.devnull).is_file() and (folder / "link").is_symlink()
    (folder / "other").symlink_to("target")
    assert run(capsys, "check", "--output-format", "json", "--output-file", "other")[0] == 1
    assert (folder / "other").is_symlink() and json.loads((folder / "target").read_text())
