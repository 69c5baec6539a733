"""A device that may be any card, and functions that are given it and move to the current card all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

MAIN = """\
import argparse

import torch
from helper import *

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
args = parser.parse_args()
device = {device}
model = torch.nn.Linear(2, 2)
model.cuda()
print({call})
"""
OPTION = "torch.device(args.device)"
BY_DEFAULT = """\
def evaluate(model, device="cpu"):
    if device == "cpu":
        x = torch.ones(2, 2)
    elif "cuda" in device.type:
        x = torch.ones(2, 2).cuda()
"""
BY_CARD = "def evaluate(model, device):\n    x = torch.ones(2, 2).cuda(1)\n"
ASKED = "def evaluate(model, device):\n    x = torch.ones(2, 2, device=device)\n"
MOVED = "def evaluate(model, device):\n    x = torch.ones(2, 2).cuda()\n"


@pytest.mark.parametrize(
    ("device", "call", "helper", "is_moved"),
    [
        (OPTION, "evaluate(model, device)", BY_DEFAULT, False),
        (OPTION, "evaluate(model, device=device)", BY_DEFAULT, False),
        (OPTION, "evaluate(model)", BY_DEFAULT, False),  # nothing is put on the device of the option
        (OPTION, "evaluate(model.to(device))", BY_DEFAULT, True),
        (OPTION, "evaluate(model, device)", ASKED, True),
        (OPTION, "evaluate(model, device)", BY_CARD, True),
        (OPTION, "evaluate(model, device)", MOVED, True),  # which moves to the device, too, after a fix of its own
        (OPTION, "unknown(model, device)", BY_DEFAULT, True),
        (
            'torch.device("cuda" if torch.cuda.is_available() else "cpu")',
            "evaluate(model, device)",
            BY_DEFAULT,
            True,
        ),
    ],
)
def test_a_model_goes_where_what_is_given_to_it_goes(
    device: str, call: str, helper: str, is_moved: bool, tmp_path: Path
) -> None:
    text = f"import torch\n\n\n{helper}    return model(x)\n"
    files = {"pyproject.toml": "", "helper.py": text, "main.py": MAIN.format(device=device, call=call)}
    fixed = fix_files(write_files(tmp_path, files), unsafe=False)
    assert ("model.to(device)" in fixed.get("main.py", "")) is is_moved
    if helper is MOVED:
        assert "torch.ones(2, 2).to(device)" in fixed["helper.py"]


def test_a_device_of_another_function_is_another(tmp_path: Path) -> None:
    other = "\n\ndef run(model, device):\n    return evaluate(model, device)\n\n\nmodel.cuda()\n"
    text = MAIN.format(device=OPTION, call="model(torch.ones(2, 2, device=device))").replace("model.cuda()\n", other)
    files = {"pyproject.toml": "", "helper.py": f"import torch\n\n\n{BY_DEFAULT}", "main.py": text}
    assert "model.to(device)" in fix_files(write_files(tmp_path, files), unsafe=False)["main.py"]


LOADER = """\
import torch
from transformers import AutoModel


def load(path, device, device_map="auto"):
    model = AutoModel.from_pretrained(path, device_map={placed})
    model.get_tower().to(device)
    model.get_head().to("cuda")
    return model
"""
WORKER = """\
import argparse
import torch
from helper import load


class Worker:
    def __init__(self, device):
        self.device = device
        self.model = load("path", {given})
        self.head = torch.nn.Linear(2, 2).cuda()

    def run(self, x):
        return self.model(x.to(self.device))


parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
args = parser.parse_args()
model = load("path", args.device)
print(Worker(args.device).run(torch.ones(2, 2)), model(torch.ones(1, 2).cuda()))
"""


@pytest.mark.parametrize(
    ("placed", "given", "follows"),
    [
        ("device_map", "device", False),
        ('"auto"', "self.device", False),
        ('{"": 0}', "device", False),
        ("device", "device", True),
        ('{"": device}', "self.device", True),
        ("None", "device", True),
    ],
)
def test_what_is_mapped_to_cards_is_not_where_the_device_is_that_its_loader_is_given(
    placed: str, given: str, follows: bool, tmp_path: Path
) -> None:
    files = {"pyproject.toml": "", "helper.py": LOADER.format(placed=placed), "main.py": WORKER.format(given=given)}
    fixed = fix_files(write_files(tmp_path, files), unsafe=False)
    main = fixed.get("main.py", files["main.py"])
    assert ("head = torch.nn.Linear(2, 2).to(device)" in main) is follows
    assert "torch.ones(1, 2).to(args.device)" not in main
    assert ("get_head().to(device)" in fixed.get("helper.py", files["helper.py"])) is follows


PIPE = """\
import argparse

import torch
from pipes import Pipe
from torch import nn


def main(args):
    first = nn.Linear(2, 2).to("cuda", dtype=torch.float16)
    second = nn.Linear(2, 2).to(dtype=torch.float16, device=args.device)
    pipe = Pipe(first=first, second=second)
    {}
    print(pipe(torch.ones(2, 2).half().to("cuda")))


parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
main(parser.parse_args())
"""


@pytest.mark.parametrize(
    ("moved", "is_moved"),
    [("pipe.train()", True), ('pipe = pipe.to("cuda", dtype=torch.float16)', False), ("pipe.cuda()", False)],
)
def test_what_is_moved_on_by_a_whole_that_it_is_a_part_of(moved: str, is_moved: bool, tmp_path: Path) -> None:
    files = {"README.md": "A program.", "pipes.py": "class Pipe:\n    pass\n", "main.py": PIPE.format(moved)}
    changed = fix_files(write_files(tmp_path / "p", files)).get("main.py", "")
    assert ("nn.Linear(2, 2).to(args.device, dtype=torch.float16)" in changed) is is_moved
