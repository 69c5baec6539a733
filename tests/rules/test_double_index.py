from __future__ import annotations

import pytest

from tests.support.rule_cases import found, places

CODE = "DEV604"
HEAD = """\
import argparse
import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
bare = torch.device("cuda" if torch.cuda.is_available() else "cpu")
name = "cuda:0"
kind = "cuda"
parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda:0")
parser.add_argument("--kind", default="cuda")
args = parser.parse_args()
x = torch.ones(3)
"""

SILENT = [
    'd = torch.device(f"{bare}:{i}")',
    'd = torch.device(f"{kind}:{i}")',
    'd = torch.device(f"{args.kind}:{i}")',
    'd = torch.device(f"{device.type}:{i}")',
    'd = torch.device(f"{unknown}:{i}")',
    'def f(device):\n    d = torch.device(f"{device}:{i}")',
    "def f(device='cuda'):\n    d = torch.device(f\"{device}:{i}\")",
    'print(f"{device}:{i}")',
    'key = f"{device}:{i}"',
    'message = f"{device}: {i}"\ndevice_2 = f"{device}: {i}"',
    'device_2 = f"on {device}:{i}"',
    'device_2 = f"{device}:{i}:{j}"',
    'device_2 = f"{device}:{i}" "0"',
    'device_2 = name + ":"',
    'device_2 = kind + ":0"',
    'device_2 = "%s" % name',
    'device_2 = "{}".format(name)',
    'device_2 = "{}:{}".format(*name)',
    'log("%s:%d" % (device, i))',
]
FOUND = [
    'd = torch.device(f"{device}:{i}")',
    'd = torch.device(f"{device}:0")',
    'd = torch.device(f"{name}:{i}")',
    'd = torch.device(f"{args.device}:{args.rank}")',
    'd = torch.device(f"{x.device}:{i}")',
    'y = x.to(f"{device}:1")',
    'y = x.cuda(f"{device}:1")',
    'y = torch.ones(2, device=f"{name}:{i}")',
    'device_2 = f"{device}:{i}"',
    'self.device = f"{device}:{i}"',
    'device_2 = name + ":0"',
    'device_2 = str(device) + ":" + str(i)',
    'device_2 = "{}:{}".format(name, i)',
    'device_2 = "{0}:{1}".format(name, i)',
    'device_2 = "%s:%d" % (name, i)',
    'device_2 = "%s:0" % name',
    "def get_device(i):\n    return f'{name}:{i}'",
    "def f(device='cuda:0'):\n    d = torch.device(f\"{device}:{i}\")",
    'other = torch.device("cuda", i)\nd = torch.device(f"{other}:{i}")',
    'other = f"cuda:{i}"\nd = torch.device(f"{other}:{i}")',
]
PROGRAMS = [f"{HEAD}{text}\n" for text in FOUND]
"""For the disguises of tests/rules/test_hazards.py."""


@pytest.mark.parametrize("text", SILENT)
def test_nothing_found(text: str) -> None:
    assert not found(CODE, f"{HEAD}{text}\n")


@pytest.mark.parametrize("text", FOUND)
def test_found(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"{HEAD}{text}\n")] == ["none"]


def test_the_message_names_the_device() -> None:
    (one,) = found(CODE, f'{HEAD}d = torch.device(f"{{device}}:{{i}}")\n')
    assert one.message == "`device` may have an index already"
