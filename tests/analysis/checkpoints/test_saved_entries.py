"""Entries of checkpoints of which the project shows that they are numbers, and those that may be tensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

PROGRAM = """import torch
from torch import nn
from tools import evaluate, save

device = "cuda" if torch.cuda.is_available() else "cpu"
best_acc = 0
net = nn.Linear(2, 2).to(device)
if resume:
    checkpoint = torch.load("ckpt.pth")
    net.load_state_dict(checkpoint["net"])
    best_acc = checkpoint["acc"]


def test(loader):
    global best_acc
    correct = total = 0
    for inputs, targets in loader:
        total += targets.size(0)
        correct += net(inputs.to(device)).max(1)[1].eq(targets.to(device)).sum(){item}
    {acc}
    if acc > best_acc:
        best_acc = acc
        save({{"net": net.state_dict(), {entry}}})
"""
ITEM, ACC, ENTRY = ".item()", "acc = 100.0 * correct / total", '"acc": acc'
OTHERS = {
    "evaluate": "def evaluate(net):\n    loss = 0.0\n    for step in range(3):\n        loss += net(step).item()\n    return loss, loss / 3\n",
    "of a tensor": "def evaluate(net):\n    return net(1).mean(), net(2).mean()\n",
    "saves another": "def save_best(net, acc):\n    torch.save({'net': net.state_dict(), 'acc': acc}, 'best.pth')\n",
    "fills": "def fill(state, net):\n    state['acc'] = net(1).mean()\n",
}


@pytest.mark.parametrize(
    ("item", "acc", "entry", "other", "is_number"),
    [
        (ITEM, ACC, ENTRY, "evaluate", True),
        ("", ACC, ENTRY, "evaluate", False),
        (ITEM, "acc = float(correct) / total", ENTRY, "evaluate", True),
        ("", "acc = float(correct) / total", ENTRY, "evaluate", True),
        (ITEM, "loss, acc = evaluate(net)", ENTRY, "evaluate", True),
        (ITEM, "loss, acc = evaluate(net)", ENTRY, "of a tensor", False),
        (ITEM, "acc = max(correct, 3) if correct else -1", ENTRY, "evaluate", True),
        (ITEM, "acc = numpy.mean([correct])\nimport numpy", ENTRY, "evaluate", True),
        (ITEM, "acc = meter.avg", ENTRY, "evaluate", False),
        (ITEM, ACC, ENTRY, "saves another", False),
        (ITEM, ACC, ENTRY, "fills", False),
        (ITEM, ACC, '"best": acc', "evaluate", False),
    ],
)
def test_the_accuracy_of_a_checkpoint(
    tmp_path: Path, item: str, acc: str, entry: str, other: str, is_number: bool
) -> None:
    line, _, below = acc.partition("\n")
    text = f"{below}\n{PROGRAM.format(item=item, acc=line, entry=entry)}"
    fixed = fix_files(write_files(tmp_path / "p", {"main.py": text, "tools.py": OTHERS[other]}), unsafe=False)
    assert ("map_location=device)" in fixed["main.py"]) is is_number
    assert ("None" in fixed["main.py"]) is not is_number


LOADED = """import torch
from torch import nn
from tools import save

device = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Linear(2, 2).to(device)
checkpoint = torch.load("ckpt.pth")
net.load_state_dict(checkpoint["net"])
print(checkpoint["{key}"])
"""
SAVED = """import argparse
import torch

parser = argparse.ArgumentParser()


class Trainer:
    {body}

    def run(self):
        {lines}
        torch.save({{"net": self.net.state_dict(), "{key}": {value}}}, "ckpt.pth")
