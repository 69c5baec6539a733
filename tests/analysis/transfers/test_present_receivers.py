"""What only a program with CUDA has is not moved without CUDA, where nothing has asked for it until now."""

from __future__ import annotations

import pytest

from devlint.core.target import Target
from devlint.rules.guarded_cuda_move import GuardedCudaMove
from devlint.sources.source import Source
from tests.support import engine

FLAG = 'import torch\n\nuse_cuda = torch.cuda.is_available()\ndevice = torch.device("cuda" if use_cuda else "cpu")\n'
NET = "net = torch.nn.Linear(1, 1)\n"


@pytest.mark.parametrize(
    ("lines", "keeps"),
    [
        ("if use_cuda:\n    x = torch.ones(2)\ny = 1\nif use_cuda:\n    x = x.cuda()", True),
        ("x = torch.ones(1)\nif use_cuda:\n    x = torch.ones(2)\nif use_cuda:\n    x = x.cuda()", False),
        ("if use_cuda:\n    net = torch.nn.DataParallel(net)\nif use_cuda:\n    net.module.cuda()", True),
        ("net = torch.nn.DataParallel(net)\nif use_cuda:\n    net.module.cuda()\nprint(net.module)", False),
        ("if use_cuda:\n    b['x'] = b['x'].cuda()", True),
        ("print(b['x'])\nif use_cuda:\n    b['x'] = b['x'].cuda()", False),
        ("b['x'] = torch.ones(1)\nif use_cuda:\n    b['x'] = b['x'].cuda()", False),
        ("if use_cuda:\n    b['x'] = torch.ones(1)\nif use_cuda:\n    b['x'] = b['x'].cuda()", True),
        ("for i in range(2):\n    if use_cuda:\n        b[i] = b[i].cuda()", False),
        ("if use_cuda:\n    net.cuda()\n    flow = flow.cuda()", True),
        ("if use_cuda:\n    flow = flow.cuda()\nprint(flow)", False),
        ("if use_cuda:\n    flow = flow.cuda()\nelse:\n    print(net)", True),
        ("if size > 2:\n    other = net\nif use_cuda:\n    other.cuda()", True),
        ("if size > 2:\n    other = net\nif use_cuda:\n    other.cuda()\nif size > 3:\n    print(other)", True),
        ("if size > 2:\n    other = net\nif use_cuda:\n    other.cuda()\nif other:\n    print(2)", False),
        ("if deep:\n    other = net\nif use_cuda:\n    net.cuda()\n    if deep:\n        other.cuda()", False),
        ("if deep:\n    other = net\nif use_cuda:\n    net.cuda()\n    if not deep:\n        other.cuda()", True),
        ("deep = size\nif deep:\n    other = net\ndeep = size > 3\nif use_cuda:\n    net.cuda()\n    if deep:\n        other.cuda()", True),
        ("if args.deep:\n    other = net\nif use_cuda:\n    if args.deep:\n        other.cuda()", False),
        ("if args.deep:\n    other = net\nargs.deep = size > 3\nif use_cuda:\n    if args.deep:\n        other.cuda()", True),
        ("if deep:\n    if size:\n        other = net\nif use_cuda:\n    if deep:\n        other.cuda()", True),
        ("if size > 2:\n    other = net\nif use_cuda:\n    other.cuda()\nfor x in data:\n    print(other(x))", False),
        ("if size > 2:\n    other = net\nelif size > 1:\n    other = net\nif use_cuda:\n    other.cuda()\nif size > 3:\n    print(other(1))\nelse:\n    print(other(2))", False),
        ("if size > 2:\n    other = net\nelse:\n    other = None\nif use_cuda:\n    other.cuda()", True),
        ("if size > 2:\n    other = net\nelse:\n    other = torch.nn.ReLU()\nif use_cuda:\n    other.cuda()", False),
        ("if size > 2:\n    other = net\nelse:\n    raise ValueError\nif use_cuda:\n    other.cuda()", False),
        ("if size > 2:\n    other = net\nif use_cuda:\n    other.cuda()\ndef step():\n    return other(1)", False),
        ("for x in data:\n    if use_cuda:\n        x = x.cuda()", False),
        ("if __name__ == '__main__':\n    if size:\n        other = net\n    if use_cuda:\n        other.cuda()", True),
        ("if use_cuda:\n    nets[0].cuda()\n    nets[1].cuda()", True),
        ("opt.net = net\nif use_cuda:\n    opt.teacher = net\nif use_cuda:\n    opt.teacher.cuda()", True),
        ("opt.net = net\nif use_cuda:\n    opt.net.cuda()", False),
        ("if use_cuda:\n    opt.other.cuda()", True),
        ("b = {'x': net}\nif use_cuda:\n    b['x'].cuda()", False),
        ("b = {'y': net}\nif use_cuda:\n    b['x'].cuda()", True),
        ("nets = [net]\nif use_cuda:\n    nets[0].cuda()", False),
        ("nets = [net]\nif use_cuda:\n    nets[1].cuda()", True),
        ("assert use_cuda\nx = torch.ones(2)\nif use_cuda:\n    x = x.cuda()", False),
    ],
)  # fmt: skip
def test_what_a_module_has_without_cuda(lines: str, keeps: bool) -> None:
    assert _keeps_test(f"{FLAG}{NET}{lines}\n") is keeps


CLASS = """
class Agent:
    size: int

    def __init__(self, net):
        {}

    @property
    def weights(self):
        raise RuntimeError

    def prepare(self):
        if use_cuda:
            {}
"""


@pytest.mark.parametrize(
    ("first", "move", "keeps"),
    [
        ("if use_cuda:\n            self.x = net", "self.x = self.x.cuda()", True),
        ("self.x = net", "self.x = self.x.cuda()", False),
        ("pass", "self.weights.cuda()", True),
        ("pass", "self.size.cuda()", False),
        ("print(self.net)", "self.net.cuda()", False),
        ("pass", "self.net.cuda()", True),
    ],
)
def test_what_an_instance_has_without_cuda(first: str, move: str, keeps: bool) -> None:
    assert _keeps_test(FLAG + CLASS.format(first, move)) is keeps


def _keeps_test(text: str) -> bool:
    after = engine.fix(Source.from_text("main.py", text), [GuardedCudaMove], Target(), False).text
    assert after.count("if use_cuda:") in (text.count("if use_cuda:"), text.count("if use_cuda:") - 1)
    return after.count("if use_cuda:") == text.count("if use_cuda:")
