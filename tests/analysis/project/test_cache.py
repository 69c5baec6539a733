"""A stored result holds while other files give the same answers: those that exist, and those that do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from devlint.analysis.project import searches
from devlint.analysis.project.disk import Disk
from devlint.analysis.project.project import Index
from devlint.sources.gitignore import FileFilter
from tests.support.cached import Project, cached

__all__ = ["cached"]

USE = "import torch\n\nfrom config import SIZE\n\n\ndef make():\n    return torch.ones(SIZE).cuda()\n"
CONFIG = 'import torch\n\nSIZE = 2\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'


@pytest.fixture(params=["unchanged", "changed just now"])
def project(cached: Project, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Known once; where files have changed just now, the state of a folder tells nothing, and it is searched again."""
    if request.param == "changed just now":
        monkeypatch.setattr(Disk, "state", lambda *_: "")
    cached.write("setup.py", "")
    cached.write("use.py", USE)
    cached.write("config.py", CONFIG)
    assert "use.py" in cached.check().looked
    assert cached.check().looked == []
    return cached


def test_nothing_is_asked_again_where_nothing_bears_on_it(project: Project) -> None:
    project.write("unrelated.py", "x = 1\n")
    assert project.check().looked == ["unrelated.py"]
    project.write("net.py", "class Net:\n    def __init__(self, d):\n        self.device = d\n")
    assert project.check().looked == ["net.py"]


def test_a_file_that_sets_the_device(project: Project) -> None:
    project.write("setter.py", "import config\n\nconfig.device = 3\n")
    assert "use.py" in project.check().looked


def test_the_file_that_exports_it(project: Project) -> None:
    project.write("config.py", "SIZE = 2\n")
    assert "use.py" in project.check().looked


def test_a_file_that_comes_before_another(project: Project) -> None:
    project.write("config/__init__.py", "SIZE = 2\n")
    assert "use.py" not in project.check().looked  # config.py is found first
    (project.root / "config.py").unlink()
    assert "use.py" in project.check().looked


def test_an_exclusion_of_the_file_that_sets_it(project: Project) -> None:
    project.write("setter.py", "import config\n\nconfig.device = 3\n")
    project.check()
    assert project.check().looked == []
    project.write("devlint.toml", 'extend-exclude = ["setter.py"]\n')
    assert "use.py" in project.check().looked


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that are searched."""
    found: list[str] = []
    original = Disk.holding

    def holding(disk: Disk, root: str, *rest: Any) -> Any:
        found.append(root)
        return original(disk, root, *rest)

    monkeypatch.setattr(Disk, "holding", holding)
    return found


def test_an_unchanged_folder_is_not_searched_again(cached: Project, searched: list[str]) -> None:
    for name, text in {"setup.py": "", "use.py": USE, "config.py": CONFIG}.items():
        cached.write(name, text)
    cached.run("check")
    assert searched
    searched.clear()
    cached.run("check")
    assert searched == []
    cached.write("unrelated.py", "x = 1\n")
    cached.run("check")
    assert searched, "another file may give another answer"
    searched.clear()
    cached.run("check")
    assert searched == [], "it gave the same answer, and is part of the folder now"


def test_what_a_search_reads_outside_of_its_folder_counts(cached: Project) -> None:
    disk = Disk()
    index = Index(disk)
    above = cached.write("above.py", "device = 1\n")
    inside = cached.write("inner/pyproject.toml", "").parent

    def find(index: Index, paths: Iterable[str], name: str) -> Iterator[Any]:
        yield [index.names(str(above)), *paths]

    what = searches.Search("test", lambda name: (name.encode(),), find)
    cached.write("inner/use.py", USE)
    searches.search_below(index, FileFilter(), str(inside), what, "make")
    assert {one.partition(":")[0] for one in disk.asked} == {"test", "listed", "read"}
    assert f"read:{above}" in disk.asked and f"read:{inside / 'use.py'}" not in disk.asked


def test_what_is_kept_depends_on_its_files_for_everyone_who_asks(cached: Project) -> None:
    disk = Disk()
    path = str(cached.write("config.py", CONFIG))
    counted: list[str] = []

    def size() -> int:
        counted.append(path)
        return len(disk.read(path) or b"")

    for _ in range(2):
        disk.asked = {}
        assert disk.kept("size", size) == len(CONFIG)
        assert [*disk.asked] == [f"read:{path}"]
    assert counted == [path]
