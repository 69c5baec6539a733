"""What speed is measured on: the corpus C, its sample S, copies of C, and single files that are always the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.corpus_packages import pinned, projects

REQUIREMENTS = Path(__file__).with_name("speed_packages.txt")
COPIES = 4
EVERY = 8
"""S is every eighth file of C."""

_IMPORTS = '''"""A model, as programs have them."""

import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
'''

_BLOCK = '''

class Block{number}(nn.Module):
    """Layer {number} of the model: norm, two projections, and what came in added to what comes out."""

    def __init__(self, width: int = {width}, dropout: float = 0.1) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.expand = nn.Linear(width, 4 * width)
        self.reduce = nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(dropout)
        self.scale = 1 / math.sqrt(width)

    def forward(self, x, mask=None):
        y = self.reduce(F.gelu(self.expand(self.norm(x))))
        if mask is not None:
            y = y.masked_fill(mask, 0.0)
        for name, value in self.named_parameters():
            if name.endswith("weight") and value.ndim > 1:
                y = y * self.scale + value.mean()
        return x + self.dropout(y)
'''

_TIED = '''

def step{number}(model):
    """A step that needs CUDA, {number}."""
    model = model.cuda()
    x = torch.randn(8, 16).cuda()
    y = torch.zeros(8, 16, device="cuda")
    z = torch.cuda.FloatTensor(8, 16)
    device = torch.device("cuda")
    return model(x.to(device), y) + z
'''

_AWARE = '''

def step{number}(model, x, device=None):
    """A step on any device, {number}: cuda where there is cuda."""
    device = device or torch.device("cuda" if torch.cuda.is_available() else "cpu")
    y = torch.zeros(8, 16, device=device)
    return model(x.to(device), y)
'''


def program(lines: int, steps: Iterable[str] = ()) -> str:
    """A program of that many lines, with the given functions between its classes."""
    parts, length, number = [_IMPORTS], _IMPORTS.count("\n"), 0
    left = list(steps)
    space = lines - sum(step.count("\n") for step in left)
    share = len(left)
    while length + _BLOCK.count("\n") <= space:
        parts.append(_BLOCK.format(number=number, width=64 + number))
        length += _BLOCK.count("\n")
        number += 1
        due = share - share * length // max(space, 1)
        while len(left) > due:
            parts.append(left.pop())
    parts += left
    missing = lines - sum(part.count("\n") for part in parts)
    return "".join(parts) + "".join(f"# {index}\n" for index in range(missing))


def tied(count: int) -> list[str]:
    """Functions with five findings each, each with a fix that is safe."""
    return [_TIED.format(number=number) for number in range(count)]


def aware(count: int) -> list[str]:
    """Functions that hold the words that rules look for, and nothing to find."""
    return [_AWARE.format(number=number) for number in range(count)]


FILES: dict[str, Callable[[], str]] = {
    "clean.py": lambda: program(1400),
    "words.py": lambda: program(1400, aware(10)),
    "five.py": lambda: program(300, tied(1)),
    "five_long.py": lambda: program(1400, tied(1)),
    "thirty.py": lambda: program(1500, tied(6)),
}


def write_files(folder: Path) -> None:
    """Write the single files."""
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        folder.joinpath(name).write_text(text(), encoding="utf-8")


def write_corpus(folder: Path) -> None:
    """Copy the files of C into a folder; they are downloaded where they are missing."""
    for _, package in projects(pinned(REQUIREMENTS), REQUIREMENTS):
        for path in sorted(package.rglob("*.py")):
            _copy(path, folder / path.relative_to(package))


def write_sample(corpus: Path, folder: Path) -> None:
    """Copy every eighth file of C."""
    for path in sorted(corpus.rglob("*.py"))[::EVERY]:
        _copy(path, folder / path.relative_to(corpus))


def write_copies(corpus: Path, folder: Path) -> None:
    """Copy C several times; no file is equal to another copy of it, lest it be looked up instead of read."""
    for number in range(COPIES):
        for path in sorted(corpus.rglob("*.py")):
            target = folder / str(number) / path.relative_to(corpus)
            _copy(path, target)
            with target.open("ab") as file:
                file.write(b"\n# copy %d\n" % number)


def size(folder: Path) -> tuple[int, int]:
    """How many files there are, and how many bytes in them."""
    sizes = [path.stat().st_size for path in folder.rglob("*.py")]
    return len(sizes), sum(sizes)


def _copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, target)  # with its time, for a cache may look twice at what is new
