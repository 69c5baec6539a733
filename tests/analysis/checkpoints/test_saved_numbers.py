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
