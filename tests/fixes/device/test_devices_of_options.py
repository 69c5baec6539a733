"""A device that an option chooses is that of what the program moves without asking only where the two may meet."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint import fix
from tests.support.projects import fix_files, write_files

BUILD = """\
import torch
from torch import nn


class Criterion(nn.Module):
    def forward(self, out, target):
        return (out - target).abs().mean()


def build(cfg):
    device = torch.device({chosen})
    net = nn.Linear(3, 2).cuda()
    {placed}
    return net, criterion
"""


@pytest.mark.parametrize("chosen", ["cfg.device", "'cuda' if cfg.use_cuda else 'cpu'"])
@pytest.mark.parametrize(
    ("placed", "by_option"),
    [
        ("criterion = Criterion()\n    criterion.to(device)", False),
        ("criterion = nn.MSELoss().to(device)", False),
        ("criterion = Criterion()\n    print('on', device)", False),
        ("criterion = net(torch.ones(3).to(device))", True),
        ("criterion = Criterion()\n    other = nn.Linear(2, 2).to(device)", False),
        ("criterion = nn.CrossEntropyLoss(weight=cfg.weight).to(device)", True),
    ],
)
def test_what_nothing_with_a_tensor_is_put_on(tmp_path: Path, chosen: str, placed: str, by_option: bool) -> None:
    files = {"README.md": "", "build.py": BUILD.format(chosen=chosen, placed=placed)}
    fixed = fix_files(write_files(tmp_path / "p", files)).get("build.py", files["build.py"])
    assert ("nn.Linear(3, 2).to(device)" in fixed) is by_option
    beside = "print" not in placed and not by_option  # nobody would write a second device there
    assert ("nn.Linear(3, 2).cuda()" in fixed) is beside
    assert ("nn.Linear(3, 2).to(torch_device)" in fixed) is (not by_option and not beside)


MAIN = """\
import argparse

import torch
import torch.nn as nn

from ranges import measure

parser = argparse.ArgumentParser()
parser.add_argument("--use_cuda", type=int, default=1)
args = parser.parse_args()
DEVICE = torch.device("cuda" if torch.cuda.is_available(){} else "cpu")

if __name__ == "__main__":
    net = nn.Linear(4, 2)
    net = measure(net.cuda(), torch.ones(4))
    {}
    print(net(torch.ones(1, 4).to(DEVICE)))
"""


@pytest.mark.parametrize(
    ("asked", "below", "by_option"),
    [
        (" and args.use_cuda", "net = net.to(DEVICE)", False),
        ("", "net = net.to(DEVICE)", True),
        (" and args.use_cuda", "net.eval()", True),
    ],
)
def test_what_is_moved_to_the_device_below(tmp_path: Path, asked: str, below: str, by_option: bool) -> None:
    ranges = "def measure(net, x):\n    net(x.cuda())\n    return net\n"
    files = {"README.md": "", "main.py": MAIN.format(asked, below), "ranges.py": ranges}
    fixed = fix_files(write_files(tmp_path / "p", files))["main.py"]
    assert ("measure(net.to(DEVICE)" in fixed) is by_option


def test_what_meets_that_in_the_same_file(tmp_path: Path) -> None:
    own = "def measure(net, x):\n    x = x.cuda()\n    net(x)\n    return net\n"
    text = MAIN.format(" and args.use_cuda", "net = net.to(DEVICE)").replace(
        "from ranges import measure\n", f"\n{own}\n"
    )
    fixed = fix_files(write_files(tmp_path / "p", {"README.md": "", "main.py": text}))["main.py"]
    assert "x.to(device)" in fixed and "net.to(device), torch.ones(4)" in fixed
    assert 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")' in fixed


OPTIONS = """\
import argparse

import torch


def restore(net, args):
    net.load_state_dict(torch.load(args.path, map_location=torch.device("cuda")))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--path")
    args = parser.parse_args()
    {}
    net = torch.nn.Linear(2, 2)
    net.cuda()
    {}
    print(net(torch.ones(2).cuda()))


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("above", "call", "is_options"),
    [
        ("args.device = 'cuda'", "restore(net, args)", True),
        ('args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")', "restore(net, args)", True),
        ("pass", "restore(net, args); args.device = 'cuda'", False),
        ("args.device = 'cuda'", "restore(net, parser.parse_args())", False),
        ("args.device = 'cuda'; args = parser.parse_args()", "restore(net, args)", False),
        ("if args.path:\n        args.device = 'cuda'", "restore(net, args)", False),
    ],
)
def test_device_of_options_that_callers_give(tmp_path: Path, above: str, call: str, is_options: bool) -> None:
    text = OPTIONS.format(above, call)
    found = fix_files(write_files(tmp_path / "p", {"run.py": text})).get("run.py", text)
    assert ("map_location=args.device" in found) is is_options


CHOSEN = """\
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
args.device = None
if {test}:
    args.device = torch.device("{gpu}")
else:
    args.device = torch.device("cpu")

net = torch.nn.Linear(2, 2).to(args.device)
other = torch.nn.Linear(2, 2).cuda()
x = other(torch.rand(2, device="cuda"))
print(net(x.to(args.device)))
"""


@pytest.mark.parametrize(
    ("test", "gpu", "follows"),
    [
        ("torch.cuda.is_available()", "cuda", True),
        ("torch.cuda.is_available()", "cuda:1", False),
        ("torch.cuda.is_available() and not args.no_cuda", "cuda", False),
    ],
)
def test_a_device_that_torch_chooses_alone_may_be_where_what_is_moved_there_was(
    tmp_path: Path, test: str, gpu: str, follows: bool
) -> None:
    program = tmp_path / "train.py"
    program.write_text(CHOSEN.format(test=test, gpu=gpu))
    assert ("other = torch.nn.Linear(2, 2).to(args.device)" in fix(program, isolated=True).text) is follows
