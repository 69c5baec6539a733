"""Where another file of the project sets the default device, nobody knows that a tensor is made on the CPU."""

from __future__ import annotations

import pytest

from tests.support.cached import Project, cached

__all__ = ["cached"]

MAKES = "import torch\n\n\ndef f(x, device):\n    x = x.to(device)\n    return x + torch.ones(2)\n"
KEEPS = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(4)

    def forward(self, x):
        return x * self.mask
"""
PUTS = "import torch\n\n\ndef f(x, y):\n    return x.cuda() + y.cpu()\n"
CODES = ("--select", "DEV402,DEV403,DEV406", "--isolated", "--output-format", "concise")
ELSEWHERE = [
    'if __name__ == "__main__":\n    torch.set_default_tensor_type("torch.cuda.FloatTensor")',
    "torch.set_default_tensor_type(torch.cuda.HalfTensor)",
    'torch.set_default_device("cuda:1")',
    "def main(device):\n    torch.set_default_device(device=device)",
    'torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")',
    'device = torch.get_default_device()\ndevice = "cuda"\ntorch.set_default_device(device)',
]
AS_BEFORE = [
    "torch.set_default_dtype(torch.float64)",
    "torch.set_default_tensor_type(torch.DoubleTensor)",
    'torch.set_default_tensor_type("torch.FloatTensor" if True else torch.DoubleTensor)',
    "torch.set_default_device(None)",
    'torch.set_default_device(torch.device("cpu"))',
    "device = torch.get_default_device()\ntorch.set_default_device(device)",
    "# torch.set_default_device('cuda')",
]


@pytest.fixture
def project(cached: Project) -> Project:
    for name, text in {"setup.py": "", "makes.py": MAKES, "keeps.py": KEEPS, "puts.py": PUTS}.items():
        cached.write(name, text)
    return cached


def found(project: Project) -> list[str]:
    return [line.split()[1] for line in project.check(*CODES).out.splitlines() if ".py:" in line]


@pytest.mark.parametrize("statement", ELSEWHERE)
def test_only_what_names_its_devices_is_known(project: Project, statement: str) -> None:
    assert found(project) == ["DEV403", "DEV402", "DEV406"]
    project.write("run.py", f"import torch\n\nimport makes\n\n{statement}\n")
    assert found(project) == ["DEV406"]


@pytest.mark.parametrize("statement", AS_BEFORE)
def test_the_cpu_is_where_tensors_are_made_anyhow(project: Project, statement: str) -> None:
    project.write("run.py", f"import torch\n\nimport makes\n\n{statement}\n")
    assert found(project) == ["DEV403", "DEV402", "DEV406"]


def test_what_a_test_sets_says_nothing_of_programs(project: Project) -> None:
    test = 'import torch\n\n\ndef test_f():\n    torch.set_default_device("cuda")\n'
    project.write("tests/test_f.py", test)
    assert found(project) == ["DEV403", "DEV402", "DEV406"]
    project.write("tests/f.py", test)
    assert found(project) == ["DEV406"]


def test_files_without_findings_are_not_looked_at_again(project: Project) -> None:
    project.write("puts.py", "import torch\n\n\ndef f(x):\n    return x + torch.ones(2)\n")
    project.check(*CODES)
    project.write("run.py", 'import torch\n\ntorch.set_default_device("cuda")\n')
    assert {"makes.py", "keeps.py", "run.py"} == {*project.check(*CODES).looked}
