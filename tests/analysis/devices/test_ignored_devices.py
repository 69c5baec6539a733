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
    assert ("model.to(device)" in fixed["main.py"]) is is_moved
    if helper is MOVED:
        assert "torch.ones(2, 2).to(device)" in fixed["helper.py"]


def test_a_device_of_another_function_is_another(tmp_path: Path) -> None:
    other = "\n\ndef run(model, device):\n    return evaluate(model, device)\n\n\nmodel.cuda()\n"
    text = MAIN.format(device=OPTION, call="model(torch.ones(2, 2, device=device))").replace("model.cuda()\n", other)
    files = {"pyproject.toml": "", "helper.py": f"import torch\n\n\n{BY_DEFAULT}", "main.py": text}
    assert "model.to(device)" in fix_files(write_files(tmp_path, files), unsafe=False)["main.py"]
