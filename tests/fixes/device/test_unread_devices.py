"""A device that a flag chooses and nothing reads says nothing about where a program runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint import fix
from tests.support.projects import fix_files, write_files

DATA = "import torch\n\n\ndef load():\n    return torch.ones(2){}\n"
MAIN = """import argparse

import torch

from data import load

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")

if __name__ == "__main__":
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")
    net = torch.nn.Linear(2, 2).cuda()
    print(net(load()){})
"""


@pytest.mark.parametrize(
    ("data", "rest", "written"),
    [
        (".cuda()", "", ".to(torch_device)"),
        ('.to("cuda" if torch.cuda.is_available() else "cpu")', "", ".to(torch_device)"),
        ("", "", ".to(torch_device)"),
        (".cuda()", ")\n    print('on', device", ".to(torch_device)"),
        (".cuda()", ".to(device)", ".to(torch_device)"),
        ("", ")\n    print(net(load().to(device))", ".to(device)"),
        (".cuda()", ")\n    if not args.no_cuda:\n        print(net.weight.cuda()", ".to(device)"),
    ],
)
def test_what_others_move_without_asking(tmp_path: Path, data: str, rest: str, written: str) -> None:
    (tmp_path / "data.py").write_text(DATA.format(data))
    program = tmp_path / "main.py"
    program.write_text(MAIN.format(rest))
    text = fix(program, isolated=True).text
    assert f"torch.nn.Linear(2, 2){written}\n" in text
    of_torch = 'torch_device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    assert (of_torch in text) is (written == ".to(torch_device)")


def test_what_is_moved_in_a_file_that_is_imported_by_one_that_is(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text("import inner\n\n\ndef load():\n    return inner.load()\n")
    (tmp_path / "inner.py").write_text(DATA.format(".cuda()"))
    program = tmp_path / "main.py"
    program.write_text(MAIN.format(""))
    assert "torch.nn.Linear(2, 2).to(torch_device)\n" in fix(program, isolated=True).text


def test_what_the_file_moves_out_of_sight(tmp_path: Path) -> None:
    program = tmp_path / "main.py"
    program.write_text(
        "import torch\n\n\ndef train(net, x):\n    return net(x.cuda())\n\n\ndef main(args):\n"
        '    device = torch.device("cuda" if torch.cuda.is_available() and not args.cpu else "cpu")\n'
        "    return train(torch.nn.Linear(2, 2).cuda(), torch.ones(2))\n"
    )
    assert ".to(device), torch.ones(2)" not in fix(program, isolated=True).text


RUNNER = (
    "import torch\n\n\nclass Runner:\n    def __init__(self, args):\n        self.device = torch.device(args.device)\n\n"
    "    def score(self, x):\n        return x.cuda().sum()\n"
)


@pytest.mark.parametrize(
    ("other", "written"),
    [
        ("", ".to(device)"),
        ("class Heir(Runner):\n    def run(self, x):\n        return x.to(self.device)\n", ".to(self.device)"),
        ("def run(args, x):\n    return Runner(args), x.to(args.device)\n", ".to(device)"),
    ],
)
def test_the_device_of_an_instance_that_other_files_may_read(tmp_path: Path, other: str, written: str) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "main.py").write_text(f"from runner import Runner\n\n\n{other}")
    program = tmp_path / "runner.py"
    program.write_text(RUNNER)
    assert f"return x{written}.sum()\n" in fix(program, isolated=True).text


@pytest.mark.parametrize(
    ("told", "written"),
    [
        ("print(runner.score(x).device)", ".to(device)"),
        ("print([one.device for one in runner.scores(x)])", ".to(device)"),
        ("print(runner.score(x.to(runner.device)))", ".to(self.device)"),
        ("print(runner.score(x) + other(x).to(runner.device))", ".to(self.device)"),
    ],
)
def test_a_device_that_another_file_only_tells(tmp_path: Path, told: str, written: str) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "main.py").write_text(
        f"from runner import Runner\n\n\ndef run(x, runner: Runner, other):\n    {told}\n"
    )
    program = tmp_path / "runner.py"
    program.write_text(RUNNER)
    assert f"return x{written}.sum()\n" in fix(program, isolated=True).text


KEPT = """\
import torch


class Flow(torch.nn.Module):
    def __init__(self, device="cuda"):
        super().__init__()
        self.device = device{}

    def forward(self, x):
        return x * torch.ones(x.size()).cuda(){}
"""


@pytest.mark.parametrize(
    ("kept", "used", "follows"),
    [
        ("", "", False),
        ("\n        print(self.device)", "", False),
        ("\n        self.net = torch.nn.Linear(2, 2).to(device)", "", True),
        ("", " + torch.zeros(1, device=self.device)", True),
    ],
)
def test_a_device_that_an_instance_only_keeps(tmp_path: Path, kept: str, used: str, follows: bool) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "main.py").write_text("from flow import Flow\n\n\ndef make(args):\n    return Flow(args.device)\n")
    program = tmp_path / "flow.py"
    program.write_text(KEPT.format(kept, used))
    text = fix(program, isolated=True).text
    assert (
        "torch.ones(x.size()).to(self.device)" in text or "device=self.device)" in text.partition(" +")[0]
    ) is follows
    assert ".cuda()" not in text


CUT = """\
import argparse

import torch


