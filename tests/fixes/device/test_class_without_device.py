"""Classes that get no device of their own, since instances may be without it or have another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

TRAINER = """import torch
{}

class Trainer{}:
    {}

    def __init__({}, net):
        {}
        self.net = net.cuda()

    def step(self, x):
        return self.net(x.cuda())

    {}
"""


@pytest.mark.parametrize(
    ("head", "bases", "above", "line", "below", "is_shared"),
    [
        ("", "", "", "", "", True),
        ("", "", "device = 'cpu'", "", "", False),
        ("", "", "device: str", "", "", False),
        ("", "", "__slots__ = ['net']", "", "", False),
        ("", "", "", "for k, v in net: setattr(self, k, v)", "", False),
        ("", "", "", "setattr(net, 'a', 3)", "", True),
        ("", "", "", "", "def save(self):\n        return dict(vars(self))", False),
        ("", "", "", "", "def save(self):\n        return self.__dict__.copy()", False),
        ("", "", "", "", "def __getattr__(self, name):\n        return getattr(self.net, name)", False),
        ("", "", "", "", "def __setstate__(self, state):\n        self.net = state", False),
        ("", "", "", "", "def __setstate__(self, state):\n        self.__dict__.update(state)", True),
        ("", "", "", "", "def __getstate__(self):\n        return {'net': self.net}", False),
        ("", "", "", "", "def __getstate__(self):\n        return dict(vars(self), net=None)", True),
        ("", "", "", "", "@classmethod\n    def bare(cls):\n        return cls.__new__(cls)", False),
        ("", "", "", "", "def __new__(cls, net):\n        return super().__new__(cls)", True),
        ("def bare():\n    return Trainer.__new__(Trainer)\n", "", "", "", "", False),
        ("def where(net):\n    return getattr(net, 'device', 'cpu')\n", "", "", "", "", False),
        ("def where(args):\n    return getattr(args, 'device', 'cpu')\n", "", "", "", "", True),
        ("def show(trainer):\n    print(vars(trainer))\n", "", "", "", "", False),
        ("import attr\n\n@attr.s(slots=True, init=False)", "", "net = attr.ib()", "", "", False),
        ("import attrs\n\n@attrs.define(init=False)", "", "net: object", "", "", False),
        ("import tools\n\n@tools.register", "", "", "", "", True),
        ("class Base:\n    def __init__(self):\n        self.step(1)\n", "(Base)", "", "super().__init__()", "", False),
        ("class Base:\n    def __init__(self):\n        self.load()\n", "(Base)", "", "super().__init__()", "", True),
        ("from base import Base\n", "(Base)", "", "super().__init__()", "", False),
    ],
)
def test_a_class_that_may_be_without_its_device(
    tmp_path: Path, head: str, bases: str, above: str, line: str, below: str, is_shared: bool
) -> None:
    base = "class Base:\n    def __init__(self):\n        self.begin()\n\n    def begin(self):\n        self.step(1)\n"
    text = TRAINER.format(head, bases, above or "pass", "self", line or "pass", below or "pass")
    files = write_files(
        tmp_path / "p", {"pyproject.toml": "", "base.py": base, "trainer.py": text.replace("\n\nclass", "\nclass")}
    )
    after = fix_files(files)["trainer.py"]
    assert ("self.device = " in after) is is_shared
    assert ".cuda()" not in after


def test_a_class_that_another_file_makes_without_its_device(tmp_path: Path) -> None:
    text = TRAINER.format("", "", "pass", "self", "pass", "pass")
    for line, is_shared in (("Trainer.__new__(Trainer)", False), ("Trainer(3)", True)):
        use = f"from trainer import Trainer\n\n\ndef make():\n    return {line}\n"
        files = write_files(tmp_path / line[:9], {"pyproject.toml": "", "use.py": use, "trainer.py": text})
        assert ("self.device = " in fix_files(files)["trainer.py"]) is is_shared


@pytest.mark.parametrize(
    ("use", "is_shared"),
    [
        ("def save(agent, file):\n    json.dump(vars(agent), file)", False),
        ("def save(agent, file):\n    json.dump({k: v for k, v in agent.__dict__.items() if k != 'net'}, file)", False),
        ("def where(thing):\n    return thing.device if hasattr(thing, 'device') else 'cuda:1'", False),
        ("def save(args, file):\n    json.dump(vars(args), file)", True),
        ("def lr(agent):\n    return agent.__dict__['lr'] if 'lr' in vars(agent) else vars(agent).get('rate')", True),
        ("def where(agent):\n    return hasattr(agent, 'net')", True),
        ("def read(parser):\n    return vars(parser.parse_args())", True),
        ("def read(parser):\n    return vars(parser.parse_known_args()[0])", True),
        ("def read(maker):\n    return vars(maker.agent())", False),
        ("import nets\n\n\ndef names():\n    return sorted(nets.__dict__)", True),
        ("from nets import agent\n\n\ndef names():\n    return sorted(agent.__dict__)", False),
        ("import nets\n\n\ndef names(nets):\n    return sorted(nets.__dict__)", False),
        ("from torchvision import models\n\n\ndef names():\n    return sorted(models.__dict__)", True),
        ("class Size:\n    def __eq__(self, other):\n        return self.__dict__ == other.__dict__", True),
        ("def same(agent, other):\n    return agent.__dict__ == other.__dict__", False),
    ],
)
def test_a_class_whose_instances_another_file_may_read_whole(tmp_path: Path, use: str, is_shared: bool) -> None:
    text = TRAINER.format("", "", "pass", "self", "pass", "pass")
    files = write_files(tmp_path / "p", {"use.py": f"import json\n\n\n{use}\n", "trainer.py": text})
    after = fix_files(files)["trainer.py"]
    assert ("self.device = " in after) is is_shared
    assert ".cuda()" not in after
