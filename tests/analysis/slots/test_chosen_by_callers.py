"""A device that callers choose by an option is that of an unasked move only where the two may meet."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

TOOLS = """\
import torch


def evaluate(net, batches, device):
    with torch.no_grad():
        kept = net(batches[0].to(device)){left}
    z = kept.cuda()
    return (z + torch.randn(z.size(), device="cuda")).sum(){given}
"""
TRAIN = """\
import argparse

import torch
from torch import nn

from tools import evaluate

{made}

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no_cuda", action="store_true")
    parser.add_argument("--card", type=int, default=0)
    args = parser.parse_args()
    {chosen}
    net = nn.Linear(4, 4).to({device})
    print({call}(net, [torch.rand(3, 4)], {device}))


if __name__ == "__main__":
    main()
"""
CHOSEN = 'torch.device("cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")'
OF_TORCH = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'
FLAG = 'use_cuda = torch.cuda.is_available() and not args.no_cuda\n    device = torch.device("cuda" if use_cuda else "cpu")'
BRANCH = "if args.no_cuda:\n        device = 'cpu'\n    else:\n        device = 'cuda'"
BY_FUNCTION = "def choose(options):\n    return torch.device('cpu' if options.no_cuda else 'cuda')\n"
HANDED_ON = "def run(net, batches, where):\n    return evaluate(net, batches, where)\n"


@pytest.mark.parametrize(
    ("made", "chosen", "device", "call", "follows"),
    [
        ("", f"args.device = {CHOSEN}", "args.device", "evaluate", False),
        ("", f"device = {CHOSEN}", "device", "evaluate", False),
        ("", FLAG, "device", "evaluate", False),
        ("", BRANCH, "device", "evaluate", False),
        (BY_FUNCTION, "device = choose(args)", "device", "evaluate", False),
        (HANDED_ON, f"device = {CHOSEN}", "device", "run", False),
        ("", "", "'cpu'", "evaluate", False),
        ("", "", "torch.device('cpu')", "evaluate", False),
        ("", f"args.device = {OF_TORCH}", "args.device", "evaluate", True),
        ("", f"device = {OF_TORCH}", "device", "evaluate", True),
    ],
)
def test_what_callers_ask(tmp_path: Path, made: str, chosen: str, device: str, call: str, follows: bool) -> None:
    train = TRAIN.format(made=made, chosen=chosen, device=device, call=call)
    assert _follows(tmp_path, train, ".cpu()", ".item()") is follows


@pytest.mark.parametrize(
    ("left", "given", "follows"),
    [(".cpu()", ".item()", False), (".to('cpu')", ".item()", False), ("", ".item()", True), (".cpu()", "", True)],
)
def test_where_the_two_may_meet(tmp_path: Path, left: str, given: str, follows: bool) -> None:
    train = TRAIN.format(made="", chosen=f"device = {CHOSEN}", device="device", call="evaluate")
    assert _follows(tmp_path, train, left, given) is follows


def _follows(folder: Path, train: str, left: str, given: str) -> bool:
    texts = {"tools.py": TOOLS.format(left=left, given=given), "train.py": train}
    fixed = fix_files(write_files(folder / "p", texts)).get("tools.py", texts["tools.py"])
    assert ("z = kept.to(device)" in fixed) is ("device=device" in fixed)
    return "z = kept.to(device)" in fixed
