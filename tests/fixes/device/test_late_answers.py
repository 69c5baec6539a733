"""A function that moves something before it asks for CUDA gets one device, not a second one below the question."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

FUNCTION = """import torch
from torch import nn


def train(loader):
    model = nn.Linear(2, 2)
{above}    use_gpu = {answer}
    for inputs in loader:
        if use_gpu:
            inputs = inputs.cuda()
        print(model(inputs))
"""
PLAIN = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
OF_FLAG = 'device = torch.device("cuda" if use_gpu else "cpu")'


@pytest.mark.parametrize(
    ("above", "answer", "devices"),
    [
        ("    model.cuda()\n", "torch.cuda.is_available()", [PLAIN]),
        ("", "torch.cuda.is_available()", [OF_FLAG]),
        ("    if loader:\n        model.to('cuda')\n", "torch.cuda.is_available()", [PLAIN]),
        ("    model.cuda()\n", "torch.cuda.is_available() and len(loader) > 3", [PLAIN, OF_FLAG]),
    ],
)
def test_devices_of_a_function(tmp_path: Path, above: str, answer: str, devices: list[str]) -> None:
    text = FUNCTION.format(above=above, answer=answer)
    fixed = fix_files(write_files(tmp_path / "p", {"a.py": text}), unsafe=False)["a.py"]
    found = [line.strip().replace("'", '"') for line in fixed.splitlines() if line.strip().startswith("device = ")]
    assert found == devices
    assert "inputs = inputs.to(device)" in fixed and "if use_gpu:" not in fixed
