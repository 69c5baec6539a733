"""What comes to a move under a test for CUDA may be a list or a function, which only the CPU takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.core.target import Target
from devlint.rules.guarded_cuda_move import GuardedCudaMove
from devlint.sources.source import Source
from tests.support import engine

HEAD = """\
import numpy as np
import torch
import torch.nn.functional as F
import other
from functools import partial
from other import chosen_loss, loss_of, repackage, values

use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
TABLE = {"a": F.cross_entropy, "b": torch.nn.MSELoss()}
MODULES = {"a": torch.nn.L1Loss(), "b": torch.nn.MSELoss()}


class Net:
    def __init__(self, loss):
        self.loss = loss


"""
OTHER = """\
import torch


def loss_of(x):
    return x


def repackage(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage(v) for v in h)


def chosen_loss(kind):
    if kind == "own":
        loss = loss_of
    else:
        loss = torch.nn.L1Loss()
    return loss


def values(as_list):
    x = torch.zeros(2)
    if as_list:
        return x.tolist()
    return x
"""


def _keeps_test(folder: Path, text: str) -> bool:
    for name, content in (("pyproject.toml", ""), ("other.py", OTHER), ("main.py", HEAD + text)):
        (folder / name).write_text(content)
    after = engine.fix(Source.from_text(str(folder / "main.py"), HEAD + text), [GuardedCudaMove], Target(), False).text
    return "if use_cuda:" in after


MOVE = "def run(x):\n    if use_cuda:\n        x = x.cuda()\n    return x\n\n\n"


@pytest.mark.parametrize(
    ("call", "keeps"),
    [
        ("run([torch.ones(1), torch.ones(2)])", True),
        ("run(3)", True),
        ("run(F.relu)", True),
        ("run(loss_of)", True),
        ("run(lambda x: x)", True),
        ("run(np.ones(2))", True),
        ("run(getattr(F, 'relu'))", True),
        ("run(torch.ones(2).numpy())", True),
        ("rows = [1, 2]\nrun(rows)", True),
        ("rows = [1, 2]\nrows = torch.tensor(rows)\nrun(rows)", False),
        ("run(torch.ones(2))", False),
        ("run(torch.nn.Linear(1, 1))", False),
        ("run(np)", False),
    ],
)
def test_what_callers_give(call: str, keeps: bool, tmp_path: Path) -> None:
    assert _keeps_test(tmp_path, MOVE + call + "\n") is keeps


@pytest.mark.parametrize("asked", ["isinstance(x, list)", "torch.is_tensor(x)"])
def test_a_function_that_asks_for_the_kind(asked: str, tmp_path: Path) -> None:
    text = MOVE.replace("    if use_cuda", f"    if {asked}:\n        x = torch.stack(x)\n    if use_cuda")
    assert not _keeps_test(tmp_path, f"{text}run([torch.ones(1)])\n")


@pytest.mark.parametrize(
    ("lines", "keeps"),
    [
        ("h = TABLE[kind]", True),
        ("h = MODULES[kind]", False),
        ("h = torch.zeros(2) if kind else np.zeros(2)", True),
        ("h = repackage(h)", True),
        ("h = values(False)", False),
        ("h = torch.zeros(2)\nif not use_cuda:\n    h = h.numpy()", True),
        ("h = []\nfor x in rows:\n    h.append(x)\nh = torch.stack(h)", False),
        ("h = 0\nfor x in rows:\n    h += x", False),
        ("def rows():\n    yield np.ones(2)\n\nfor h in rows():\n    pass", True),
        ("h, c = [torch.ones(1)], [2]", True),
        ("c, h = repackage(c)", False),
        ("h = Net(F.relu).loss", True),
        ("h = Net(torch.nn.ReLU()).loss", False),
        ("h = chosen_loss(kind)", True),
        ("h = partial(F.cross_entropy, reduction='sum')", True),
        ("h = getattr(other, kind)", True),
        ("h = getattr(kind, 'loss')", False),
    ],
)
def test_what_a_name_is_given(lines: str, keeps: bool, tmp_path: Path) -> None:
    assert _keeps_test(tmp_path, f"{lines}\nif use_cuda:\n    h = h.cuda()\n") is keeps
    inner = "\n".join(f"    {one}" for one in f"{lines}\nif use_cuda:\n    h = h.cuda()".split("\n"))
    assert _keeps_test(tmp_path, f"if __name__ == '__main__':\n{inner}\n") is keeps


@pytest.mark.parametrize(
    ("default", "keeps"),
    [("0", True), ("False", True), ("()", True), ("F.relu", True), ("torch.zeros(1)", False), ("Net(1)", False)],
)
def test_what_a_parameter_is_by_default(default: str, keeps: bool, tmp_path: Path) -> None:
    assert (
        _keeps_test(tmp_path, f"def run(x={default}):\n    if use_cuda:\n        x = x.cuda()\n    return x\n") is keeps
    )
    kept = "class Run:\n    def __init__(self, loss={}):\n        self.loss = loss\n        if use_cuda:\n            self.loss.cuda()\n"
    assert _keeps_test(tmp_path, kept.format(default)) is (default == "F.relu")  # it may get a tensor later


def test_what_a_method_of_the_same_class_gives(tmp_path: Path) -> None:
    text = (
        "class Net:\n    def begin(self):\n        return {}\n\n    def run(self):\n        h = self.begin()\n"
        "        if use_cuda:\n            h = h.cuda()\n        return h\n"
    )
    for given, keeps in (("torch.zeros(1), torch.zeros(1)", True), ("torch.zeros(1)", False)):
        assert _keeps_test(tmp_path, text.format(given)) is keeps
