"""Which lines of its output a program prints because it has asked for CUDA."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devlint.verify.child.device_questions import AskingLines
from devlint.verify.child.told_output import ToldOutput

BRANCHES = [
    "if torch.cuda.is_available():",
    "if not torch.accelerator.is_available():",
    "if net.weight.is_cuda and debug:",
    "if device.type != 'cuda':",
    "if args.cuda:",
    "if n_gpu > 1:",
]
OTHERS = ["if True:", "if args.verbose:", "if device:", "if 'cuda':", "while net.is_cuda:"]
HEAD = "n_gpu = torch.cuda.device_count()\nargs.cuda = not args.cpu and torch.cuda.is_available()\n"
HEAD += "device = torch.device('cuda' if args.cuda else 'cpu')\n"


@pytest.mark.parametrize("head", BRANCHES + OTHERS)
def test_branches(head: str) -> None:
    found = AskingLines.of(f"{HEAD}{head}\n    print(1)\nelse:\n    print(\n2)\nprint(3)\n".encode())
    assert found.branches == ({5, 7, 8} if head in BRANCHES else frozenset())


@pytest.mark.parametrize(
    ("statement", "asks"),
    [
        ("print(torch.cuda.is_available())", True),
        ("print('GPU' if args.cuda else 'CPU')", True),
        ("print(n_gpu)", True),
        ("print(x.to(device))", False),
        ("print(args, cuda, is_available())", False),
        ("for i in range(n_gpu): print(i)", False),
        ("no Python", False),
    ],
)
def test_statements(statement: str, asks: bool) -> None:
    assert (4 in AskingLines.of(f"{HEAD}{statement}\n".encode()).statements) is asks


PROGRAM = """
import torch
def log(*words):
    print(*words)
if torch.cuda.is_available() or True:
    log("in", "a\\nbranch", "\\n" + 2000 * "x")
    print("begun", end=" ")
print("unasked")
print(torch.cuda.is_available(), end="")
print("")
log(torch.cuda.is_available())
"""


def test_the_lines_that_a_program_prints(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    number = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT)
    with ToldOutput(number) as output, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", output)
        exec(compile(PROGRAM, str(path), "exec"), {})
    os.close(number)
    assert output.lines == ["in a", "branch ", 2000 * "x"] and list(output.places) == ["program.py:6"]
    assert (tmp_path / "out").read_text() == f"in a\nbranch \n{2000 * 'x'}\nbegun unasked\nFalse\nFalse\n"
