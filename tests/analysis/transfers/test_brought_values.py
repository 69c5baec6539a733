"""What other files put on CUDA without asking the flag: the test for the flag stays where it moves that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

OTHER = """\
import torch
from torch import nn
from torch.utils.data import Dataset

rows = torch.rand(8, 4){rows}


def row(i):
    return rows[i]


class Rows(Dataset):
    def __init__(self, n):
        self.rows = torch.rand(n, 4){rows}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Net(nn.Module):
    def forward(self, x):
        return x{rows}


def build():
    return Net()


def never():
    return torch.zeros(2).cuda()
"""
TRAIN = """\
import argparse

import torch
import other
from other import Rows, build, row, rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", action="store_true", default=True)
    args = parser.parse_args()
    net = build()
    for i in range(3):
        x = {made}
        if args.cuda:
            x = x.cuda()
        print(x)


if __name__ == "__main__":
    main()
"""


def keeps_test(folder: Path, train: str, placed: str) -> bool:
    files = {"setup.py": "", "other.py": OTHER.format(rows=placed), "train.py": train}
    after = fix_files(write_files(folder / "p", files), unsafe=False)["train.py"]
    return "        if args.cuda:\n" in after


@pytest.mark.parametrize(
    "made",
    [
        "rows[i]",
        "other.rows[i]",
        "row(i)",
        "other.row(i + 1)",
        "net(torch.ones(2))",
        "next(iter(Rows(i)))",
        "[one for one in torch.utils.data.DataLoader(Rows(i))]",
    ],
)
def test_what_another_file_gives_is_where_that_puts_it(tmp_path: Path, made: str) -> None:
    assert keeps_test(tmp_path, TRAIN.format(made=made), ".cuda()")


@pytest.mark.parametrize(
    ("made", "placed"),
    [
        ("row(i)", ""),
        ("net(torch.ones(2))", ""),
        ("torch.ones(2)", ".cuda()"),
        ("torch.from_numpy(row(i).cpu().numpy())", ".cuda()"),
    ],
)
def test_what_nobody_puts_on_cuda_needs_no_test(tmp_path: Path, made: str, placed: str) -> None:
    assert not keeps_test(tmp_path, TRAIN.format(made=made), placed)


WALKED = """\
import argparse

import torch
from torch.utils.data import DataLoader
from other import Rows


def train(model, loader, args):
    for x in loader:
        if args.cuda:
            x = x.cuda()
        print(model(x))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", action="store_true")
    args = parser.parse_args()
    model = torch.nn.Linear(4, 2).cuda()
    train(model, DataLoader(Rows(8)), args)


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(("placed", "stays"), [(".cuda()", True), ("", False)])
def test_what_is_given_to_a_function_of_the_file(tmp_path: Path, placed: str, stays: bool) -> None:
    """A model that meets what may be on CUDA works there without the flag, too."""
    files = {"setup.py": "", "other.py": OTHER.format(rows=placed), "train.py": WALKED}
    after = fix_files(write_files(tmp_path / "p", files), unsafe=False)["train.py"]
    assert ("        if args.cuda:\n" in after) is stays
    made = (
        after.index('device = torch.device("cuda" if torch.cuda') if stays else after.rindex("if args.cuda and torch")
    )
    assert made < after.index("model = torch.nn.Linear(4, 2).to(device)")
    assert (made < after.index("def train")) is stays


NETS = (
    "import torch\nimport torch.nn as nn\n{}\n\nclass Small(nn.Module):\n    def __init__(self):\n"
    "        super().__init__()\n        self.scale = nn.Parameter(torch.ones(1){})\n\n"
    "    def forward(self, x):\n        return x.cuda() * self.scale\n\n\n"
    "class Large(Small):\n    pass\n"
)
CHOOSING = (
    "import argparse\nimport nets\nfrom tables import get\n\nparser = argparse.ArgumentParser()\n"
    "parser.add_argument('--arch', default='Small')\nparser.add_argument('--cuda', action='store_true')\n"
    "args = parser.parse_args()\nnet = {}\nif args.cuda:\n    net.cuda()\nprint(net)\n"
)
TABLES = (
    "TABLE = {}\n\n\ndef register(name):\n    def keep(made):\n        TABLE[name] = made\n        return made\n\n"
    "    return keep\n\n\ndef get(name):\n    return TABLE[name]()\n"
)


@pytest.mark.parametrize("made", ["nets.__dict__[args.arch]()", "getattr(nets, args.arch)()", "get(args.arch)"])
@pytest.mark.parametrize("placed", [True, False])
def test_classes_that_a_program_chooses_by_name(tmp_path: Path, made: str, placed: bool) -> None:
    nets = NETS.format("from tables import register\n", ".cuda()" if placed else "")
    nets = nets.replace("class Small", "@register('Small')\nclass Small")
    nets = nets if placed else nets.replace("x.cuda()", "x")
    files = {"README.md": "", "nets.py": nets, "tables.py": TABLES, "main.py": CHOOSING.format(made)}
    fixed = {**files, **fix_files(write_files(tmp_path / "p", files))}["main.py"]
    assert ("if args.cuda:\n" in fixed) is placed
