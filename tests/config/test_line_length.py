"""The length of lines of a project: whoever says one, formatters first, the nearest folder first."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint import fix
from devlint.config.line_length import line_length, of_folder

FILES = [
    ("pyproject.toml", "[tool.ruff]\nline-length = 100\n", 100),
    ("pyproject.toml", "[tool.black]\nline-length = 99\n[tool.isort]\nline_length = 79\n", 99),
    ("pyproject.toml", "[tool.black]\n", 88),
    ("pyproject.toml", "[tool.isort]\nline_length = 79\n", 79),
    ("pyproject.toml", "[tool.autopep8]\nmax_line_length = 120\n", 120),
    ("pyproject.toml", "[tool.ruff]\nline-length = 0\n", 88),
    ("pyproject.toml", "[tool\n", None),
    ("pyproject.toml", "tool = 1\n", None),
    ("ruff.toml", "line-length = 110\n", 110),
    (".ruff.toml", "[lint]\n", 88),
    ("setup.cfg", "[flake8]\nmax-line-length = 130\n", 130),
    ("setup.cfg", "[pycodestyle]\nmax_line_length = 101\n", 101),
    ("tox.ini", "[flake8]\nmax-line-length = 127\n", 127),
    (".flake8", "[flake8]\nmax-line-length=95\n", 95),
    (".flake8", "no section\n", None),
    ("setup.cfg", "[isort]\nline_length = 100\n", 100),
    ("setup.cfg", "[flake8]\nmax-line-length = none\n", None),
]


@pytest.mark.parametrize(("name", "text", "length"), FILES)
def test_whoever_says_it(tmp_path: Path, name: str, text: str, length: int | None) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / name).write_text(text)
    (tmp_path / "package").mkdir()
    assert line_length(str(tmp_path / "package")) == length


def test_the_nearest_counts_and_nothing_above_the_repository(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("line-length = 100\n")
    (tmp_path / "inner" / ".git").mkdir(parents=True)
    assert line_length(str(tmp_path / "inner")) is None
    (tmp_path / "inner" / "setup.cfg").write_text("[flake8]\nmax-line-length = 79\n")
    of_folder.cache_clear()
    assert line_length(str(tmp_path / "inner")) == 79


def test_fixed_lines_keep_to_it(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("[flake8]\nmax-line-length = 79\n")
    file = tmp_path / "a.py"
    file.write_text(
        "import torch\nnet = torch.nn.Linear(2, 3)\nnet.load_state_dict(torch.load('a/longer/name/of/a/file.pt'))\n"
    )
    result = fix(file, isolated=True, select=["DEV404"])
    assert (
        "net.load_state_dict(\n    torch.load('a/longer/name/of/a/file.pt', map_location=\"cpu\")\n)\n" in result.text
    )
    assert fix(result.text, isolated=True, select=["DEV404"]).text == result.text