"""
SELF = "def validate(self):\n        return 1.0, {}"


@pytest.mark.parametrize(
    ("key", "value", "body", "lines", "is_plain"),
    [
        ("tag", '"v1"', "x = 1", "x = 2", True),
        ("tag", 'f"{x}"', "x = 1", "x = 2", True),
        ("tag", '"%s" % self.net', "x = 1", "x = 2", True),
        ("tag", "str(self.net)", "x = 1", "x = 2", True),
        ("tag", '"a-{}".format(self.net)', "x = 1", "x = 2", True),
        ("tag", "self.net", "x = 1", "x = 2", False),
        ("tag", "x > 1", "x = 1", "x = 2", True),
        ("tag", "x > y", "x = 1", "x = 2; y = self.net(3)", False),
        ("given", "vars(given)", "x = 1", "given = parser.parse_args()", True),
        ("given", "vars(given)", "x = 1", "given = self.net", False),
        ("shape", "[1, x]", "x = 1", "x = 2", True),
        ("shape", "(1, x)", "x = 1", "x = self.net(1)", False),
        ("shape", "x", "x = 1", "x = [2]; x.append(self.net(1))", False),
        ("shape", "x[0]", "x = 1", "x = self.net(1).shape", True),
        ("turn", "turn", "x = 1", "for turn, x in enumerate(data): pass", True),
        ("turn", "x", "x = 1", "for turn, x in enumerate(data): pass", False),
        ("turn", "turn", "x = 1", "for turn in tqdm(range(3)): pass", True),
        ("turn", "turn", "x = 1", "for turn in data: pass", False),
        ("turn", "self.turn", "turn = 0", "self.turn += 1", True),
        ("turn", "self.turn", "turn = 0", "self.turn = self.net(1)", False),
        ("turn", "self.turn", "turn = 0", "self.turn, x = 1, self.net(1)", True),
        ("turn", "self.turn", "turn = 0", "x, self.turn = 1, self.net(1)", False),
        ("turn", "self.turn", "x = 1", "x = 2", False),
        ("turn", "args.turn", "x = 1", "x = 2", True),
        ("turn", "args.turn", "x = 1", "args.turn = self.net(1)", False),
        ("turn", "self.turn", "def __init__(self, turn):\n        self.turn = turn", "Trainer(3).run()", True),
        ("turn", "self.turn", "def __init__(self, turn):\n        self.turn = turn", "Trainer(net(3)).run()", False),
        ("turn", "self.turn", "def __init__(self, turn):\n        self.turn = turn", "Trainer(turn=net(3))", False),
        ("turn", "self.turn", "def __init__(self, turn):\n        self.turn = turn", "Trainer(*args)", False),
        ("turn", "self.turn", "def __init__(self, turn):\n        self.turn = turn", "make(Trainer)", False),
        ("turn", "self.turn", "def __init__(self, turn):\n        self.turn = turn", "x = 1", False),
        ("turn", "x", SELF.format("3"), "_, x = self.validate()", True),
        ("turn", "x", SELF.format("self.net(3)"), "_, x = self.validate()", False),
        ("turn", "x", SELF.format("self.net(3)"), "x, _ = self.validate()", True),
        ("turn", "x", "x = 1", "x = self.validate()", False),
    ],
)
def test_what_stands_beside_a_state(
    tmp_path: Path, key: str, value: str, body: str, lines: str, is_plain: bool
) -> None:
    files = {
        "main.py": LOADED.format(key=key),
        "tools.py": SAVED.format(key=key, value=value, body=body, lines=lines),
    }
    fixed = fix_files(write_files(tmp_path / "p", files), unsafe=False)
    assert ("map_location=device)" in fixed["main.py"]) is is_plain
    assert ("None" in fixed["main.py"]) is not is_plain


CALLS = [
    ("save(3, net)", True),
    ("save(turn=3, net=net)", True),
    ("save(net(3), net)", False),
    ("save(3, net)\nsave(net(3), net)", False),
    ("run(save)", False),
    ("save(*given)", False),
    ("if save:\n    pass", False),
    ("import tools as t\nt.save(net(3), net)", False),
    ("from tools import save as keep\nkeep(net(3), net)", False),
]


@pytest.mark.parametrize(("calls", "is_plain"), CALLS)
def test_what_a_function_is_given(tmp_path: Path, calls: str, is_plain: bool) -> None:
    saver = "import torch\n\n\ndef save(turn, net):\n    torch.save({'net': net.state_dict(), 'turn': turn}, 'a.pt')\n"
    other = "class Data:\n    def save(self, x):\n        self.save(net(x))\n"
    files = {"main.py": LOADED.format(key="turn") + calls + "\n", "tools.py": saver, "other.py": other}
    fixed = fix_files(write_files(tmp_path / "p", files), unsafe=False)
    assert ("map_location=device)" in fixed["main.py"]) is is_plain
    assert ("None" in fixed["main.py"]) is not is_plain


OPTION = """import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--clip", type=float, default=9.0)
args = parser.parse_args()
device = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Linear(2, 2).to(device)
checkpoint = torch.load("ckpt.pth")
net.load_state_dict(checkpoint["net"])
args.clip = checkpoint{asked}
clip = min(args.clip, {norm})
torch.save({{"net": net.state_dict(), {saved}: clip}}, "new.pth")
"""


@pytest.mark.parametrize("asked", ['["clip"]', '.get("clip", 9.0)'])
@pytest.mark.parametrize(
    ("norm", "saved", "is_number"),
    [
        ("nn.utils.clip_grad_norm_(net.parameters(), 1.0)", '"clip"', False),
        ("nn.utils.clip_grad_norm_(net.parameters(), 1.0).item()", '"clip"', True),
        ("nn.utils.clip_grad_norm_(net.parameters(), 1.0)", '"other"', True),
    ],
)
def test_an_option_that_a_checkpoint_gives(tmp_path: Path, asked: str, norm: str, saved: str, is_number: bool) -> None:
    text = OPTION.format(asked=asked, norm=norm, saved=saved)
    fixed = fix_files(write_files(tmp_path / "p", {"train.py": text}))["train.py"]
    assert ('torch.load("ckpt.pth", map_location=device)' in fixed) is is_number
    assert 'torch.load("ckpt.pth", map_location="cpu" if device == "cpu" else None)' in fixed or is_number
