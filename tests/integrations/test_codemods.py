"""The LibCST codemod, run by LibCST's own tool."""

from __future__ import annotations

import argparse
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import libcst as cst
import pytest
from libcst.codemod import CodemodContext, SkipFile

import devlint
from devlint.core.errors import ConfigError
from devlint.integrations.codemods import DeviceAgnostic
from tests.support.fixture_runner import Case, load_cases
from tests.support.paths import ROOT
from tests.support.sampling import some

MANUAL = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
TEXT = "import torch\n\nx = torch.zeros(2).cuda()\n"
SECOND_CARD = 'import torch\n\ndevice = torch.device("cuda:1")\n'


def tool(folder: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run LibCST's tool in a folder, with our codemod."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    command = [
        sys.executable,
        "-m",
        "libcst.tool",
        "codemod",
        "-x",
        "--no-format",
        "devlint.integrations.codemods.DeviceAgnostic",
    ]
    return subprocess.run([*command, *arguments], cwd=folder, input=stdin, capture_output=True, env=environment)


def rewritten(cases: list[Case], folder: Path, *arguments: str) -> None:
    """Rewrite copies of some fixtures, and compare them with what ``devlint fix`` made of them."""
    cases = some(cases, 4)
    for case in cases:
        (folder / f"{case.name}.py").write_bytes(case.original.read_bytes())
    result = tool(folder, "--hide-progress", "--isolated", *arguments, ".")
    assert result.returncode == 0, result.stderr.decode()
    for case in cases:
        assert (folder / f"{case.name}.py").read_bytes() == case.fixed.read_bytes(), case.name


@pytest.mark.slow
def test_the_fixtures_come_out_as_from_devlint_fix(tmp_path: Path) -> None:
    rewritten([case for case in load_cases() if not case.fix], tmp_path)


@pytest.mark.slow
def test_the_fixtures_with_unsafe_fixes_come_out_as_from_devlint_fix(tmp_path: Path) -> None:
    rewritten([case for case in load_cases() if case.fix == {"unsafe": True}], tmp_path, "--unsafe-fixes")


def test_the_target_and_the_configuration(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(TEXT)
    (tmp_path / "devlint.toml").write_text('ignore = ["DEV2"]\nper-file-ignores = {"b.py" = ["DEV1"]}\n')
    result = tool(tmp_path, "--target", "accelerator", ".")
    assert "torch.accelerator.current_accelerator()" in (tmp_path / "a.py").read_text()
    assert (tmp_path / "b.py").read_text() == TEXT
    assert b"Transformed 2 files successfully" in result.stderr


@pytest.mark.slow
def test_standard_input(tmp_path: Path) -> None:
    result = tool(tmp_path, "-", stdin=TEXT.encode())
    assert ".to(device)" in result.stdout.decode()
    assert tool(tmp_path, "-", stdin=b"x = 1\n").stdout.strip() == b"x = 1"


@pytest.mark.slow
def test_what_is_left_is_a_warning_and_wrong_options_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(SECOND_CARD)
    result = tool(tmp_path, "a.py")
    assert b"a.py:3:10: DEV106 " in result.stderr
    assert path.read_text() == SECOND_CARD
    result = tool(tmp_path, "--torch-min-version", "two", "a.py")
    assert result.returncode == 1
    assert b"devlint: 'torch-min-version': expected a version" in result.stderr


@pytest.mark.slow
def test_the_manual_shows_commands_that_work(tmp_path: Path) -> None:
    commands = re.findall(r"^    python -m libcst.tool codemod (.*)$", MANUAL, re.MULTILINE)
    configuration = re.findall(r"^```yaml\n(.*?)^```$", MANUAL, re.DOTALL | re.MULTILINE)
    (tmp_path / "src").mkdir()
    for command in commands:
        (tmp_path / "src" / "a.py").write_text(TEXT)
        if "-x" not in command.split():
            (tmp_path / ".libcst.codemod.yaml").write_text(configuration[0])
        run = [sys.executable, "-m", "libcst.tool", "codemod", *command.split()]
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path}
        subprocess.run(run, cwd=tmp_path, env=environment, check=True, capture_output=True)
        assert ".to(device)" in (tmp_path / "src" / "a.py").read_text(), command
    assert len(commands) == 3


def transform(text: str, filename: str | None = None, **options: Any) -> tuple[str, list[str]]:
    """The codemod in this process: the new text, and the warnings."""
    context = CodemodContext(filename=filename)
    module = DeviceAgnostic(context, **options).transform_module(cst.parse_module(text))
    return module.code, context.warnings


def test_in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert transform(TEXT)[0].splitlines()[-1] == "x = torch.zeros(2).to(device)"
    assert transform(TEXT, ignore="DEV1") == (TEXT, [])
    text, warnings = transform(SECOND_CARD)
    assert text == SECOND_CARD
    assert warnings == ['<text>:3:10: DEV106 `torch.device("cuda:1")` needs one card of a CUDA machine']
    assert transform(SECOND_CARD, unsafe=True)[1] == []
    with pytest.raises(ConfigError):
        transform(TEXT, select="DEV999")


def test_the_options_of_the_tool_are_those_of_fix() -> None:
    parser = argparse.ArgumentParser()
    DeviceAgnostic.add_args(parser)
    names = {action.dest for action in parser._actions} - {"help"}
    assert names == set(inspect.signature(devlint.fix).parameters) - {"source", "filename", "write"}
    assert names - {"unsafe"} == set(inspect.signature(devlint.check).parameters) - {"source", "filename"}
    assert vars(parser.parse_args([])) == {}, "what is not given is left to the defaults of devlint.fix"
    given = parser.parse_args(["--ignore", "DEV1", "--unsafe-fixes"])
    assert transform(TEXT, **vars(given)) == (TEXT, [])
    assert set(parser.format_help().split()) >= set(re.findall(r"`(--[a-z-]+)`,? ", MANUAL.partition("are `--")[2]))


def test_a_file_that_libcst_does_not_give_back_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    text = TEXT.replace("\nx", "\n\fx")
    path.write_text(text)
    with pytest.raises(SkipFile):
        transform(text, str(path))
    result = tool(tmp_path, "a.py")
    assert b"LibCST does not give back this file as it is" in result.stderr
    assert path.read_text() == text


def test_a_failure_is_a_warning() -> None:
    deep = "x.cuda()" + "[0]" * 10 + "(" * 201 + ")" * 201 + "\n"
    assert transform(deep) == (deep, ["<text>: has brackets nested more than 200 deep, left alone"])
