"""The commands of docs/adopting.md, run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

BLOCKS = re.findall(
    r"^```(\w+)\n(.*?)^```$", ROOT.joinpath("docs/adopting.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
)
DIFF_BASE, BASELINE, STALE = (text for language, text in BLOCKS if language == "bash")
(TOML,) = (text for language, text in BLOCKS if language == "toml")
FINDING = "x = torch.zeros(2).cuda()\n"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are written for bash")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one finding in its history and a ``devlint`` on the path."""
    tmp_path.joinpath("bin").mkdir()
    program = tmp_path / "bin" / "devlint"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m devlint "$@"\n')
    program.chmod(0o755)
    folder = tmp_path / "project"
    folder.mkdir()
    folder.joinpath("a.py").write_text(f"import torch\n\n{FINDING}")
    who = "-c user.name=devlint -c user.email=devlint@example.com"
    run(
        f"git init -q && git add -A && git {who} commit -q -m first && git update-ref refs/remotes/origin/main HEAD",
        folder,
    )
    return folder


def run(command: str, project: Path) -> subprocess.CompletedProcess[str]:
    """A command in bash, with no configuration of git but the project's."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment.update(
        PYTHONPATH=str(ROOT),
        PATH=f"{project.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_NOSYSTEM="1",
    )
    return subprocess.run(
        ["bash", "-c", command], cwd=project, env=environment, capture_output=True, text=True, check=False
    )


def test_changed_lines(project: Path) -> None:
    assert run(DIFF_BASE, project).returncode == 0
    project.joinpath("a.py").write_text(f"import torch\n\n{FINDING}y = torch.zeros(3).cuda()\n")
    result = run(DIFF_BASE, project)
    assert (result.returncode, result.stdout.count("DEV101")) == (1, 1)


@pytest.mark.slow
def test_a_baseline(project: Path) -> None:
    result = run(BASELINE, project)
    assert (result.returncode, result.stderr) == (0, "")
    project.joinpath("pyproject.toml").write_text(TOML)
    assert run("devlint check", project).returncode == 0
    assert run("devlint check --no-baseline", project).returncode == 1
    assert run(STALE, project).returncode == 0
    assert run("devlint fix --no-baseline a.py", project).returncode == 0
    assert run(STALE, project).returncode == 1
    assert run("devlint baseline", project).returncode == 0
    assert run(STALE, project).returncode == 0
