"""Whether ``load_state_dict`` of an object copies values into its own tensors, wherever they are."""

from __future__ import annotations

import pytest

from devlint.analysis.transfers.checkpoint_loads import copies_state
from tests.support.questions import asked

CASES = [
    ("net = nn.Linear(1, 2)\nask(net)", True),
    ("net = nn.Linear(1, 2).to(d)\nask(net)", True),
    ("net = nn.Linear(1, 2)\nnet = net.cuda()\nask(net)", True),
    ("net = nn.Linear(1, 2)\nnet.eval()\nask(net)", True),
    ("net = nn.Linear(1, 2)\nnet = net.eval()\nask(net)", True),
    ("net = nn.Linear(1, 2)\nnet = net.train()\nask(net)", True),
    ("net = nn.Linear(1, 2)\nnet = net.other()\nask(net)", False),
    ("net = get()\nask(net)", False),
    ("net = other\nask(net)", False),
    ("net = nn.Linear(1, 2)\nnet = net\nask(net)", True),
    ("net = torch.optim.SGD(p)\nask(net)", True),
    ("class A(nn.Module):\n    pass\nnet = A()\nask(net)", True),
    ("class A(nn.Module):\n    def load_state_dict(self, s):\n        pass\nnet = A()\nask(net)", False),
    ("class A:\n    pass\nnet = A()\nask(net)", False),
    ("class A(nn.Module):\n    def f(self):\n        ask(self)", True),
    ("class A(B):\n    def f(self):\n        ask(self)", False),
    ("import torchvision\nnet = torchvision.models.resnet18()\nask(net)", True),
    ("ask(nn.Linear(1, 2))", False),
    ("def f(net):\n    ask(net)", False),
    ("net = A\nask(net)", False),
    ("class A(nn.Module):\n    pass\nA = 3\nnet = A()\nask(net)", False),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_copies_state(text: str, expected: bool) -> None:
    assert copies_state(*asked(f"import torch\nfrom torch import nn\n{text}")) is expected