def score(net, batches, args):
    found = []
    for x in batches:
        found.append(net(x.to(args.device)){})
    found = torch.cat(found).cuda()
    return {}(found @ found.t()).sum().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no_cuda", action="store_true")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")
    args.device = device
    print(score(torch.nn.Linear(2, 2).to(device), [torch.rand(3, 2)], args))
"""


@pytest.mark.parametrize(
    ("left", "used", "follows"),
    [
        (".cpu()", "", False),
        (".to('cpu')", "", False),
        (".to(torch.device('cpu'))", "", False),
        (".to(args.device)", "", True),
        ("", "", False),
        (".cpu()", "net", True),
        ("", "net", True),
    ],
)
def test_what_was_taken_to_the_cpu_before(tmp_path: Path, left: str, used: str, follows: bool) -> None:
    program = tmp_path / "train.py"
    program.write_text(CUT.format(left, used))
    text = fix(program, isolated=True).text
    assert ("found = torch.cat(found).to(args.device)" in text) is follows


COUNTED = """\
import argparse

import torch


class Meter:
    def __init__(self):
        self.sum = {kept}

    def add(self, value):
        self.last = self.sum{used}value)


def score(net, batches, args):
    found, entropy = [], 0.0
    for x in batches:
        one = net(x.to(args.device))
        rows, width = {size}
        spread = one - one.{sum}(-1, keepdim=True)
        entropy += (spread * width).sum().item()
        found.append(one.cpu())
    for one in found:
        noise = torch.randn_like(one.cuda()).view(-1, width)
        spread = noise - noise.{sum}(-1, keepdim=True)
        entropy -= spread.max().item()
    return entropy


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no_cuda", action="store_true")
    args = parser.parse_args()
    args.device = torch.device("cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")
    print(score(torch.nn.Linear(2, 2).to(args.device), [torch.rand(3, 2)], args))
"""
PLUS = " + ("


@pytest.mark.parametrize(
    ("changed", "follows"),
    [
        ({}, False),
        ({"size": "one.shape"}, False),
        ({"size": "len(one), one.size(1) // 2"}, False),
        ({"size": "one.max(-1)"}, True),
        ({"size": "2, 2", "sum": "sum"}, False),
        ({"size": "2, 2", "sum": "sum", "kept": "torch.nn.Linear(2, 2)", "used": "("}, True),
    ],
)
def test_numbers_and_methods_of_tensors_join_nothing(tmp_path: Path, changed: dict[str, str], follows: bool) -> None:
    program = tmp_path / "train.py"
    words = {"kept": "0.0", "used": PLUS, "size": "one.size()", "sum": "mean"} | changed
    program.write_text(COUNTED.format(**words))
    text = fix(program, isolated=True).text
    assert ("randn_like(one.to(args.device))" in text) is follows


HANDED = {
    "tools.py": """\
import torch


class Scorer:
    def __init__(self, device):
        self.device = {kept}

    def run(self, net, batches):
        found, total = [], 0.0
        for x in batches:
            one = net(x.to(self.device))
            total += spread(one).item()
            found.append(one.cpu())
        one = torch.cat(found).cuda()
        return total - spread(one).item()


def spread(value):
    return value.max() - value.min()
""",
    "train.py": """\
import argparse

import torch
{taken}
from tools import Scorer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no_cuda", action="store_true")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")
    scorer = Scorer(device)
    print(scorer.run(torch.nn.Linear(2, 2).to(device), [torch.rand(3, 2)]){used})


if __name__ == "__main__":
    main()
""",
}
TAKEN = {"taken": "from tools import spread", "used": ", spread(torch.rand(2, device=scorer.device))"}
REBOUND = "device\n        device = torch.device(device)\n        self.device = device"


@pytest.mark.parametrize(
    ("changed", "follows"),
    [
        ({}, False),
        ({"kept": "torch.device(device)"}, False),
        ({"kept": REBOUND}, False),
        (TAKEN, True),
    ],
)
def test_a_function_that_both_call_joins_nothing_with_other_files(
    tmp_path: Path, changed: dict[str, str], follows: bool
) -> None:
    words = {"kept": "device", "taken": "", "used": ""} | changed
    files = {name: text.format(**words) for name, text in HANDED.items()}
    text = fix_files(write_files(tmp_path / "p", files)).get("tools.py", files["tools.py"])
    assert ("torch.cat(found).to(self.device)" in text) is follows


@pytest.mark.parametrize(
    ("test", "follows"),
    [
        ("torch.cuda.is_available() and not args.slow", False),
        ("torch.cuda.is_available()", True),
        ("torch.cuda.is_available() and torch.cuda.device_count() > 0", True),
    ],
)
def test_a_device_that_a_branch_gives_for_an_option_of_another_kind(tmp_path: Path, test: str, follows: bool) -> None:
    program = tmp_path / "main.py"
    program.write_text(
        "import argparse\nimport torch\n\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--slow', action='store_true')\nargs = parser.parse_args()\n"
        f"if {test}:\n    args.device = 'cuda'\nelse:\n    args.device = 'cpu'\n\n\n"
        "def show(args, x):\n    net = torch.nn.Linear(3, 3).to(args.device)\n    print(net)\n    print(x.cuda() + 1)\n\n\n"
        "show(args, torch.zeros(3))\n"
    )
    assert ("print(x.to(args.device) + 1)" in fix(program, isolated=True).text) is follows
