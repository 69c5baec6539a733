"""What docs/simulator-ci.md shows is valid, and the simulated GPU says what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.paths import ROOT

TEXT = ROOT.joinpath("docs/simulator-ci.md").read_text(encoding="utf-8")
WORKFLOW = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)[0]
MESSAGES = [cell.strip("`") for cell in re.findall(r"^\| [^`].*\| (`.*`) \|$", TEXT, re.MULTILINE)]
PROGRAM = """
import torch
x = torch.ones(2, device="cuda")
def mixed(): return x + torch.ones(2)
def numpy(): return x.numpy()
def whole(): return x.long()[None] @ x.long()[:, None]
def hidden():
    torch.cuda.set_sync_debug_mode("error")
    return x.sum().item()
def deterministic():
    torch.cuda.set_sync_debug_mode("default")
    torch.use_deterministic_algorithms(True)
    return torch.histc(x, 4)
for wrong in (mixed, numpy, whole, hidden, deterministic):
    try:
        wrong()
    except (RuntimeError, TypeError) as error:
        print(error)
"""


def test_the_workflow_is_valid(tmp_path: Path) -> None:
    tmp_path.joinpath("ci.yml").write_text(WORKFLOW)
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", "ci.yml"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_its_commands_exist() -> None:
    pytest.importorskip("torch")
    steps = [step.get("run", "") for step in yaml.safe_load(WORKFLOW)["jobs"]["tests"]["steps"]]
    assert any("pytest --simulate-cuda tests" in step for step in steps)
    assert any("devlint simulate --devices 2" in step for step in steps)


@pytest.mark.slow
def test_the_messages_are_those_of_the_simulation(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "wrong.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "devlint", "simulate", "wrong.py"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    said = result.stdout.splitlines()
    assert len(MESSAGES) == 5 == len(said), (result.stderr, said)
    for message, line in zip(MESSAGES, said):
        assert line.startswith(message), (message, line)


@pytest.mark.slow
def test_the_mark_skips_a_test_in_the_simulation_alone(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    mark = re.findall(r"`(pytest\.mark\.skipif\(.*\))`", TEXT)[0]
    (tmp_path / "test_it.py").write_text(f"import os, pytest\n\n@{mark}\ndef test_it(): pass\n")
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    for option, said in (("--simulate-cuda", "1 skipped"), ("-q", "1 passed")):
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", option, "test_it.py"]
        result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert said in result.stdout
