"""A program that lacks something is told where the user's project has it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.verify.child.shell_command import keeping_paths
from devlint.verify.comparing.hints import how_to_run, where_a_module_is, where_data_is
from devlint.verify.comparing.verdict import Word
from devlint.verify.matrix import Task, verify
from devlint.verify.observer import Observer
from devlint.verify.program import Limits, Program
from tests.support.projects import write_files

WAITS_FOR_THE_DEAD = """\
import torch
import torch.multiprocessing as mp


def work(queue):
    queue.put(torch.ones(2).cuda().sum().item())


if __name__ == "__main__":
    context = mp.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=work, args=(queue,))
    process.start()
    print(queue.get())
    process.join()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = (
        "src/pkg/__init__.py",
        "src/pkg/train.py",
        "src/single.py",
        "data/train.csv",
        "app/__init__.py",
        "app/go.py",
    )
    write_files(tmp_path, dict.fromkeys(files, ""))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("src/pkg/train.py", "PYTHONPATH=src devlint fix --verify 'python -m pkg.train'"),
        ("app/go.py", "devlint fix --verify 'python -m app.go'"),
    ],
)
def test_a_module_is_run_from_the_folder_of_its_package(project: Path, path: str, told: str) -> None:
    assert how_to_run(str(project / path)) == told


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("No module named 'pkg'", " (it is in {}/src: set PYTHONPATH=src)"),
        ("No module named 'pkg.train'", " (it is in {}/src: set PYTHONPATH=src)"),
        ("No module named 'single'", " (it is in {}/src: set PYTHONPATH=src)"),
        ("No module named 'app'", " (it is in {}: set PYTHONPATH=.)"),
        ("No module named 'elsewhere'", ""),
        ("a message of its own", ""),
    ],
)
def test_a_missing_module_of_the_project_is_found(project: Path, message: str, told: str) -> None:
    assert where_a_module_is(message, str(project)) == told.format(project)
    assert where_a_module_is(message, None) == ""


@pytest.mark.parametrize(
    ("missing", "told"),
    [("data/train.csv", " (--data data)"), ("data/test.csv", ""), ("/data/train.csv", ""), ("train.csv", "")],
)
def test_data_that_is_here_can_be_given(project: Path, missing: str, told: str) -> None:
    assert where_data_is(f"No such file or directory: '{missing}'", str(project / "app/go.py")) == told


def test_data_beside_the_script_is_named_from_here(project: Path) -> None:
    assert where_data_is("No such file or directory: 'pkg'", str(project / "src/run.py")) == " (--data src/pkg)"


@pytest.mark.slow
def test_who_waits_for_a_process_that_died_for_want_of_cuda_newly_works(
    observer: Observer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observer, "limits", Limits(40))
    write_files(tmp_path, {"a/run.py": WAITS_FOR_THE_DEAD, "b/run.py": WAITS_FOR_THE_DEAD.replace(".cuda()", "")})
    task = Task("waits", *(Program(str(tmp_path / name / "run.py")) for name in ("a", "b")))
    (outcome,) = verify(observer, task, ("cpu",)).outcomes
    observer.forget()
    assert outcome.word is Word.NEWLY_WORKS, outcome


@pytest.mark.parametrize("command", ["PYTHONPATH=src %s", "export PYTHONPATH=src; %s", "cd . && PYTHONPATH=. %s"])
def test_a_path_in_the_command_leaves_the_devices(command: str) -> None:
    front = {**os.environ, "PYTHONPATH": "front"}
    shown = f"{sys.executable} -c 'import os; print(os.environ[\"PYTHONPATH\"])'"
    text = keeping_paths(command % shown)
    said = subprocess.run(["sh", "-c", text], env=front, capture_output=True, text=True, check=True)
    assert said.stdout.strip() in ("front:src", "front:.")
