"""Small projects whose files need each other: what safe fixes make of them, and that they do the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.verify.matrix import Task, verify
from devlint.verify.observer import Observer
from devlint.verify.program import Program
from tests.support.projects import NAMES, fix_files, sections, write_files


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_fixes_are_the_expected_ones(tmp_path: Path, name: str, jobs: int) -> None:
    assert fix_files(write_files(tmp_path / name, sections(name, "before")), jobs) == sections(name, "after")


@pytest.mark.parametrize("name", NAMES)
def test_fixing_again_changes_nothing(tmp_path: Path, name: str) -> None:
    files = {**sections(name, "before"), **sections(name, "after")}
    assert fix_files(write_files(tmp_path / name, files)) == {}


@pytest.mark.parametrize("name", NAMES)
def test_a_fixed_project_does_the_same(observer: Observer, tmp_path: Path, name: str) -> None:
    before = write_files(tmp_path / "before", sections(name, "before"))
    after = write_files(tmp_path / "after", {**sections(name, "before"), **sections(name, "after")})
    task = Task(name, Program(str(before / "main.py")), Program(str(after / "main.py")), runs_on_cpu=True)
    verdict = verify(observer, task, ("cpu", "simulated"))
    observer.forget()
    assert verdict.holds, verdict
