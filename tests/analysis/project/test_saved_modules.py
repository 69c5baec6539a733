"""Whether a program saves modules as they are, whose class then may not get new attributes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

NET = """import torch


class Net(torch.nn.Module):
    def __init__(self, use_cuda):
        super().__init__()
        self.use_cuda = use_cuda

    def forward(self, x):
        mask = torch.ones(1)
        if self.use_cuda:
            mask = mask.cuda()
        return x * mask
"""
WHOLE = [
    "torch.save(net, p)",
    "torch.save(net.module if many else net, p)",
    "state = {'net': net}\ntorch.save(state, p)",
    "torch.save({'nets': {'a': net.module}}, f=p)",
]
PARTS = [
    "torch.save(net.state_dict(), p)",
    "state = {'net': net.state_dict(), 'epoch': 1}\ntorch.save(state, p)",
    "torch.save(losses, p)",
    "pickle.save(net, p)",
]


def definition(tmp_path: Path, statement: str) -> str:
    files = write_files(tmp_path / "p", {"net.py": NET, "run.py": f"import torch\n\nnet.eval()\n{statement}\n"})
    return fix_files(files, unsafe=False)["net.py"]


@pytest.mark.parametrize("statement", WHOLE)
def test_a_device_of_the_method_where_modules_are_saved_whole(tmp_path: Path, statement: str) -> None:
    assert '        device = torch.device("cuda" if self.use_cuda else "cpu")' in definition(tmp_path, statement)


@pytest.mark.parametrize("statement", PARTS)
def test_a_device_of_the_instance_elsewhere(tmp_path: Path, statement: str) -> None:
    assert '        self.device = torch.device("cuda" if self.use_cuda else "cpu")' in definition(tmp_path, statement)
