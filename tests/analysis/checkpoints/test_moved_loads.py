"""Whole models that are loaded, and moved by a statement below."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

PROGRAM = """import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load(path, x):
    {lines}
    return net
"""
MOVED = [
    ("net = torch.load('model.pt')", "net = net.to(device)", True),
    ("net = torch.load('model.pt')", "net = net.cuda()", True),
    ("net = torch.load('model.pt')['model']", "net = net.to(device)", True),
    ("net = torch.load('model.pt')", "print(x)\n    net = net.to(device)", True),
    ("net = torch.load('model.pt')", "net.eval()\n    net = net.to(device)", True),
    ("net = torch.load('model.pt')", "net.to(device)\n    net.eval()", True),
    ("net = torch.load('model.pt')", "net.cuda()\n    net(x)", True),
    ("net = torch.load('model.pt')", "net.to(device)", False),  # may be a tensor
    ("net = torch.load('model.pt')", "net.cuda()", False),
    ("net = torch.load('model.pt')", "net(x)\n    net = net.to(device)", False),
    ("net = torch.load('model.pt')", "if x:\n        net = net.to(device)", False),
    ("net = torch.load('model.pt')", "net = net.to('cuda:1')", False),
    ("net = torch.load('model.pt')", "net = net.cuda(1)", False),
    ("net = torch.load('model.pt')", "net = net.to(device, torch.float16)", False),
    ("net = torch.load('model.pt')", "other = net.to(device)", False),
    ("state = torch.load('model.pt')", "net = state['model']\n    net = net.to(device)", True),
    (
        "state = torch.load('model.pt')",
        "print(state['epoch'])\n    net = state['model']\n    net = net.to(device)",
        True,
    ),
    ("state = torch.load('model.pt')", "print(state['x'])\n    net = state['model']\n    net = net.to(device)", False),
    ("state = torch.load('model.pt')", "net = state['model'].to(device)", False),
]


@pytest.mark.parametrize(("load", "below", "is_moved"), MOVED)
def test_what_is_moved_below(tmp_path: Path, load: str, below: str, is_moved: bool) -> None:
    text = PROGRAM.format(lines=f"{load}\n    {below}")
    fixed = fix_files(write_files(tmp_path / "p", {"main.py": text}), unsafe=False)["main.py"]
    assert ("'model.pt', map_location=device)" in fixed) is is_moved
    assert ("'model.pt', map_location=None if" in fixed) is not is_moved


def test_what_is_moved_to_a_tensors_device_is_loaded_there(tmp_path: Path) -> None:
    text = PROGRAM.format(lines="net = torch.load('model.pt')\n    net = net.to(x.device)")
    fixed = fix_files(write_files(tmp_path / "p", {"main.py": text}), unsafe=False)["main.py"]
    assert "torch.load('model.pt', map_location=x.device)" in fixed


KEPT = [
    ("self.mask = torch.ones(3)", False),
    ("self.mask = torch.nn.Parameter(torch.ones(3))", True),
    ("self.register_buffer('mask', torch.ones(3))", True),
]


@pytest.mark.parametrize(("line", "is_moved"), KEPT)
@pytest.mark.parametrize("file", ["main.py", "net.py"])
def test_a_tensor_that_no_module_moves(tmp_path: Path, line: str, is_moved: bool, file: str) -> None:
    net = f"import torch\n\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n        {line}\n"
    files = {"net.py": "", "main.py": ""}
    files[file] = net
    files["main.py"] += PROGRAM.format(lines="net = torch.load('model.pt')\n    net = net.to(device)")
    fixed = fix_files(write_files(tmp_path / "p", files), unsafe=False)["main.py"]
    assert ("map_location=device)" in fixed) is is_moved
