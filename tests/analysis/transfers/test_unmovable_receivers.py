"""What is moved under a test for CUDA may be a tuple or a number, of which nothing asks for a move without CUDA."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.core.target import Target
from devlint.rules.guarded_cuda_move import GuardedCudaMove
from devlint.sources.source import Source
from tests.support import engine

HEAD = "import torch\n\nuse_cuda = torch.cuda.is_available()\n"
FLAG = f'{HEAD}device = torch.device("cuda" if use_cuda else "cpu")\n'
LAYER = """\
import torch


class Layer(torch.nn.Module):
    def begin(self, n):
        {}
"""
BOTH = "if self.kind == 'lstm':\n            return torch.zeros(n), torch.zeros(n)\n        return torch.zeros(n)"

MEANS = """\
import numpy as np
import torch


def mean(x):
    y = np.linalg.norm(x)
    return np.mean(y)


def torch_mean(x):
    return torch.mean(x)
"""


def _keeps_test(folder: Path, text: str, layer: str = "") -> bool:
    for name, content in (("pyproject.toml", ""), ("layer.py", LAYER.format(layer)), ("main.py", text)):
        (folder / name).write_text(content)
    after = engine.fix(Source.from_text(str(folder / "main.py"), text), [GuardedCudaMove], Target(), False).text
    assert ".cuda()" not in after or "if use_cuda:" in after or "if use_cuda else" in after
    return "if use_cuda:" in after or "if use_cuda else h" in after


@pytest.mark.parametrize(
    ("body", "keeps"),
    [
        (BOTH, True),
        ("return torch.zeros(n)", False),
        ("return torch.zeros(n), torch.zeros(n)", True),  # which no GPU takes either, but the CPU does
        ("if self.kind == 'lstm':\n            h = (torch.zeros(n), torch.zeros(n))\n        else:\n            h = torch.zeros(n)\n        return h", True),
        ("h = []\n        h.append(torch.zeros(n))\n        h = torch.stack(h)\n        return h", False),
        ("return [torch.zeros(n)] if self.kind == 'list' else torch.zeros(n)", True),
        ("return [torch.zeros(n)] if n else torch.zeros(n)", False),  # whoever calls it knows
        ("if n > 2:\n            return 0\n        return torch.zeros(n)", False),
        ("if self.kind:\n            return 0.0\n        return torch.zeros(n)", True),
        ("if self.kind:\n            return\n        return torch.zeros(n)", False),
        ("def inner():\n            return 1, 2\n        return torch.zeros(n)", False),
    ],
)  # fmt: skip
def test_a_method_that_may_give_a_tuple(body: str, keeps: bool, tmp_path: Path) -> None:
    text = f"{FLAG}from layer import *\n\nnet = Layer()\nh = net.begin(2)\nif use_cuda:\n    h = h.cuda()\nprint(h)\n"
    assert _keeps_test(tmp_path, text, body) is keeps


@pytest.mark.parametrize(
    ("lines", "keeps"),
    [
        ("h = net.begin(2)\nh = h.cuda() if use_cuda else h", True),
        ("h = net.begin(2)\nif use_cuda:\n    h = h.cuda()\n    x = x.cuda()", True),
        ("h = net.begin(2)\nif use_cuda:\n    if isinstance(h, tuple):\n        h = (h[0].cuda(), h[1].cuda())\n    else:\n        h = h.cuda()", True),
        ("if kind == 'lstm':\n    h = net.begin(2)\nelse:\n    h = net.begin(2)\n    if use_cuda:\n        h = h.cuda()", False),
        ("if kind == 'mean':\n    h = mean(net)\n    if use_cuda:\n        h = h.cuda()", True),
        ("if kind == 'mean':\n    h = np.mean(net)\n    if use_cuda:\n        h = h.cuda()", True),
        ("if kind == 'mean':\n    h = torch_mean(net)\n    if use_cuda:\n        h = h.cuda()", False),
        ("def run(mean):\n    if kind == 'mean':\n        h = mean(net)\n        if use_cuda:\n            h = h.cuda()", False),
        ("h, c = net.begin(2)\nif use_cuda:\n    h = h.cuda()", False),
        ("h = torch.begin(2)\nif use_cuda:\n    h = h.cuda()", False),
        ("h = net.begin(2)\nh = torch.stack(h)\nif use_cuda:\n    h = h.cuda()", False),
        ("h = 0\nif x:\n    h = net(x)\nif use_cuda:\n    h = h.cuda()", True),
        ("h = []\nfor y in x:\n    h = net(y)\nif use_cuda:\n    h = h.cuda()", True),
        ("h = 0\nfor y in x:\n    h += net(y)\nif use_cuda:\n    h = h.cuda()", False),
        ("h = []\nh = net(h)\nif use_cuda:\n    h = h.cuda()", False),
        ("class A:\n    def f(self):\n        self.h = net.begin(2)\n        if use_cuda:\n            self.h = self.h.cuda()", True),
        ("def same(x):\n    return x\n\nif kind:\n    h = torch.nn.Sigmoid()\nelse:\n    h = same\nif use_cuda:\n    h = h.cuda()", True),
        ("h = torch.nn.Sigmoid() if kind else lambda x: x\nif use_cuda:\n    h = h.cuda()", True),
        ("h = torch.nn.Sigmoid() if kind else torch.nn.functional.relu\nif use_cuda:\n    h = h.cuda()", True),
        ("h = torch.nn.Sigmoid() if kind else Layer\nif use_cuda:\n    h = h.cuda()", True),
        ("h = torch.nn.Sigmoid() if kind else Layer()\nif use_cuda:\n    h = h.cuda()", False),
        ("h = torch.nn.Sigmoid() if kind else net\nif use_cuda:\n    h = h.cuda()", False),
    ],
)  # fmt: skip
def test_what_a_name_may_stand_for(lines: str, keeps: bool, tmp_path: Path) -> None:
    (tmp_path / "means.py").write_text(MEANS)
    assert (
        _keeps_test(
            tmp_path,
            f"{FLAG}import numpy as np\nfrom means import *\nfrom layer import Layer\n\nnet = Layer()\n{lines}\n",
            BOTH,
        )
        is keeps
    )


def test_a_function_of_the_file_itself(tmp_path: Path) -> None:
    text = (
        f"{FLAG}\n\ndef begin(n):\n    if KIND == 'lstm':\n        return torch.zeros(n), torch.zeros(n)\n"
        "    return torch.zeros(n)\n\n\nh = begin(2)\nif use_cuda:\n    h = h.cuda()\n"
    )
    assert _keeps_test(tmp_path, text)
    assert not _keeps_test(tmp_path, text.replace("torch.zeros(n), torch", "torch.ones(n) + torch"))


PLAIN = "class Ridge{}:\n    def __init__(self):\n        self.weight = torch.zeros(3, 1)\n\n{}    def fit(self, x):\n        pass\n"


@pytest.mark.parametrize(
    ("base", "more", "keeps"),
    [
        ("", "", True),
        ("(object)", "", True),
        ("(torch.nn.Module)", "", False),
        ("(Unknown)", "", False),
        ("", "    def to(self, device):\n        pass\n\n    def cuda(self):\n        pass\n\n", True),
        ("", "    def __getattr__(self, name):\n        return getattr(self.weight, name)\n\n", False),
    ],
)
@pytest.mark.parametrize("move", ["model.cuda()", "model = model.cuda()"])
def test_an_instance_of_a_class_that_has_no_to(move: str, base: str, more: str, keeps: bool, tmp_path: Path) -> None:
    cls = PLAIN.format(base, more)
    used = f"model = Ridge()\nif use_cuda:\n    {move}\nmodel.fit(2)\n"
    assert _keeps_test(tmp_path, f"{FLAG}\n{cls}\n\n{used}") is keeps
    (tmp_path / "ridge.py").write_text(f"import torch\n\n\n{cls}")
    assert _keeps_test(tmp_path, f"{FLAG}from ridge import Ridge\n\n{used}") is keeps
    kept = f"class Run:\n    def __init__(self, model):\n        self.model = model\n        if use_cuda:\n            self.{move.replace('= model', '= self.model')}\n\n\nRun(Ridge())\n"
    assert _keeps_test(tmp_path, f"{FLAG}from ridge import Ridge\n\n{kept}") is keeps


def test_what_functions_of_a_class_give_is_no_instance_of_it(tmp_path: Path) -> None:
    cls = "class Tools:\n    @staticmethod\n    def load(x):\n        return Tools.read(x)\n\n    @staticmethod\n    def read(x):\n        return decode(x)\n"
    (tmp_path / "tools.py").write_text(cls)
    for value in ("Tools.load(PATH)", "Tools.load(PATH).float()"):
        lines = f"x = {value}\nif use_cuda:\n    x = x.cuda()\n"
        assert not _keeps_test(tmp_path, f"{FLAG}\n{cls}\n\n{lines}")
        assert not _keeps_test(tmp_path, f"{FLAG}from tools import Tools\n\n{lines}")
