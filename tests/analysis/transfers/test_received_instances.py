"""Instances of a class with a `cuda` and no `to`, which a program gets from lists, functions and attributes."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint import fix

PARTS = """
import contextlib
import importlib

import torch


class Legacy:
    def __init__(self):
        self.layer = torch.nn.Linear(1, 1)
        self.parts = {}

    def cuda(self):
        self.layer.cuda()
        return self


class Batch(list):
    def cuda(self):
        for one in self:
            one.cuda()
        return self


class Agent:
    def __init__(self):
        self.legacy = Legacy()
        self.layer = torch.nn.Linear(1, 1)
        self.others = []
        self.others.append(Legacy())
        self.table = {}
        self.table["a"] = Legacy()

    def first(self):
        return self.others[0]

    def plain(self):
        return self.layer


class Walked:
    def __getitem__(self, index):
        return Legacy()


def several():
    return [Legacy(), Legacy()]


def pair():
    found = Legacy()
    return found, torch.nn.Linear(1, 1)


def named():
    for index in range(2):
        yield str(index), Legacy()


def layers():
    return [torch.nn.Linear(1, 1)]


def collate(rows):
    return Batch(rows)


@contextlib.contextmanager
def opened():
    yield Legacy()


TABLE = {"legacy": Legacy, "layer": torch.nn.Identity}


def chosen(name):
    return TABLE[name]()


def get(name):
    module = importlib.import_module(name)
    return module.Model()


def class_of(name):
    module = importlib.import_module(name)
    return getattr(module, "Model")


def class_again(name):
    return class_of(name) if name else class_again("a")


def layer_class(name):
    return torch.nn.Identity


def known(name):
    return torch.nn.Linear(len(TABLE[name]), 1)
"""


@pytest.mark.parametrize(
    ("line", "is_safe"),
    [
        ("one = parts.several()[0]\none.cuda()", False),
        ("one = parts.class_of('a')\none = one(1)\none.cuda()", False),
        ("one = parts.class_again('a')(1)\none.cuda()", False),
        ("one = parts.layer_class('a')\none = one()\none.cuda()", True),
        ("several = [parts.Legacy() for _ in range(2)]\nseveral = [one.cuda() for one in several]", False),
        ("for one in parts.several():\n    one.cuda()", False),
        ("for one in dict(a=parts.Legacy()).values():\n    one.cuda()", False),
        ("def run(*all):\n    for one in all:\n        one.cuda()\nrun(parts.Legacy(), 1)", False),
        ("def run(first, *all):\n    for one in all:\n        one.cuda()\nrun(parts.Legacy(), 1)", True),
        ("def run(**all):\n    all['a'].cuda()\nrun(a=parts.Legacy())", False),
        ("for index, one in enumerate(parts.several()):\n    one.cuda()", False),
        ("one, other = parts.pair()\none = one.cuda()", False),
        ("one = parts.pair()[0]\none = one.cuda()", False),
        ("for name, one in parts.named():\n    one.cuda()", False),
        ("table = dict(parts.named())\nfor one in table.values():\n    one.cuda()", False),
        ("table = dict(parts.named())\none = table.get('1')\none.cuda()", False),
        ("agent = parts.Agent()\nagent.legacy.cuda()", False),
        ("agent = parts.Agent()\nfor one in agent.others:\n    one.cuda()", False),
        ("agent = parts.Agent()\nfor one in agent.table.values():\n    one.cuda()", False),
        ("agent = parts.Agent()\none = agent.first()\none.cuda()", False),
        ("one = parts.several()[0] if name else None\none.cuda()", False),
        ("one = next(iter(parts.several()))\none.cuda()", False),
        ("for one in parts.Walked():\n    one.cuda()", False),
        ("def make():\n    return parts.Legacy()\none = make()\none.cuda()", False),
        ("def run(kept):\n    kept = parts.several()\n    one = kept.pop()\n    one.cuda()", False),
        ("rows = torch.utils.data.DataLoader([], collate_fn=parts.collate)\nfor one in rows:\n    one.cuda()", False),
        ("with parts.opened() as one:\n    one.cuda()", False),
        ("one = parts.chosen(name)\none.cuda()", False),
        ("one = parts.get(name)\none.cuda()", False),
        ("one = getattr(parts, name)()\none.cuda()", False),
        ("make = functools.partial(parts.Legacy)\none = make()\none.cuda()", False),
        ("make = lambda: parts.Legacy()\none = make()\none.cuda()", False),
        ("one = parts.known(name)\none.cuda()", True),
        ("make = functools.partial(torch.zeros, 1)\none = make()\none = one.cuda()", True),
        ("agent = parts.Agent()\nagent.layer.cuda()", True),
        ("agent = parts.Agent()\none = agent.plain()\none.cuda()", True),
        ("for one in parts.layers():\n    one.cuda()", True),
        ("for one in parts.several():\n    one.layer.cuda()", True),
        ("batch = parts.collate([torch.ones(1)])\nfor one in batch:\n    one = one.cuda()", True),
        ("rows = parts.several()\none = torch.stack(rows)\none = one.cuda()", True),
        ("def run(rows):\n    one = rows[0].layer\n    one.cuda()", True),
    ],
)
def test_a_receiver_is_followed_to_its_class(tmp_path: Path, line: str, is_safe: bool) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "parts.py").write_text(PARTS)
    program = tmp_path / "main.py"
    program.write_text(f"import functools\nimport torch\n\nimport parts\n\nname = __name__\n{line}\n")
    assert (".cuda()" not in fix(program, isolated=True).text) is is_safe


PLACES = """
import torch


def place_all(several):
    for one in several:
        one.cuda()


def place(one):
    one.cuda()


class Holder:
    def __init__(self, one):
        self.one = one

    def start(self):
        self.one.cuda()

    def take(self, other):
        other.cuda()
"""


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("places.place_all(parts.several())", 3),
        ("places.place(one=parts.Legacy())", 3),
        ("holder = places.Holder(parts.Legacy())", 3),
        ("holder = places.Holder(None)\nholder.take(parts.Legacy())", 3),
        ("def run(one):\n    places.place(one)\nrun(parts.Legacy())", 3),
        ("places.place(torch.zeros(1))\nparts.place(parts.Legacy())", 4),
        ("other = make()\nother.take(parts.Legacy())", 4),
    ],
)
def test_a_parameter_is_followed_to_the_calls_of_other_files(tmp_path: Path, line: str, count: int) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "parts.py").write_text(PARTS)
    (tmp_path / "main.py").write_text(f"import torch\n\nimport parts\nimport places\n\n{line}\n")
    program = tmp_path / "places.py"
    program.write_text(PLACES)
    assert fix(program, isolated=True).text.count(".to(") == count


def test_a_class_made_of_a_named_tuple_is_known(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("")
    base = "from collections import namedtuple\n\nPair = namedtuple('Pair', ['x', 'y'])\n\n\n"
    own = "class Batch(Pair):\n    def cuda(self):\n        return Batch(self.x.cuda(), self.y.cuda())\n"
    (tmp_path / "batches.py").write_text(base + own)
    program = tmp_path / "main.py"
    program.write_text("import torch\n\n\ndef run(rows):\n    for batch in rows:\n        batch = batch.cuda()\n")
    assert ".cuda()" in fix(program, isolated=True).text
