"""Instances with parts that are on CUDA without the flag: the test for the flag stays where it moves the instance."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

MODEL = """\
import torch
from torch import nn
from places import gpu

card = torch.device("cuda:0")


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4){in_part}


class Net(nn.Module):
    def __init__(self, mixed=False, cuda=False):
        super().__init__()
        self.dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.own = torch.device("cuda" if cuda else "cpu")
        self.first = nn.Linear(4, 4)
        self.last = Part()
        {part}

    def halve(self):
        {later}
"""
TRAIN = """\
import argparse

import torch
from models import Net

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
parser.add_argument("--mixed", action="store_true")
args = parser.parse_args()


def start():
    model = Net(args.mixed, args.cuda)
    if args.cuda:
        model.cuda()
    return model
"""


def keeps_test(folder: Path, part: str, later: str = "pass", in_part: str = "", train: str = TRAIN) -> bool:
    models = MODEL.format(part=part, later=later, in_part=in_part)
    files = {"setup.py": "", "places.py": 'gpu = "cuda"\n', "models.py": models, "train.py": train}
    after = fix_files(write_files(folder / "p", files), unsafe=False).get("train.py", train)
    assert ("    if args.cuda:\n" in after) != ("\n    model.to(device)\n" in after)
    return "    if args.cuda:\n" in after


@pytest.mark.parametrize(
    "part",
    [
        "self.last = self.last.to(card)",
        "self.last.to(gpu)",
        "self.last.to(self.dev)",
        "self.to(card)",
        "if mixed:\n            self.last.to(card)",
        "self.more = Part().cuda()",
        "self.more = nn.Linear(4, 4, device=card)",
        "self.weight = nn.Parameter(torch.zeros(4, device=card))",
        'self.register_buffer("mask", torch.zeros(4).to(card))',
        "weight = torch.Tensor(4).to(card)\n        self.weight = nn.Parameter(weight)",
        "more = Part()\n        self.more = more.to(card)",
        "self.halve()",
    ],
)
def test_a_part_that_is_on_cuda_without_the_flag_stays_there(tmp_path: Path, part: str) -> None:
    assert keeps_test(tmp_path, part, later="self.last.to(card)")


@pytest.mark.parametrize(
    "part",
    [
        "pass",
        "self.last.to(self.own)",
        "if cuda:\n            self.last.to(card)",
        "self.mask = torch.zeros(4).to(card)",  # no move of the module takes it along
        "self.mask = torch.zeros(4, device=card)",
        "self.mask = torch.LongTensor([4]).to(card)",
        "mask = torch.zeros(4)\n        self.mask = mask.to(card)",
    ],
)
def test_a_module_without_such_a_part_goes_where_the_flag_says(tmp_path: Path, part: str) -> None:
    assert not keeps_test(tmp_path, part, later="self.last.to(card)")


def test_a_part_of_a_part(tmp_path: Path) -> None:
    assert keeps_test(tmp_path, "pass", in_part=".to(card)")
    assert not keeps_test(tmp_path / "q", "self.last = nn.Linear(4, 4)", in_part="")


def test_what_only_asks_torch_leaves_nothing_there(tmp_path: Path) -> None:
    train = TRAIN.replace(
        "args = parser.parse_args()", "args = parser.parse_args()\nargs.cuda = torch.cuda.is_available()"
    )
    assert not keeps_test(tmp_path, "self.last.to(card)", train=train)
