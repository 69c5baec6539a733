"""A flag whose name another file makes at run time is asked where it is used: ``setattr(net, key, value)``."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint import fix

NET = """import torch


class Net:
    def __init__(self, use_cuda):
        self.use_cuda = use_cuda
        self.inner = torch.nn.Linear(1, 1)
        if self.use_cuda:
            self.inner.cuda()

    def put(self, x):
        if self.use_cuda:
            x = x.cuda()
        return x

    def zeros(self):
        x = torch.zeros(1)
        if self.use_cuda:
            x = x.cuda()
        return x
"""
SCRIPT = """import argparse
import torch
from tools import read

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()


def put(x):
    if args.cuda:
        x = x.cuda()
    return x


print(put(torch.ones(1)))
{call}
print(put(torch.ones(1)))
"""
LOOP = "    for key, value in given.items():\n        setattr({owner}, {key}, value)\n"


@pytest.mark.parametrize(
    ("lines", "is_kept"),
    [
        (LOOP.format(owner="net", key="key"), False),
        ("    net.__dict__.update(given)\n", False),
        ("    vars(net).update(given)\n", False),
        (LOOP.format(owner="net", key="'size'"), True),
        (LOOP.format(owner="args", key="key"), True),
        (LOOP.format(owner="self", key="key"), True),
        ("    net.state.update(given)\n", True),
        ("    for name in given:\n        setattr(net.inner, name, given[name] / 2)\n", True),
    ],
)
def test_a_flag_of_an_instance(tmp_path: Path, lines: str, is_kept: bool) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "tools.py").write_text(f"def read(self, args, net, given):\n{lines}")
    (tmp_path / "net.py").write_text(NET)
    text = fix(tmp_path / "net.py", isolated=True, select=["DEV101", "DEV105"]).text
    assert ("self.device = " in text) is is_kept


@pytest.mark.parametrize(
    ("lines", "call", "is_kept"),
    [
        (LOOP.format(owner="into", key="key"), "read(args, {})", False),
        ("    vars(into).update(given)\n", "read(args, {})", False),
        (LOOP.format(owner="into", key="'size'"), "read(args, {})", True),
        (LOOP.format(owner="into", key="key"), "read(put, {})", True),
        (LOOP.format(owner="into", key="key"), "args.__dict__.copy()", True),
    ],
)
def test_an_option(tmp_path: Path, lines: str, call: str, is_kept: bool) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "tools.py").write_text(f"def read(into, given):\n{lines}")
    (tmp_path / "main.py").write_text(SCRIPT.format(call=call))
    text = fix(tmp_path / "main.py", isolated=True, select=["DEV101", "DEV105"]).text
    assert ("\ndevice = " in text) is is_kept
