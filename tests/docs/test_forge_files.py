"""The files that a forge reads: each fits its schema, and the steps of the action do what they say."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.paths import ROOT

ACTION: Any = yaml.safe_load(ROOT.joinpath("action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "run" in step}
SCHEMAS = {
    "action.yml": "github-actions",
    "CITATION.cff": "citation-file-format",
    ".github/workflows/release.yml": "github-workflows",
    ".github/ISSUE_TEMPLATE/config.yml": "github-issue-config",
    ".github/ISSUE_TEMPLATE/idea.yml": "github-issue-forms",
    ".github/ISSUE_TEMPLATE/wrong-finding.yml": "github-issue-forms",
    ".github/ISSUE_TEMPLATE/wrong-fix.yml": "github-issue-forms",
}


@pytest.mark.parametrize("schema", sorted(set(SCHEMAS.values())))
def test_the_files_are_valid(schema: str) -> None:
    files = [str(ROOT / name) for name, its in SCHEMAS.items() if its == schema]
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *files]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_every_file_has_a_schema() -> None:
    there = {path.relative_to(ROOT).as_posix() for path in ROOT.glob(".github/**/*.yml")}
    assert there == {name for name in SCHEMAS if name.startswith(".github/")}


def scripts() -> Iterator[tuple[str, str]]:
    """Every script of the action and of the workflows."""
    yield from ((name, step["run"]) for name, step in STEPS.items())
    for path in ROOT.glob(".github/workflows/*.yml"):
        for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values():
            yield from ((step["name"], step["run"]) for step in job["steps"] if "run" in step)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_has_nothing_to_say(tmp_path: Path) -> None:
    for number, (_, script) in enumerate(scripts()):
        tmp_path.joinpath(f"{number}.sh").write_text(f"#!/usr/bin/env bash\nset -eo pipefail\n{script}")
    command = ["shellcheck", *map(str, sorted(tmp_path.iterdir()))]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "")


def test_no_script_has_an_expression_in_it() -> None:
    """An input that stands in a script could hold commands; as a variable of the environment it cannot."""
    assert [name for name, script in scripts() if "${{" in script] == []


def test_expressions_name_inputs_and_steps_that_exist() -> None:
    import re

    text = ROOT.joinpath("action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"\binputs\.([\w-]+)", text)) == set(ACTION["inputs"])
    outputs = {
        step["id"]: set(re.findall(r'"([\w-]+)=', step.get("run", "")))
        for step in ACTION["runs"]["steps"]
        if "id" in step
    }
    outputs["python"].add("python-path")
    for step, output in re.findall(r"\bsteps\.([\w-]+)\.outputs\.([\w-]+)", text):
        assert output in outputs[step], f"{step}.{output}"


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the steps are written for bash")


class Runner:
    """Runs steps as GitHub's runner does, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.code_folder = folder / "project"
        self.code_folder.mkdir()
        self.written = folder / "output"
        program = folder / "devlint"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m devlint "$@"\n')
        program.chmod(0o755)

    def step(self, name: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """One step, with the variables that its expressions would have given it."""
        assert set(variables) == set(STEPS[name]["env"])
        self.written.write_text("")
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("GIT", "PYTEST_", "COV_"))},
            "PYTHONPATH": str(ROOT),
            "GITHUB_OUTPUT": str(self.written),
            "GITHUB_WORKSPACE": str(self.code_folder),
            **variables,
        }
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
        return subprocess.run(words, cwd=self.code_folder, env=environment, capture_output=True, text=True, check=False)

    def check(self, paths: str = ".", args: str = "", form: str = "github", report: str = "") -> Any:
        """The step that runs devlint."""
        cache = str(self.folder / "cache")
        given = {"DEVLINT": str(self.folder / "devlint"), "DEVLINT_CACHE_DIR": cache, "FORMAT": form, "REPORT": report}
        return self.step("Check", PATHS=paths, ARGS=args, **given)

    def outputs(self) -> dict[str, str]:
        """What the last step wrote into GITHUB_OUTPUT."""
        return dict(line.split("=", 1) for line in self.written.read_text().splitlines())


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    runner = Runner(tmp_path)
    runner.code_folder.joinpath("a.py").write_text("import torch\n\nx = torch.zeros(2).cuda()\n")
    return runner


def test_findings_are_annotated_and_reported(runner: Runner) -> None:
    import json

    report = runner.folder / "devlint.sarif"
    result = runner.check(report=str(report))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("::error title=devlint DEV101 cuda-method,file=a.py,line=3,col=20,")
    assert runner.outputs() == {"exit-code": "1", "sarif-file": str(report)}
    assert json.loads(report.read_text())["runs"][0]["results"][0]["ruleId"] == "DEV101"


def test_paths_and_arguments_stand_on_lines_of_their_own(runner: Runner) -> None:
    spaced = runner.code_folder / "a folder"
    spaced.mkdir()
    spaced.joinpath("--b.py").write_text("import torch\n\ny = torch.zeros(2).cuda()\n")
    result = runner.check("a folder\n", "--ignore\nDEV102\n", "concise")
    assert result.stdout.startswith("a folder/--b.py:3:20: DEV101 ")
    assert "\na.py" not in result.stdout
    assert runner.check(args="--ignore\nDEV1", form="concise").stdout == "All checks passed!\n"
    assert runner.outputs() == {"exit-code": "0"}
    marked = runner.folder / "marked"
    runner.check(f"$(touch {marked})\n; touch {marked}")
    assert runner.outputs()["exit-code"] == "2" and not marked.exists()


def test_what_devlint_cannot_do_is_told_in_the_report(runner: Runner) -> None:
    report = runner.folder / "devlint.sarif"
    assert runner.check("a.py\nnone.py", report=str(report)).returncode == 0
    assert runner.outputs()["exit-code"] == "2" and report.stat().st_size > 0
    report.unlink()
    assert runner.check(args="--selekt\nDEV1", report=str(report)).returncode != 0
    assert runner.outputs() == {"exit-code": "2"}


@pytest.mark.parametrize(
    ("code", "fail", "ends"),
    [("0", "true", 0), ("1", "true", 1), ("1", "false", 0), ("2", "false", 2), ("2", "true", 2)],
)
def test_the_result(runner: Runner, code: str, fail: str, ends: int) -> None:
    assert runner.step("Result", CODE=code, FAIL=fail).returncode == ends


@pytest.mark.parametrize(
    ("version", "what"), [("", "/the action"), ("1.2.3", "devlint==1.2.3"), ("1; id", "devlint==1; id")]
)
@pytest.mark.parametrize("programs", ["bin", "Scripts"])
def test_what_is_installed(runner: Runner, version: str, what: str, programs: str) -> None:
    """With a Python that only notes what it is told: real ones are tried by `make package` and the image."""
    log, folder = runner.folder / "log", runner.folder / "a place"
    inner = folder / programs
    inner.mkdir(parents=True)
    python = inner / "python"
    python.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> "{log}"\n')
    python.chmod(0o755)
    result = runner.step(
        "Install devlint", PYTHON=str(python), FOLDER=str(folder), SOURCE="/the action", VERSION=version
    )
    assert (result.returncode, result.stderr) == (0, "")
    told = log.read_text().splitlines()
    assert told[:3] == ["-m", "venv", str(folder)]
    assert (told[3:6], told[-1]) == (["-m", "pip", "install"], what)
    assert runner.outputs() == {"devlint": f"{inner}/devlint"}
