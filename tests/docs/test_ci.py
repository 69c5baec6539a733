"""What docs/ci.md shows is valid, and its commands do what it says when they are run as they stand."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.support.paths import ROOT

TEXT = ROOT.joinpath("docs/ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
ACTION, GITHUB, GITLAB, AZURE = (text for language, text in BLOCKS if language == "yaml")
JUNIT, JSON_LINES = (text for language, text in BLOCKS if language == "bash")
INSTALL = 'python -m pip install "$DEVLINT"'

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are written for bash")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one finding, and a ``devlint`` on the path."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, command in {"devlint": f'"{sys.executable}" -m devlint', "python": f'"{sys.executable}"'}.items():
        programs.joinpath(name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        programs.joinpath(name).chmod(0o755)
    project = tmp_path / "project"
    project.mkdir()
    project.joinpath("a.py").write_text("import torch\n\nx = torch.zeros(2).cuda()\n")
    return project


def run(command: str, project: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command, as a runner's ``bash -e`` runs it."""
    path = f"{project.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, **variables}
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command]
    return subprocess.run(words, cwd=project, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("schema", "text"),
    [("github-workflows", ACTION), ("github-workflows", GITHUB), ("gitlab-ci", GITLAB), ("azure-pipelines", AZURE)],
)
def test_the_files_are_valid(tmp_path: Path, schema: str, text: str) -> None:
    tmp_path.joinpath("ci.yml").write_text(text)
    check = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--regex-variant",
        "python",
    ]  # for Python 3.10, the other one is too old
    command = [*check, "--builtin-schema", f"vendor.{schema}", "ci.yml"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_the_table_of_inputs_is_that_of_the_action() -> None:
    action = yaml.safe_load(ROOT.joinpath("action.yml").read_text(encoding="utf-8"))
    used = yaml.safe_load(ACTION)["jobs"]["devlint"]["steps"][-1]["with"]
    assert set(used) <= set(action["inputs"])
    told = {}
    for names, defaults in re.findall(r"^\| (`.*?`) \| (.*?) ?\|", TEXT, re.MULTILINE):
        told.update(zip(re.findall("`([^`]*)`", names), re.findall("`([^`]*)`", defaults) or [""]))
    assert told == {name: one["default"] for name, one in action["inputs"].items()}
    (outputs,) = re.findall(r"^The outputs are (.*) if there is", TEXT, re.MULTILINE)
    assert set(re.findall("`([^`]*)`", outputs)) == set(action["outputs"])


def test_the_steps_of_the_github_workflow(project: Path) -> None:
    steps = yaml.safe_load(GITHUB)["jobs"]["devlint"]["steps"]
    install, annotate, report = (step["run"] for step in steps if "run" in step)
    assert install == INSTALL
    result = run(annotate, project, GITHUB_WORKSPACE=str(project.parent))
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout.startswith("::error title=devlint DEV101 cuda-method,file=project/a.py,line=3,col=20,")
    assert run(report, project).returncode == 0
    log = json.loads(project.joinpath(steps[-1]["with"]["sarif_file"]).read_text())
    jsonschema.validate(log, json.loads(ROOT.joinpath("tests/data/sarif/sarif-2.1.0.json").read_text("utf-8")))
    (rule,) = log["runs"][0]["tool"]["driver"]["rules"]
    assert rule["id"] == "DEV101"
    assert "#### Fix safety" in rule["help"]["markdown"]
    assert len(log["runs"][0]["results"][0]["fixes"]) == 1


def test_the_gitlab_job(project: Path) -> None:
    job = yaml.safe_load(GITLAB)["devlint"]
    install, report, check = job["script"]
    assert install == INSTALL
    variables = {"CI_PROJECT_DIR": str(project)}
    assert run(report, project, **variables).returncode == 0
    (issue,) = json.loads(project.joinpath(job["artifacts"]["reports"]["codequality"]).read_text())
    assert (issue["check_name"], issue["location"]["path"]) == ("DEV101", "a.py")
    assert run(check, project, **variables).returncode == 1
    project.joinpath("a.py").unlink()
    assert run(check, project, **variables).returncode == 0


def test_the_azure_steps(project: Path) -> None:
    install, check = (step["script"] for step in yaml.safe_load(AZURE)["steps"] if "script" in step)
    assert install.replace("$(DEVLINT)", "$DEVLINT") == INSTALL
    result = run(check, project)
    assert result.returncode == 1
    assert result.stdout.startswith("##vso[task.logissue type=error;sourcepath=a.py;linenumber=3;columnnumber=20;")


def test_the_other_commands(project: Path) -> None:
    assert run(JUNIT, project).returncode == 0
    assert ElementTree.parse(project / "devlint.xml").getroot().get("failures") == "1"
    assert run(JSON_LINES, project).stdout == f"DEV101 {project / 'a.py'} 3\n"
