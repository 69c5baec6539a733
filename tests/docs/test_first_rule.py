"""docs/first-rule.md, followed step by step in a copy of the project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

TEXT = ROOT.joinpath("docs/first-rule.md").read_text(encoding="utf-8")
PYTHON_FILES = "devlint/rules/deprecated_has_cuda.py tests/rules/test_deprecated_has_cuda.py"
COPIED = ("devlint", "tests", "docs", "pyproject.toml", "CHANGELOG.md")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are written for bash")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project, with ``devlint``, ``python`` and ``ruff`` on the path."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, module in {"devlint": "-m devlint", "python": "", "ruff": "-m ruff"}.items():
        programs.joinpath(name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
        programs.joinpath(name).chmod(0o755)
    return tmp_path


def run(command: str, project: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    environment["PYTHONPATH"] = str(project)
    environment["PATH"] = f"{project / 'bin'}{os.pathsep}{environment['PATH']}"
    return subprocess.run(["bash", "-c", command], cwd=project, env=environment, capture_output=True, text=True)


@pytest.mark.slow
def test_the_tutorial(project: Path) -> None:
    """Every command does what the page shows, and the generated files are in the house style."""
    done = None
    for prose, language, block in re.findall(r"(.*?)^```(\w+)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE):
        if language == "bash":
            for command in block.splitlines():
                done = run(command, project)
                assert done.returncode == (1 if command.startswith("devlint") else 0), done.stdout + done.stderr
                if "generate rule" in command:
                    style = run(f"ruff check {PYTHON_FILES} && ruff format --check {PYTHON_FILES}", project)
                    assert style.returncode == 0, style.stdout
        elif language == "python":
            *_, path = re.findall(r"`(\S+\.py)`", prose)
            project.joinpath(path).write_text(block, encoding="utf-8")
        else:
            assert done is not None and block in (done.stdout, done.stderr), language
    assert "- DEV699 (`" in project.joinpath("CHANGELOG.md").read_text(encoding="utf-8").splitlines()[-1]
