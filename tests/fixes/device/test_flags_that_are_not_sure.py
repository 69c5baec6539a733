"""A device asks no option that need not be there, that may have another value, or that is off unless somebody asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

MODEL = """\
import torch.nn as nn


class Model:
    def __init__(self, opt, train):
        self.opt = opt
        self.net = nn.Linear(3, 3)
        if {test}:
            self.net.cuda()

    def step(self, x):
        if self.opt.cuda:
            x = x.cuda()
        return self.net(x)
"""
OPTIONS = """\
import argparse


def get(train):
    parser = argparse.ArgumentParser()
    {}parser.add_argument("--cuda", action="store_true")
    return parser.parse_args()
"""


@pytest.mark.parametrize(
    ("test", "defined", "kept"),
    [("train and opt.cuda", "if train: ", True), ("train and opt.cuda", "", False), ("opt.cuda", "if train: ", False)],
)
def test_options_of_some_runs(tmp_path: Path, test: str, defined: str, kept: bool) -> None:
    files = {"README.md": "", "model.py": MODEL.format(test=test), "options.py": OPTIONS.format(defined)}
    fixed = fix_files(write_files(tmp_path / "p", files))["model.py"]
    assert ("self.net.cuda()" in fixed) is kept
    assert "x = x.to(" in fixed


CONFIG = "class Config:\n    def __init__(self):\n        self.use_cuda = True\n\n    def merge(self, values):\n{}\n"
NET = (
    "import torch\n\n\nclass Net:\n    def __init__(self, config):\n        self.config = config\n\n"
    "    def start(self, n):\n        h = torch.zeros(n)\n        if self.config.use_cuda:\n            h = h.cuda()\n"
    "        return h\n\n    def end(self, h):\n        if self.config.use_cuda:\n            h = h.cuda()\n"
    "        return h\n"
)


@pytest.mark.parametrize(
    ("body", "is_early"),
    [
        ("        for key in values:\n            self.__dict__[key] = values[key]", False),
        ("        for key, value in values.items():\n            setattr(self, key, value)", False),
        ("        for key in values:\n            setattr(self, key, values[key])", False),
        ("        self.__dict__.update(values)", False),
        ("        vars(self)[values[0]] = values[1]", False),
        ("        print(self.__dict__, values)", True),
    ],
)
def test_options_that_are_set_by_any_name(tmp_path: Path, body: str, is_early: bool) -> None:
    files = {"README.md": "", "config.py": CONFIG.format(body), "net.py": NET}
    assert ("self.device = " in fix_files(write_files(tmp_path / "p", files))["net.py"]) is is_early


OFF = """\
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", {})
args = parser.parse_args()


def train(net):
    x = torch.ones(3).cuda()
    print(net(x))


def evaluate(net):
    x = torch.ones(3)
    if args.cuda:
        x = x.cuda()
        net = net.cuda()
    print(net(x))
    return net


net = torch.nn.Linear(3, 3)
net = evaluate(net)
train(net)
"""


@pytest.mark.parametrize(
    ("given", "by_flag"),
    [
        ('action="store_true"', False),
        ("type=int, default=0", False),
        ("type=int, default=1", True),
        ('action="store_false"', True),
    ],
)
def test_what_asks_no_flag_does_not_go_by_one_that_is_off(tmp_path: Path, given: str, by_flag: bool) -> None:
    fixed = fix_files(write_files(tmp_path / "p", {"README.md": "", "main.py": OFF.format(given)}))["main.py"]
    assert ('"cuda" if args.cuda' in fixed) is by_flag
    assert ".to(device)" in fixed
