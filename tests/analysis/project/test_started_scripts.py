"""Scripts whose names have no ending, ``bin/train``: Python by their first line, and callers like any other file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devlint.analysis.project.changed_files import ChangedAnswers
from devlint.analysis.project.disk import Disk
from devlint.analysis.project.searches import SEPARATOR
from devlint.sources.gitignore import FileFilter
from tests.support.projects import fix_files, write_files

INFER = """import torch
from torch import nn


def infer(path, device):
    model = nn.Linear(2, 2)
    model.load_state_dict(torch.load(path, map_location=torch.device(device)))
    if device != "cpu":
        model.cuda()
    return model
"""
START = """import argparse

from tools.infer import infer

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cpu", type=str)
args = parser.parse_args()
infer("model.pt", device=args.device)
"""


@pytest.mark.parametrize(
    ("name", "first", "is_caller"),
    [
        ("start.py", "", True),
        ("bin/start", "#!/usr/bin/env python3\n", True),
        ("bin/start", "#!/opt/python/bin/python -u\n", True),
        ("bin/start", "#!/bin/sh\n", False),
        ("bin/start", "", False),
        ("start.txt", "#!/usr/bin/env python3\n", False),
    ],
)
def test_calls_a_function_with_an_options_device(tmp_path: Path, name: str, first: str, is_caller: bool) -> None:
    files = {"tools/__init__.py": "", "tools/infer.py": INFER, name: first + START}
    fixed = fix_files(write_files(tmp_path / "p", files), unsafe=False)
    assert ("model.to(device)" in fixed.get("tools/infer.py", INFER)) is not is_caller


def test_a_folder_of_data_is_not_opened(tmp_path: Path) -> None:
    for name in ["labels.py", "run", *(f"label_{number}" for number in range(250))]:
        (tmp_path / name).write_text("#!/usr/bin/python\n")
    listing = Disk().listing(str(tmp_path), FileFilter())
    assert [Path(one[0]).name for one in listing or ()] == ["labels.py"]


def test_a_pipe_without_an_ending_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "queue")
    (tmp_path / "run").write_text("#!/usr/bin/python\n")
    listing = Disk().listing(str(tmp_path), FileFilter())
    assert [Path(one[0]).name for one in listing or ()] == ["run"]


@pytest.mark.parametrize(("first", "concerns"), [("#!/usr/bin/python\n", True), ("#!/bin/sh\n", False)])
def test_one_that_is_changed_answers_otherwise(tmp_path: Path, first: str, concerns: bool) -> None:
    path, asker = str(tmp_path / "start"), str(tmp_path / "use.py")
    before = f"{first}class Cards:\n    def cuda(self):\n        return self\n"
    changed = ChangedAnswers({path: before.encode()}, {path: before.replace("cuda", "gpu").encode()}, [path])
    found = changed.concerned({asker: [f"overrides:{tmp_path}{SEPARATOR}cuda"]})
    assert found == ({asker} if concerns else set())
