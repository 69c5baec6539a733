"""A stored result holds while other files give the same answers: those that exist, and those that do not."""

from __future__ import annotations

import pytest

from tests.support.cached import Project, cached

__all__ = ["cached"]

USE = "import torch\n\nfrom config import SIZE\n\n\ndef make():\n    return torch.ones(SIZE).cuda()\n"
CONFIG = 'import torch\n\nSIZE = 2\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'


@pytest.fixture
def project(cached: Project) -> Project:
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
