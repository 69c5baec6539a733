"""What a checkpoint holds may be on CUDA though the flag is off: its move stays under its test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

KEEPER = """\
import torch
import torch.nn as nn


class Trainer:
    def __init__(self, opt):
        self.cuda = opt.cuda
        self.net = nn.Linear(3, 3)
        self.mean = {mean}

    def restore(self, path):
        saved = torch.load(path)
        self.net.load_state_dict(saved["net"])
        {restored}

    def step(self, x):
        mean = self.mean
        if self.cuda:
            mean = mean.cuda()
        return x - mean
"""


@pytest.mark.parametrize(
    ("mean", "restored", "kept"),
    [
        ("None", 'self.mean = saved["mean"]', True),
        ('torch.load("mean.pt") if opt.cuda else torch.zeros(3)', "pass", True),
        ('torch.load("mean.pt", map_location="cpu")', "pass", False),
        ("torch.zeros(3)", "pass", False),
    ],
)
def test_attributes(tmp_path: Path, mean: str, restored: str, kept: bool) -> None:
    text = KEEPER.format(mean=mean, restored=restored)
    fixed = fix_files(write_files(tmp_path / "p", {"README.md": "", "main.py": text})).get("main.py", text)
    assert ("        if self.cuda:\n" in fixed) is kept


MAIN = """\
import argparse
import torch
{imports}

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
noise = load("x.pt"){part}
if args.cuda:
    noise = noise.cuda()
print(noise)
"""
LOAD = "def load(path):\n    {}\n"


@pytest.mark.parametrize(
    ("body", "part", "kept"),
    [
        ("return torch.load(path)", "", True),
        ("saved = torch.load(path)\n    return saved['noise']", "", True),
        ("return torch.load(path)", "['noise']", True),
        ("return torch.load(path, map_location='cpu')", "", False),
        ("return torch.zeros(3)", "", False),
    ],
)
@pytest.mark.parametrize("is_own", [True, False])
def test_functions(tmp_path: Path, body: str, part: str, kept: bool, is_own: bool) -> None:
    load = LOAD.format(body)
    files = {"main.py": MAIN.format(imports=f"\n\n{load}" if is_own else "from tools import load", part=part)}
    files |= {} if is_own else {"tools.py": f"import torch\n\n\n{load}"}
    fixed = {**files, **fix_files(write_files(tmp_path / "p", {"README.md": "", **files}))}["main.py"]
    assert ("if args.cuda:\n" in fixed) is kept
