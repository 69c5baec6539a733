"""No safe fix asks for CUDA before the program has chosen its GPUs, unless the program did so itself."""

from __future__ import annotations

import itertools
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from devlint.sources.source import Source
from tests.support import engine
from tests.support.rule_cases import CUDA, found, rule
from tests.support.sampling import some

RULES = [rule(code) for code in ("DEV101", "DEV102", "DEV103", "DEV105")]
HEAD = """
import argparse
import os
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
parser.add_argument("--gpu", default="0")
"""
PARSE = "args = parser.parse_args()"
SET = 'os.environ["CUDA_VISIBLE_DEVICES"] = "0"'
CHOICES = {"directly": SET, "in a function": "setup()", "on a condition": f'if args.gpu == "0":\n    {SET}'}
FLAGS = {
    "the option": "use_cuda = args.cuda",
    "the option's opposite": "use_cuda = not args.cuda",
    "the option and the answer": "use_cuda = args.cuda and torch.cuda.is_available()",
    "the answer": "use_cuda = torch.cuda.is_available()",
    "a constant": "use_cuda = True",
}
MOVES = {
    "under the flag": "x = torch.ones(2)\nif use_cuda:\n    x = x.cuda()",
    "as one expression": "x = torch.ones(2).cuda() if use_cuda else torch.ones(2)",
    "under the option": "x = torch.ones(2)\nif args.cuda:\n    x = x.cuda()",
    "in any case": "x = torch.ones(2).cuda()",
    "by a function": "x = move(torch.ones(2), use_cuda)",
    "by an instance": "x = Mover(use_cuda).move(torch.ones(2))",
}
HELPERS = f"""
def setup():
    {SET}
def move(x, use_cuda):
    if use_cuda:
        x = x.cuda()
    return x
class Mover:
    def __init__(self, use_cuda=True):
        self.use_cuda = use_cuda
    def move(self, x):
        if self.use_cuda:
            x = x.cuda()
        return x
"""


def indented(*lines: str) -> str:
    return "\n".join("    " + line for line in "\n".join(lines).split("\n"))


def program(choice: str, flag: str, move: str, order: tuple[str, ...], outside: int) -> str:
    """A program whose parts come in an order; the first ones at module level, the others in ``main``."""
    parts = {"choice": choice, "flag": flag, "move": move}
    lines = [parts[name] for name in order]
    main = "def main():\n" + indented(*(lines[outside:] or ["pass"]))
    return "\n".join([HEAD + HELPERS, main, PARSE, *lines[:outside], "main()"]) + "\n"


ORDERS = [one for one in itertools.permutations(("choice", "flag", "move")) if one.index("flag") < one.index("move")]
PLACES = [(order, outside) for order in ORDERS for outside in range(4)]


class Tensor:
    """Notes when it goes to CUDA."""

    def __init__(self, events: list[str]) -> None:
        self._events = events

    def cuda(self) -> Tensor:
        self._events.append("asks")
        return self

    def to(self, device: str) -> Tensor:
        return self.cuda() if device == "cuda" else self


class Environment(dict[str, str]):
    """Notes when the GPUs are chosen."""

    def __init__(self, events: list[str]) -> None:
        super().__init__()
        self._events = events

    def __setitem__(self, name: str, value: str) -> None:
        self._events.append("chooses")


def asks_early(text: str, options: list[str], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a program, run where there is CUDA, asks for it and chooses its GPUs only then."""
    events: list[str] = []

    def is_available() -> bool:
        events.append("asks")
        return True

    torch: Any = ModuleType("torch")
    torch.cuda = SimpleNamespace(is_available=is_available)
    torch.device = str
    torch.ones = lambda *_: Tensor(events)
    system: Any = ModuleType("os")
    system.environ = Environment(events)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "torch", torch)
        patch.setitem(sys.modules, "os", system)
        patch.setattr(sys, "argv", ["program.py", *options])
        exec(compile(text, "program.py", "exec"), {"__name__": "__main__"})
    return "asks" in events and "chooses" in events[events.index("asks") :]


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
@pytest.mark.parametrize("flag", FLAGS.values(), ids=FLAGS)
@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
def test_no_fix_asks_before_the_choice(choice: str, flag: str, move: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for order, outside in some(PLACES, 6):
        text = program(choice, flag, move, order, outside)
        result = engine.fix(Source.from_text("case.py", text), RULES, CUDA, False)
        assert result.failure is None, result.failure
        for options in ([], ["--cuda"]):
            assert asks_early(result.text, options, monkeypatch) <= asks_early(text, options, monkeypatch), result.text
        assert len(found("DEV302", result.text)) <= len(found("DEV302", text))


@pytest.mark.parametrize("inner", ["def f(): return x.cuda()", "f = lambda: x.cuda()"])
def test_a_function_in_a_block_is_called_before_the_choice(inner: str) -> None:
    code = f"import os, torch\ndef main():\n    if a:\n        {inner}\n    f()\n    {SET}\n"
    result = engine.fix(Source.from_text("case.py", code), RULES, CUDA, unsafe=True)
    assert (result.text, result.failure) == (code, None)


def test_a_subscript_is_no_choice() -> None:
    code = 'import os, torch\nx = y.cuda()\nx[os.environ["CUDA_VISIBLE_DEVICES"]] = 1\n'
    result = engine.fix(Source.from_text("case.py", code), RULES, CUDA)
    assert "import os, torch\n\ndevice = " in result.text


def test_a_comprehension_does_not_see_what_a_class_defines() -> None:
    code = 'import torch\nclass C:\n    if __name__ == "__main__":\n        x = [torch.ones(1).cuda() for i in a]\n'
    fixed = engine.fix(Source.from_text("a.py", code), [rule("DEV101")], CUDA, unsafe=True)
    assert fixed.failure is None and "\ndevice = torch.device(" in fixed.text
