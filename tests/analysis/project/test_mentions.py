"""A function that several functions of a file share, beside names that come by a star import."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

SHARED = "def get_device():\n"
FILE = """import torch
from tools import *


def first(x):
    y = x.cuda()
    return y, x.cuda()


def second(x):
    y = x.cuda()
    return y, x.cuda()
"""


def fixed(tmp_path: Path, text: str = FILE, **others: str) -> str:
    files = {f"{name}.py": other for name, other in others.items()}
    return fix_files(write_files(tmp_path / "p", {"use.py": text, **files}), unsafe=False)["use.py"]


@pytest.mark.parametrize("tools", ["SIZE = 2\n", "def get_devices():\n    return []\n"])
def test_one_function_for_all(tmp_path: Path, tools: str) -> None:
    text = fixed(tmp_path, tools=tools)
    assert SHARED in text
    assert text.count("    device = get_device()\n") == 2


def test_another_file_knows_the_name(tmp_path: Path) -> None:
    text = fixed(tmp_path, tools="SIZE = 2\n", other="from use import *\n\nx = first(get_device())\n")
    assert SHARED not in text
    assert "def default_device():\n" in text
    names = "get_device = default_device = get_torch_device = None\n"
    assert "def " + "get" not in fixed(tmp_path, tools=names)
