"""Whether an option is the number of the current card, or None, wherever something is put on its card."""

from __future__ import annotations

import pytest

from devlint.analysis.devices.current_card import is_current_card
from tests.support.questions import asked

HEAD = """import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", default=None, type=int)
parser.add_argument("--far", action="store_true")
args = parser.parse_args()
"""
CHOSEN = "if args.gpu is not None:\n    torch.cuda.set_device(args.gpu)\n"
BELOW = [
    (f"{CHOSEN}ask(args.gpu)", True),
    ("ask(args.gpu)\n" + CHOSEN, False),
    ("torch.cuda.set_device(args.gpu)\nask(args.gpu)", True),
    ("if args.gpu is None:\n    print()\nelse:\n    torch.cuda.set_device(args.gpu)\nask(args.gpu)", True),
    ("if args.gpu is None:\n    raise SystemExit\ntorch.cuda.set_device(args.gpu)\nask(args.gpu)", True),
    ("if args.gpu:\n    torch.cuda.set_device(args.gpu)\nask(args.gpu)", False),
    ("if args.far:\n    torch.cuda.set_device(args.gpu)\nask(args.gpu)", False),
    ("if args.far:\n    torch.cuda.set_device(args.gpu)\nelse:\n    raise SystemExit\nask(args.gpu)", True),
    ("if args.far:\n    torch.cuda.set_device(args.gpu)\nelif args.gpu is None:\n    print()\nask(args.gpu)", False),
    (
        "if args.far:\n    if args.gpu is not None:\n        torch.cuda.set_device(args.gpu)\n"
        "elif args.gpu is not None:\n    torch.cuda.set_device(args.gpu)\nelse:\n    print()\nask(args.gpu)",
        True,
    ),
    (
        "if not torch.cuda.is_available():\n    print()\nelif args.gpu is not None:\n"
        "    torch.cuda.set_device(args.gpu)\nask(args.gpu)",
        True,
    ),
    ("for i in range(3):\n    torch.cuda.set_device(args.gpu)\nask(args.gpu)", False),
    (f"{CHOSEN}args.gpu = 1\nask(args.gpu)", False),
    (f"args.gpu = 1\n{CHOSEN}ask(args.gpu)", True),
    (f"{CHOSEN}torch.cuda.set_device(0)\nask(args.gpu)", False),
    (f"{CHOSEN}torch.cuda.set_device(args.card)\nask(args.gpu)", False),
    (f"{CHOSEN}with torch.cuda.device(1):\n    ask(args.gpu)", False),
    ("if args.gpu is None:\n    ask(args.gpu)\ntorch.cuda.set_device(args.gpu)", True),
    ("if args.gpu is not None:\n    print()\nelse:\n    ask(args.gpu)\ntorch.cuda.set_device(args.gpu)", True),
    (f"{CHOSEN}ask(args.far)", False),
    (f"{CHOSEN}ask(args.a.gpu)", False),
    (f"gpu = args.gpu\n{CHOSEN}ask(gpu)", False),
    # functions
    (f"def f(args):\n    ask(args.gpu)\n{CHOSEN}f(args)", True),
    (f"def f(args):\n    ask(args.gpu)\nf(args)\n{CHOSEN}", False),
    (f"def f(args):\n    ask(args.gpu)\nf(args)\n{CHOSEN}f(args)", False),
    (f"def f(args):\n    ask(args.gpu)\n{CHOSEN}f(other)", False),
    (f"def f(args):\n    ask(args.gpu)\n{CHOSEN}run(f)", False),
    (
        "def run(gpu, args):\n    args.gpu = gpu\n    if args.gpu is not None:\n        torch.cuda.set_device(args.gpu)\n"
        "    ask(args.gpu)\nrun(args.gpu, args)",
        True,
    ),
    (
        "def train(opt):\n    ask(opt.gpu)\ndef run(args):\n    if args.gpu is not None:\n"
        "        torch.cuda.set_device(args.gpu)\n    for i in range(3):\n        train(args)\nrun(args)",
        True,
    ),
    (
        "def run(gpu, args):\n    torch.cuda.set_device(args.gpu)\n    args.gpu = gpu\n    ask(args.gpu)\n"
        "run(args.gpu, args)",
        False,
    ),
    (
        "def other(args):\n    args.gpu = 3\ndef run(args):\n    torch.cuda.set_device(args.gpu)\n    other(args)\n"
        "    ask(args.gpu)\nrun(args)",
        False,
    ),
]


@pytest.mark.parametrize(("body", "expected"), BELOW)
def test_whether_a_card_is_the_current_one(body: str, expected: bool) -> None:
    assert is_current_card(*asked(HEAD + body + "\n")) is expected
