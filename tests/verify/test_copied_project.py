"""A program's project is imported from its copy, and nothing that it needs is missing there."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import types
from pathlib import Path

import pytest

from devlint.verify.child.copied_project import import_from_copy
from devlint.verify.rewrites.project_copy import copy_project
from devlint.verify.rewrites.trial import python_of


def test_the_copy_of_a_project_is_imported_where_it_is_installed_as_editable(monkeypatch: pytest.MonkeyPatch) -> None:
    class Finder:
        __module__ = "__editable___finder"

    module = types.ModuleType("__editable___finder")
    module.MAPPING = {"lib": "/project/src/lib", "other": "/elsewhere/other"}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "__editable___finder", module)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    monkeypatch.setattr(sys, "path", ["/project/tools", "/projects", *sys.path])
    monkeypatch.setenv("PYTHONPATH", "/project:/elsewhere")
    new = import_from_copy({"original_project": "/project", "project": "/copy"})
    assert new == ["/copy/tools", "/copy/src"]
    assert sys.path[:2] == ["/copy/tools", "/projects"]
    assert module.MAPPING == {"lib": "/copy/src/lib", "other": "/elsewhere/other"}
    assert os.environ["PYTHONPATH"] == "/copy:/elsewhere"


def installed(site: Path, name: str, **origin: object) -> None:
    """What pip leaves of a package that it has copied."""
    (site / name).mkdir(parents=True)
    (site / name / "__init__.py").write_text("")
    information = site / f"{name}-1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (information / "RECORD").write_text(f"{name}/__init__.py,,\n{name}-1.dist-info/METADATA,,\n")
    if origin:
        (information / "direct_url.json").write_text(json.dumps(origin))


def test_the_copy_is_imported_where_the_project_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    for folder in ("project", "copy"):
        (tmp_path / folder / "src" / "ours").mkdir(parents=True)
        (tmp_path / folder / "src" / "ours" / "__init__.py").write_text("")
        (tmp_path / folder / "src" / "twin.py").write_text("")
    installed(site, "ours", url=(tmp_path / "project").as_uri(), dir_info={})
    installed(site, "twin", url=(tmp_path / "elsewhere").as_uri(), dir_info={})
    monkeypatch.setattr(sys, "path", [str(site)])
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setenv("PYTHONPATH", "")
    folder = str(tmp_path / "copy" / "src")
    assert import_from_copy({"original_project": str(tmp_path / "project"), "project": str(tmp_path / "copy")}) == [
        folder
    ]
    found = {name: getattr(importlib.util.find_spec(name), "origin", None) for name in ("ours", "twin")}
    assert found == {"ours": f"{folder}/ours/__init__.py", "twin": str(site / "twin" / "__init__.py")}
    assert os.environ["PYTHONPATH"] == folder


def test_virtual_environments_are_linked_and_packages_copied(tmp_path: Path) -> None:
    for name, file in ((".venv", "pyvenv.cfg"), ("env", "__init__.py"), (".git", "HEAD"), ("old", "train.py")):
        (tmp_path / "project" / name).mkdir(parents=True)
        (tmp_path / "project" / name / file).write_text("1")
    train = tmp_path / "project" / "old" / "train.py"
    copy_project(str(tmp_path / "project"), str(tmp_path / "copy"), {str(train): b"2"})
    made = {path.name: path.is_symlink() for path in (tmp_path / "copy").iterdir()}
    assert made == {".venv": True, "env": False, "old": False}
    assert (tmp_path / "copy/old/train.py").read_text() == "2" and (
        tmp_path / "copy/env/__init__.py"
    ).read_text() == "1"


def test_a_command_may_name_its_python() -> None:
    commands = ("python train.py", ".venv/bin/python train.py", "/opt/bin/python3.12 -m pytest", "./train.py")
    assert [python_of(command) for command in commands] == [None, ".venv/bin/python", "/opt/bin/python3.12", None]
