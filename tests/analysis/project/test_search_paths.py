"""Modules in folders that a file adds to ``sys.path`` by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.analysis.project.project import Index
from tests.support.projects import write_files


def found(folder: Path, lines: str, module: str = "layers") -> str | None:
    """Where the module is that a file below ``src/models`` imports, seen from the project."""
    files = {"pyproject.toml": "", "src/base/layers.py": "", "src/models/net.py": lines, "src/models/deep/a.py": ""}
    root = write_files(folder, files)
    path = Index().path(str(root / "src" / "models" / "net.py"), module)
    return None if path is None else Path(path).relative_to(root).as_posix()


@pytest.mark.parametrize(
    "line",
    [
        'sys.path.append("./base/")',
        "sys.path.append('base')",
        'sys.path.insert(0, "src/base")',
        "sys.path.insert( 1, r'../base' )",
    ],
)
def test_a_folder_that_is_added(line: str, tmp_path: Path) -> None:
    assert found(tmp_path, f"import sys\n{line}\nimport layers\n") == "src/base/layers.py"


@pytest.mark.parametrize(
    "line",
    ["", 'print("base")', 'sys.path.append("other")', "sys.path.append(base)", 'sys.path.append("/base")'],
)
def test_nothing_else_is_looked_at(line: str, tmp_path: Path) -> None:
    assert found(tmp_path, f"import sys\n{line}\nimport layers\n") is None


def test_what_is_nearer_is_found_first_and_never_the_file_itself(tmp_path: Path) -> None:
    lines = 'import sys\nsys.path.append("models/deep")\nsys.path.append("models")\n'
    assert found(tmp_path, lines, "a") == "src/models/deep/a.py"
    assert found(tmp_path, lines, "net") is None


@pytest.mark.parametrize(("mark", "is_found"), [("setup.py", True), ("pyproject.toml", True), (".git", False)])
def test_a_project_in_another_one_finds_what_stands_at_its_top(tmp_path: Path, mark: str, is_found: bool) -> None:
    files = {"setup.py": "", "layers/__init__.py": "", f"part/{mark}": "", "part/jobs/run.py": "import layers\n"}
    root = write_files(tmp_path / "top", files)
    path = Index().path(str(root / "part" / "jobs" / "run.py"), "layers")
    assert path == (str(root / "layers" / "__init__.py") if is_found else None)
