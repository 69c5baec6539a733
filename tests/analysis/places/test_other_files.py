"""What a file uses of the other files of its project, asked there."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from devlint.analysis.places.results.missing_devices import missing_devices
from devlint.analysis.project.disk import READ
from devlint.analysis.project.project import Index, Project

HEAD = "import torch\nfrom torch import nn\nfrom .other import Base, Rotary, at, number, padded, plain\n"
OTHER = """import torch
from torch import nn

class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.offset = torch.ones(2)
    def scaled(self, t):
        return t * self.layer.weight

class Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("frequency", torch.ones(4))
    def forward(self, x, steps):
        return x, steps * self.frequency

def at(n, device):
    return torch.arange(n).to(device)

def padded(x, mask):
    return torch.cat([x, mask.flip(-1)])

def number(x):
    if x.is_cuda:
        return x.sum()
    return 1

def plain(thing: "Thing"):
    return torch.zeros(3, device=thing.device)
"""
PROGRAMS = [
    ("def f(x, device):\n    x = x.to(device)\n    return padded(x, torch.ones(4))\n", "ones torch.cat"),
    ("def f(n, device):\n    return at(n, device) + torch.ones(4)\n", "ones +"),
    ("class A(Base):\n    def f(self, n):\n        return self.scaled(torch.ones(2))\n", "ones *"),
    ("class A(Base):\n    def f(self, n):\n        return self.layer(torch.ones(2))\n", "ones nn.Linear"),
    (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.rotary = Rotary()\n"
        "    def forward(self, x):\n        return self.rotary(x, torch.arange(4))\n",
        "arange *",
    ),
    # What another file makes on the CPU, gives sometimes, or makes where an unknown object is, says nothing here.
    ("class A(Base):\n    def f(self, n):\n        return self.offset + torch.ones(2)\n", ""),
    ("def f(x, device):\n    return number(x.to(device)) * torch.ones(2)\n", ""),
    ("def f(thing, device):\n    return plain(thing) + torch.ones(3)\n", ""),
    ("def f(n, device):\n    return at(n, None) + torch.ones(4)\n", ""),
]


def project_of(folder: Path, text: str) -> Project:
    (folder / "__init__.py").write_text("")
    (folder / "other.py").write_text("from .inner import Base, Rotary, at, number, padded, plain\n")
    (folder / "inner.py").write_text(OTHER)
    (folder / "program.py").write_text(text)
    return Project(str(folder / "program.py"), Index())


@pytest.mark.parametrize(("text", "expected"), PROGRAMS)
def test_what_meets_in_other_files(tmp_path: Path, text: str, expected: str) -> None:
    found = missing_devices(HEAD + text, project_of(tmp_path, HEAD + text))
    assert "; ".join(f"{one.maker} {one.kind}" for one in found) == expected


def test_each_file_that_was_asked_is_noted_each_time(tmp_path: Path) -> None:
    text = HEAD + PROGRAMS[0][0]
    project = project_of(tmp_path, text)
    for _ in range(2):
        project.index.disk.asked = {}
        assert missing_devices(text, project)
        asked = {Path(one.partition(":")[2]).name for one in project.index.disk.asked if one.startswith(READ)}
        assert asked == {"other.py", "inner.py"}


def test_another_file_that_does_not_parse_costs_nothing_of_this_one(tmp_path: Path) -> None:
    text = HEAD + "def f(x, device):\n    return padded(x.to(device), torch.ones(4)) + x.to(device) * torch.zeros(2)\n"
    project = project_of(tmp_path, text)
    (tmp_path / "inner.py").write_text("def padded(x, mask):\n    return (x\n")
    assert [one.maker for one in missing_devices(text, project)] == ["zeros"]


CIRCLE = {
    "one.py": "import torch\nfrom .two import Two, there\n\ndef here(x, n):\n    return there(x, n - 1) if n else x\n"
    "class One(Two):\n    def forward(self, x):\n        return self.layer(x) + self.offset + torch.ones(2)\n"
    "def use(x, device):\n    return here(x.to(device), 2) + torch.zeros(2)\n",
    "two.py": "import torch\nfrom torch import nn\nfrom .one import One, here\nfrom .three import padded\n"
    "def there(x, n):\n    return here(padded(x, n), n - 1) if n else x\n"
    "class Two(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layer = nn.Linear(2, 2)\n"
    "        self.offset = torch.ones(2)\n"
    "def use(x, device):\n    return there(x.to(device), 2) + torch.zeros(3)\n",
    "three.py": "import torch\nfrom .one import here\nfrom .two import there as again\n"
    "def padded(x, n):\n    return here(x, n) + torch.ones(n) if n else again(x, n)\n"
    "def use(x, device):\n    return padded(x.to(device), 2) * torch.zeros(4)\n",
}


def test_the_order_of_files_that_import_each_other_changes_no_answer(tmp_path: Path) -> None:
    for name, text in {"__init__.py": "", **CIRCLE}.items():
        (tmp_path / name).write_text(text)

    def found(name: str, index: Index) -> tuple[object, ...]:
        return missing_devices(CIRCLE[name], Project(str(tmp_path / name), index))

    alone = {name: found(name, Index()) for name in CIRCLE}
    assert any(alone.values())
    for order in permutations(CIRCLE):
        shared = Index()
        assert {name: found(name, shared) for name in order} == alone
