"""What TorchScript compiles, or may compile."""

from __future__ import annotations

import pytest

from devlint.analysis.names.torchscript import is_compiled, may_be_compiled
from tests.support.questions import asked

COMPILED = [
    ("@torch.jit.script\ndef f(x):\n    ask(x)", True),
    ("@jit.script\ndef f(x):\n    ask(x)", True),
    ("from torch.jit import script\n@script\ndef f(x):\n    ask(x)", True),
    ("@torch.jit.script_method\ndef f(x):\n    ask(x)", True),
    ("@torch.jit.export\ndef f(x):\n    ask(x)", True),
    ("@torch.jit.ignore\ndef f(x):\n    ask(x)\ntorch.jit.script", False),
    ("@torch.jit.script\ndef f(x):\n    pass\nask(x)", False),
    ("@torch.jit.script\ndef f(x):\n    def g():\n        ask(x)", True),
    ("def f(x):\n    ask(x)\ng = torch.jit.script(f)", True),
    ("def f(x):\n    ask(x)\ng = torch.jit.script(h)", False),
    ("def f(x):\n    ask(x)\ng = torch.jit.script()", False),
    ("def f(x):\n    ask(x)\ng = torch.jit.trace(f)", False),
    ("class A:\n    def f(self):\n        ask(x)\ntorch.jit.script(A())", True),
    ("class A:\n    def f(self):\n        ask(x)\nnet = A()\ntorch.jit.script(net)", True),
    ("class A:\n    def __init__(self):\n        ask(x)\ntorch.jit.script(A())", False),
    ("class A:\n    x = ask(1)\ntorch.jit.script(A())", True),
    ("class A:\n    def f(self):\n        ask(x)\nnet = make(A)\ntorch.jit.script(net)", False),
    ("class A:\n    def f(self):\n        ask(x)\nnet = a.A()\ntorch.jit.script(net)", False),
]
"""Programs, and whether TorchScript compiles what holds the question."""
MAY_BE = [
    ("class A(nn.Module):\n    def forward(self):\n        ask(x)\ntorch.jit.script(n)", True),
    ("class A(nn.Module):\n    def forward(self):\n        ask(x)\n# torch.jit.is_scripting()", True),
    ("class A(nn.Module):\n    def forward(self):\n        ask(x)", False),
    ("class A(nn.Module):\n    def __init__(self):\n        ask(x)\ntorch.jit.script(n)", False),
    ("class A(nn.Module):\n    x = ask(1)\ntorch.jit.script(n)", False),
    ("class A:\n    def forward(self):\n        ask(x)\ntorch.jit.script(n)", False),
    ("def forward(self):\n    ask(x)\ntorch.jit.script(n)", False),
]


@pytest.mark.parametrize(("text", "expected"), COMPILED)
def test_is_compiled(text: str, expected: bool) -> None:
    assert is_compiled(*asked(f"import torch\n{text}")) is expected


@pytest.mark.parametrize(("text", "expected"), MAY_BE)
def test_may_be_compiled(text: str, expected: bool) -> None:
    assert may_be_compiled(*asked(f"import torch\nfrom torch import nn\n{text}")) is expected
