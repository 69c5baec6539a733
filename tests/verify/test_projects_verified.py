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


PLACED = {"old": ".cuda()", "new": '.to("cuda" if torch.cuda.is_available() else "cpu")'}
WHERE = """\
import os
import torch

here = os.path.dirname(os.path.abspath(__file__))
data = os.path.join(os.path.dirname(here), "data")
torch.save({"data": data, "sum": torch.ones(2)REST.sum()}, "where.pt")
"""


def test_places_of_the_project_may_be_those_of_its_copy(observer: Observer, tmp_path: Path) -> None:
    old, new = (
        write_files(tmp_path / name, {"app/where.py": WHERE.replace("REST", rest)}) for name, rest in PLACED.items()
    )
    task = Task("where", *(Program(str(one / "app/where.py"), project=str(one)) for one in (old, new)))
    verdict = verify(observer, task, ("cpu", "simulated"))
    observer.forget()
    assert verdict.holds, verdict


@pytest.mark.parametrize(
    ("path", "name"), [("package/inner/program.py", "package.inner.program"), ("p/__main__.py", "p")]
)
def test_a_module_of_a_package_is_told_how_to_run(observer: Observer, tmp_path: Path, path: str, name: str) -> None:
    folders = [f"{above}/__init__.py" for above in Path(path).parents if above.name]
    write_files(tmp_path, {**dict.fromkeys(folders, ""), path: "from . import other\n"})
    program = Program(str(tmp_path / path), project=str(tmp_path))
    (outcome,) = verify(observer, Task("module", program, program), ("cpu",)).outcomes
    observer.forget()
    assert outcome.detail == f"the original is a module of a package: devlint fix --verify 'python -m {name}'"
