"""No new device is defined for nothing but modules without tensors: moving one of these fails nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

_TEXT = """import torch
from torch import nn


def train(net, batch):
    if not torch.cuda.is_available():
        print("this will be slow")
    else:
        net = nn.DataParallel(net).cuda()
    loss = {loss}
    {more}
    return loss(net(batch), batch)
"""


@pytest.mark.parametrize(
    ("loss", "more", "is_left"),
    [
        ("nn.MSELoss().cuda()", "net.eval()", True),
        ("nn.CrossEntropyLoss().cuda(0)", "net.eval()", True),
        ("nn.MSELoss().cuda()", "batch = batch.cuda()", False),
        ("nn.MSELoss().cuda()", "nn.Sigmoid().cuda()", True),
        ("nn.NLLLoss(net.weight).cuda()", "net.eval()", False),
        ("net.MSELoss().cuda()", "net.eval()", False),
    ],
)
def test_a_module_without_tensors_needs_no_device(tmp_path: Path, loss: str, more: str, is_left: bool) -> None:
    text = _TEXT.format(loss=loss, more=more)
    after = fix_files(write_files(tmp_path, {"main.py": text})).get("main.py", text)
    assert (loss in after) is is_left


def test_a_device_that_there_is_serves_it(tmp_path: Path) -> None:
    head = "def train(net, batch):\n    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
    text = _TEXT.format(loss="nn.MSELoss().cuda()", more="net.eval()").replace("def train(net, batch):\n", head)
    after = fix_files(write_files(tmp_path, {"main.py": text})).get("main.py", text)
    assert "nn.MSELoss().to(device)" in after
