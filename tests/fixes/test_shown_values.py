"""A notebook shows the value of the expression that ends a cell: fixes neither lose one nor show another."""

from __future__ import annotations

import json
from typing import Any

import pytest

from devlint.config.finder import ConfigFinder
from devlint.engine.report import Mode
from devlint.engine.runner import Runner

IMPORT = "import torch\nfrom torch import nn"
TEST = "torch.cuda.is_available()"


def fixed(*cells: str, **settings: str) -> list[str]:
    """The cells of a notebook after the safe fixes."""
    code: list[dict[str, Any]] = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": one} for one in cells
    ]
    text = json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    report = Runner(ConfigFinder(settings, isolated=True), Mode.DIFF).text("look.ipynb", text.encode())
    assert not report.failures and report.source is not None
    return [one["source"] for one in json.loads(report.source.to_bytes(report.after_text))["cells"]]


@pytest.mark.parametrize(
    ("cell", "after"),
    [
        ("torch.cuda.get_device_name(0)", "torch.cuda.get_device_name(0) if {} else None"),
        (
            "x = 3\ntorch.cuda.get_device_name(0)  # which",
            "x = 3\ntorch.cuda.get_device_name(0) if {} else None  # which",
        ),
        (
            "torch.cuda.get_device_properties(\n    0,\n).total_memory",
            "torch.cuda.get_device_properties(\n    0,\n).total_memory if {} else None",
        ),
        ("x = 3; torch.cuda.mem_get_info()", "x = 3; torch.cuda.mem_get_info() if {} else None"),
        ("(torch.cuda.mem_get_info())\n\n", "(torch.cuda.mem_get_info()) if {} else None\n\n"),
        (
            "torch.cuda.synchronize()\ntorch.cuda.ipc_collect()\ntorch.cuda.mem_get_info()",
            "if {0}:\n    torch.cuda.synchronize()\n    torch.cuda.ipc_collect()\ntorch.cuda.mem_get_info() if {0} else None",
        ),
    ],
)
def test_value_that_a_cell_shows_is_shown_under_a_test_as_well(cell: str, after: str) -> None:
    assert fixed(IMPORT, cell, "x = 3") == [IMPORT, after.format(TEST), "x = 3"]
    assert fixed(IMPORT, cell) == [IMPORT, after.format(TEST)]


@pytest.mark.parametrize(
    ("cell", "after"),
    [
        ("torch.cuda.synchronize()", "if {}:\n    torch.cuda.synchronize()"),
        ("torch.cuda.set_device(0)", "if {}:\n    torch.cuda.set_device(0)"),
        ("torch.cuda.reset_peak_memory_stats()", "if {}:\n    torch.cuda.reset_peak_memory_stats()"),
        ("print(torch.cuda.get_device_name(0))", "if {}:\n    print(torch.cuda.get_device_name(0))"),
        ("torch.cuda.get_device_name(0);", "if {}:\n    torch.cuda.get_device_name(0);"),
        ("torch.cuda.get_device_name(0)\nx = 3", "if {}:\n    torch.cuda.get_device_name(0)\nx = 3"),
        ("torch.cuda.get_device_name(0)\n!ls", "if {}:\n    torch.cuda.get_device_name(0)\n!ls"),
        ("for x in y:\n    torch.cuda.mem_get_info()", "for x in y:\n    if {}:\n        torch.cuda.mem_get_info()"),
    ],
)
def test_what_shows_nothing_goes_under_a_test(cell: str, after: str) -> None:
    assert fixed(IMPORT, cell) == [IMPORT, after.format(TEST)]


def test_value_is_shown_where_the_device_is_asked() -> None:
    move = "net = nn.Linear(3, 1){}\nprint(net(torch.ones(2, 3){}).shape)"
    cells = fixed(IMPORT, "torch.cuda.get_device_name(torch.cuda.current_device())", move.format(".cuda()", ".cuda()"))
    name = 'torch.cuda.get_device_name(torch.cuda.current_device()) if device.type == "cuda" else None'
    assert cells[1:] == [name, move.format(".to(device)", ".to(device)")]


def test_value_of_an_accelerator_is_shown() -> None:
    cell = "torch.accelerator.current_stream()"
    shown = "torch.accelerator.current_stream() if torch.accelerator.is_available() else None"
    settings = {"target": "accelerator", "torch-min-version": "2.8"}
    assert fixed(IMPORT, cell, **settings) == [IMPORT, shown]


FLAG = f"{IMPORT}\n\nuse_cuda = torch.cuda.is_available()"
DEVICE = f'{FLAG}\ndevice = torch.device("cuda" if use_cuda else "cpu")'


@pytest.mark.parametrize(
    ("cell", "after"),
    [
        ("net = nn.Linear(3, 1)\nif use_cuda: net.cuda()", "net = nn.Linear(3, 1)\nnet.to(device);"),
        ("if use_cuda:\n    a.cuda()\n    b.cuda()  # both", "a.to(device)\nb.to(device);  # both"),
        ("if use_cuda:\n    a.cuda(); b.cuda()", "a.to(device); b.to(device);"),
        ("if use_cuda:\n    print(3)\n    net.cuda()", "if use_cuda:\n    print(3)\nnet.to(device);"),
        ("if use_cuda:\n    net(x.cuda())\nelse:\n    net(x)", "net(x.to(device));"),
        ("if not use_cuda:\n    net(x)\nelse:\n    net(x.cuda())", "net(x.to(device));"),
        ("if use_cuda is True:\n    net.to('cuda')", "net.to(device);"),
    ],
)
def test_move_at_the_end_of_a_cell_shows_nothing_without_its_test(cell: str, after: str) -> None:
    assert fixed(FLAG, cell, "y = 3")[1:] == [after, "y = 3"]


@pytest.mark.parametrize(
    ("cell", "after"),
    [
        ("if use_cuda:\n    net.cuda()\nx = 3", "net.to(device)\nx = 3"),
        ("if use_cuda:\n    net.cuda();", "net.to(device);"),
        ("if use_cuda:\n    net = net.cuda()", "net = net.to(device)"),
        ("for net in nets:\n    if use_cuda:\n        net.cuda()", "for net in nets:\n    net.to(device)"),
        ("if use_cuda:\n    print(x.cuda())\nelse:\n    print(x)", "print(x.to(device))"),
        ("net.cuda() if use_cuda else net", "net.to(device)"),
    ],
)
def test_move_needs_no_semicolon_elsewhere(cell: str, after: str) -> None:
    assert fixed(FLAG, cell)[1:] == [after]


def test_move_keeps_its_test_where_all_expressions_of_a_cell_are_shown() -> None:
    setting = "get_ipython().ast_node_interactivity = 'all'"
    cells = fixed(FLAG, setting, "if use_cuda:\n    net.cuda()")
    assert cells[2].startswith("if use_cuda:\n")
