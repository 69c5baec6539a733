"""Flags decide about what is moved without asking only where the two may be in one computation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

CLASS = """\
import argparse
import torch
from torch import nn


class Trainer:
    def __init__(self, args):
        self.use_cuda = not args.cpu
        self.net = nn.Linear(2, 2)
        if self.use_cuda:
            self.net.cuda()
        self.critic = nn.Linear(2, 2).cuda()

    def step(self, x):
        if self.use_cuda:
            x = x.cuda()
        return self.net(x)

    def score(self, x):
        return self.critic({})


parser = argparse.ArgumentParser()
parser.add_argument("--cpu", action="store_true")
trainer = Trainer(parser.parse_args())
print(trainer.step(torch.ones(1, 2)))
print(trainer.score(torch.ones(1, 2)))
"""
FUNCTION = """\
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
use_cuda = not args.no_cuda and torch.cuda.is_available()
net = nn.Linear(2, 2)
if use_cuda:
    net.cuda()


def features(x):
    other = nn.Linear(2, 2).cuda()
    return other(x.cuda())


x = torch.ones(1, 2)
print(net(x.cuda() if use_cuda else x))
print({})
"""


def _fixed(tmp_path: Path, text: str) -> str:
    return fix_files(write_files(tmp_path / "p", {"README.md": "", "main.py": text}))["main.py"]


@pytest.mark.parametrize(("given", "follows"), [("x.cuda()", False), ("self.step(x).cuda()", False), ("self.net(x)", True)])  # fmt: skip
def test_parts_of_an_instance_that_never_meet(tmp_path: Path, given: str, follows: bool) -> None:
    after = _fixed(tmp_path, CLASS.format(given))
    assert ("self.critic = nn.Linear(2, 2).to(self.device)" in after) is follows
    assert '"cuda" if torch.cuda.is_available()' in after or follows


@pytest.mark.parametrize(
    ("used", "follows"),
    [
        ("features(x)", False),
        ("features(x) + net(x)", True),
        ("net(features(x))", True),
        ("map(features, [net])", True),
    ],
)
def test_a_function_that_is_only_given_what_it_moves(tmp_path: Path, used: str, follows: bool) -> None:
    after = _fixed(tmp_path, FUNCTION.format(used))
    assert ('"cuda" if use_cuda' in after) is follows
