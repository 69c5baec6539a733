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


TRAINER = """\
import torch


class Trainer:
    def __init__({own}, args, model):
        {own}.cuda = torch.cuda.is_available() and not args.cpu
        {own}.device = torch.device("cuda" if {own}.cuda else "cpu")
        {own}.model = model.to({own}.device)
        {own}.found = []

    def norm({own}):
        return torch.stack([p.grad.norm() for p in {own}.model.parameters()]).norm()

    def step({own}, sample):
        {own}.model(sample.to({own}.device)).sum().backward()
        {first}
            size = {own}.norm()
            print(size.item())
        {second}
            size = torch.tensor(0.0).cuda()
        {then}
"""


@pytest.mark.parametrize("own", ["self", "this"])
@pytest.mark.parametrize(
    ("first", "second", "then", "is_met"),
    [
        ("try:", "except OverflowError:", "self.found.append(size)", False),
        ("if sample.any():", "else:", "self.found.append(size)", False),
        ("if sample.any():", "if sample.all():", "self.found.append(size)", False),
        ("if sample.any():", "if sample.all():", "size = size * 2; self.found.append(size)", False),
        ("if sample.any():", "if sample.all():", "size = size * 2; self.found.append(self.model(size))", True),
        (
            "if sample.any():",
            "if sample.all():",
            "big = size * 2; size = big; self.found.append(self.model(size))",
            True,
        ),
        ("try:", "except OverflowError:", "return size + self.norm()", True),
        ("try:", "except OverflowError:", "size += self.norm()", True),
        ("try:", "except OverflowError:", "self.found += [size, self.norm()]", True),
    ],
)
def test_a_value_does_not_meet_the_others_of_its_variable(
    tmp_path: Path, own: str, first: str, second: str, then: str, is_met: bool
) -> None:
    text = TRAINER.format(own=own, first=first, second=second, then=then.replace("self", own))
    fixed = fix_files(write_files(tmp_path / "p", {"trainer.py": text})).get("trainer.py", text)
    assert (f"size = torch.tensor(0.0).to({own}.device)" in fixed) is is_met


TOOLS = """\
import torch


def score(model, batches, args):
    means = []
    for x in batches:
        mean, spread = model.encode(x.to(args.device)).chunk(2)
        means.append(mean.cpu())
    mean, spread = {}
    return model.{}(mean, spread).sum().item()
"""
MODEL = """\
import torch


class Model(torch.nn.Module):
    def sample(self, mean, spread):
        return mean + torch.randn(mean.size()) * spread

    def decode(self, mean, spread):
        return self.layer(mean * spread)
"""


@pytest.mark.parametrize(
    ("given", "method", "is_met"),
    [
        ("means[0].cuda(), means[1].cuda()", "sample", False),
        ("torch.cat(means).cuda().chunk(2)", "sample", False),
        ("torch.cat(means).cuda().chunk(2)", "decode", True),
        ("torch.cat(means).cuda().chunk(2)", "other", True),
        ("spread.cuda(), means[0].cuda()", "sample", False),
    ],
)
def test_a_method_that_reads_nothing_of_its_instance(tmp_path: Path, given: str, method: str, is_met: bool) -> None:
    text = TOOLS.format(given, method)
    fixed = fix_files(write_files(tmp_path / "p", {"tools.py": text, "model.py": MODEL})).get("tools.py", text)
    assert ("mean, spread = " + given.replace(".cuda()", ".to(args.device)") in fixed) is is_met
