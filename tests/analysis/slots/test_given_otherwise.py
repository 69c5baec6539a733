"""Devices that the project gives as None, or as what is no device, are not what ``x.cuda()`` moves to."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint import fix

LIBRARY = """import torch


class Net:
    def __init__(self, device):
        self.device = device

    def run(self, x):
        return x.cuda() + torch.zeros(3, device=self.device)


def f(x, device):
    return x.cuda() + torch.zeros(3, device=device)
"""
MAIN = """import argparse
import torch
from lib import Net, f

DEVICE = torch.device("cuda")
NOTHING = None


def main(model, config, cards, device):
    args = argparse.ArgumentParser().parse_args()
"""


@pytest.mark.parametrize(
    ("given", "is_safe"),
    [
        ("'cuda'", True),
        ("0", True),
        ("DEVICE", True),
        ("model.device", True),
        ("cards['head']", True),  # nothing is known of it
        ("config.device", True),
        ("device", True),
        ("pick()", True),
        ("NOTHING", False),
        ("None if model else DEVICE", False),
        ("args.place", False),
        ("args.card", True),
        ("args.kept", True),
        ("args.lost", False),
        ("later", False),
    ],
)
def test_what_a_call_in_another_file_gives(tmp_path: Path, given: str, is_safe: bool) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "lib.py").write_text(LIBRARY)
    options = "parser.add_argument('--place')\nparser.add_argument('--card', default='cuda')\n"
    (tmp_path / "options.py").write_text(f"def add(parser):\n    {options.replace(chr(10), chr(10) + '    ')}\n")
    kept = "    args.kept = None\n    args.kept = DEVICE\n    args.lost = None\n    later = NOTHING\n"
    calls = f"    f(1, {given})\n    Net({given}).run(1)\n"
    (tmp_path / "main.py").write_text(MAIN + kept + calls)
    text = fix(tmp_path / "lib.py", isolated=True, select=["DEV101"]).text
    assert ("x.to(device)" in text) is is_safe
    assert ("x.to(self.device)" in text) is is_safe
    text = fix(tmp_path / "lib.py", isolated=True, select=["DEV101"], unsafe=True).text
    assert "x.to(device)" in text and "x.to(self.device)" in text


@pytest.mark.parametrize(
    ("lines", "is_safe"),
    [
        ("    y = x.cuda()", False),
        ("    if device is not None:\n        y = x.cuda()", True),
        ("    if device is None:\n        device = 'cuda'\n    y = x.cuda()", True),
        ("    place = torch.device(device)\n    y = x.cuda()", True),
    ],
)
def test_what_a_function_makes_of_none(tmp_path: Path, lines: str, is_safe: bool) -> None:
    (tmp_path / "setup.py").write_text("")
    head = "import torch\n\nnothing = None\n\n\ndef f(x, device):\n"
    tail = "\n    return y + torch.zeros(3, device=device)\n\n\nf(1, nothing)\n"
    (tmp_path / "main.py").write_text(head + lines + tail)
    assert ("x.cuda()" not in fix(tmp_path / "main.py", isolated=True, select=["DEV101"]).text) is is_safe


def test_what_nobody_calls_is_given_a_device(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "lib.py").write_text(LIBRARY)
    text = fix(tmp_path / "lib.py", isolated=True, select=["DEV101"]).text
    assert "x.to(device)" in text and "x.to(self.device)" in text


LOADS = """import torch


class Runner:
    def __init__(self, device):
        self.device = device
        self.net = torch.nn.Linear(1, 1).to(self.device)

    def load(self, path):
        self.net.load_state_dict(torch.load(path))
"""


@pytest.mark.parametrize(
    ("given", "location"),
    [
        ("DEVICE", "self.device"),
        ("None", "self.device"),
        ("args.place", "self.device"),
        ("number", '"cpu"'),
        ("args.card", '"cpu"'),
        ("rank", '"cpu"'),
        ("torch.cuda.current_device()", '"cpu"'),
    ],
)
def test_no_number_is_a_place_to_load_to(tmp_path: Path, given: str, location: str) -> None:
    """``torch.load`` calls a number that it is given as ``map_location``."""
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "lib.py").write_text(LOADS)
    options = "    parser.add_argument('--place')\n    parser.add_argument('--card', type=int)\n"
    (tmp_path / "options.py").write_text(f"def add(parser):\n{options}")
    head = "import torch\nfrom lib import Runner\n\nDEVICE = torch.device('cuda')\nnumber = 0\n\n\n"
    (tmp_path / "main.py").write_text(f"{head}def main(args, cards, rank):\n    Runner({given})\n")
    text = fix(tmp_path / "lib.py", isolated=True, select=["DEV404"]).text
    assert f"torch.load(path, map_location={location})" in text
