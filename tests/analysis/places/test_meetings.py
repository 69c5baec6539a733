"""Which tensors on the CPU meet others, in what, where those are, and which device would mend it."""

from __future__ import annotations

import pytest

from devlint.analysis.places.results.missing_devices import MissingDevice, missing_devices, unregistered_tensors
from tests.analysis.places.cases import cases, program_with


def in_words(text: str, one: MissingDevice) -> str:
    """``ones(x.device) + on the device of `x` ``: what makes it with which device, the operation, and the partner.

    Behind ``by`` stands the line that calls the function of the operation.
    """
    line = text.splitlines()[one.place.row - 1]
    place = line[one.place.column : one.place.end_column]
    at = "" if place == line.strip().removeprefix("return ") else f" at {place}"
    by = f" by {text.splitlines()[one.call_row - 1].strip()}" if one.call_row else ""
    return f"{one.maker}({one.device}) {one.kind} {one.partner}{at}{by}"


def met(text: str) -> str:
    return "; ".join(in_words(text, one) for one in missing_devices(text)) or "nothing"


@pytest.mark.parametrize(("body", "expected"), cases("meetings"))
def test_what_meets(body: str, expected: str) -> None:
    assert met(program_with(body)) == expected


HEAD = "import torch\nimport torch.nn as nn\nimport pytorch_lightning as pl\nfrom transformers import PreTrainedModel\n"
MODULE = "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"


@pytest.mark.parametrize(("text", "expected"), cases("programs"))
def test_which_device_a_program_has_at_hand(text: str, expected: str) -> None:
    assert met(HEAD + text + "\n") == expected


KEPT = [
    ("self.t = torch.ones(2)", "return x + self.t", "t + on the device of `x`"),
    ("self.t = torch.ones(2)", "return self.lin(self.t)", "t nn.Linear where the module is"),
    ("self.t = torch.ones(2)", "return self.t", ""),
    ("self.t = torch.ones(2)", "return x + self.t.to(x)", ""),
    ("self.t = torch.tensor(2)", "return x + self.t", ""),
    ("self.register_buffer('t', torch.ones(2))", "return x + self.t", ""),
    ("self.t = nn.Parameter(torch.ones(2))", "return x + self.t", ""),
    ("self.t = [torch.ones(2), torch.zeros(2)]", "return x + self.t[0]", ""),
]
"""What a module keeps of a tensor, what it does with it, and what is said."""


MOVES = [
    ("self.scale = self.scale.to(device)\n        return super().to(device)", "noise"),
    ("self.scale = self.scale.to(device)\n        self.noise.data = self.noise.to(device)", ""),
    ("self.scale = self.scale.to(device)\n        vars(self).update(moved(self, device))", ""),
    ("return moved(self, device)", ""),
]
"""How a module moves what it keeps, and what it forgets."""


@pytest.mark.parametrize(("moves", "expected"), MOVES)
def test_attributes_that_a_module_forgets_when_it_moves_others(moves: str, expected: str) -> None:
    kept = "        self.scale = torch.ones(2)\n        self.noise = torch.ones(2)\n"
    used = f"    def forward(self, x):\n        return x * self.scale + self.noise\n    def to(self, device):\n        {moves}\n"
    assert "; ".join(one.attribute for one in unregistered_tensors(HEAD + MODULE + kept + used)) == expected


@pytest.mark.parametrize(("kept", "used", "expected"), KEPT)
def test_attributes_that_do_not_move_with_their_module(kept: str, used: str, expected: str) -> None:
    methods = f"        self.lin = nn.Linear(2, 2)\n        {kept}\n    def forward(self, x):\n        {used}\n"
    found = unregistered_tensors(HEAD + MODULE + methods)
    assert "; ".join(f"{one.attribute} {one.kind} {one.partner}" for one in found) == expected


def test_functions_inside_that_call_one_another_end() -> None:
    text = (
        "import torch\n\ndef f(x, device):\n"
        "    def outer(value, n=None):\n        if n:\n            def inner(part):\n                return outer(part)\n"
        "            return mapped(inner, value)\n        return value\n"
        "    return mapped(outer, x.to(device) * torch.ones(4))\n"
    )
    assert met(text) == "ones(device) * on `device` at x.to(device) * torch.ones(4)"
