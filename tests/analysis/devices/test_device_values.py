"""What device an expression is."""

from __future__ import annotations

import pytest

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.devices.which_device import FUNCTION_INDEX, RUNTIME_INDEX
from tests.support.questions import asked


def known(text: str) -> str | None:
    """The device in words: ``text`` for a string, the kind, the index, and the test that decides."""
    value = device_value(*asked(f"import torch\n{text}"))
    if value is None:
        return None
    index = {RUNTIME_INDEX: "?", FUNCTION_INDEX: "*"}.get(value.index or "", value.index)
    return f"{'text ' if value.is_string else ''}{'cuda' if value.cuda else 'cpu'} {index} if {value.condition}"


_CHOICE = "torch.device('cuda' if args['gpu'] and torch.cuda.is_available() else 'cpu')"
CHOOSERS = [
    (f"def pick_device(args):\n    return {_CHOICE}", call, known)
    for call, known in [
        ("ask(pick_device(self.args))", "cuda * if self.args['gpu'] and torch.cuda.is_available()"),
        (
            "def f(self, args):\n    ask(pick_device(args=self.o))",
            "cuda * if self.o['gpu'] and torch.cuda.is_available()",
        ),
        ("def f(torch, args):\n    ask(pick_device(args))", "cuda * if None"),
        ("def f(pick_device, args):\n    ask(pick_device(args))", "cuda * if None"),
        ("ask(pick_device(read()))", "cuda * if None"),
        ("ask(pick_device(*args))", "cuda * if None"),
        ("def pick_device(args):\n    pass\nask(pick_device(args))", "cuda * if None"),
    ]
] + [
    (
        "def pick_device(gpu):\n    return 'cpu' if not gpu else 'cuda'",
        "ask(pick_device(args.gpu))",
        "cuda * if args.gpu",
    ),
    (
        "def pick_device(gpu):\n    log(gpu)\n    return 'cuda' if gpu else 'cpu'",
        "ask(pick_device(x))",
        "cuda * if None",
    ),
    ("def pick_device(gpu=1):\n    return 'cuda' if gpu else 'cpu'", "ask(pick_device(x))", "cuda * if None"),
    ("def pick_device(gpu):\n    return 'cuda' if gpu else 'cuda:1'", "ask(pick_device(x))", "cuda * if None"),
]

CASES = [
    ("ask('cuda')", "text cuda None if None"),
    ("ask(self._execution_device)", "cuda None if None"),
    ("ask(torch.device('cuda:0') if a else self._execution_device)", "cuda ? if None"),
    ("ask('cuda:1')", "text cuda 1 if None"),
    ("ask('cpu')", "text cpu None if None"),
    ("ask('mps')", "text cpu None if None"),
    ("ask(b'cuda')", None),
    ("ask(f'cuda:{i}')", "text cuda ? if None"),
    ("ask('cuda:' + str(i))", "text cuda ? if None"),
    ("ask('cuda:%d' % i)", "text cuda ? if None"),
    ("ask('cuda:{}'.format(1))", "text cuda ? if None"),
    ("ask(torch.device('cuda:{}'.format(1)))", "cuda ? if None"),
    ("ask(('cuda:' + i))", "text cuda ? if None"),
    ("ask('cudax')", None),
    ("import open3d\nask(open3d.core.Device('CUDA:0'))", None),
    ("import open3d\nplace_device = open3d.core.Device('CUDA:0')\ngrid(device=place_device)\nask(place_device)", None),
    ("from utils import get_device\nask(get_device())", "cuda * if None"),
    *((f"{asks}\n{call}", known) for asks, call, known in CHOOSERS),
    ("ask(torch.device('cuda'))", "cuda None if None"),
    ("ask(torch.device('cuda', 1))", "cuda ? if None"),
    ("ask(torch.device('cuda:1'))", "cuda 1 if None"),
    ("ask(torch.device(type='cuda'))", "cuda None if None"),
    ("ask(torch.device(1))", "cuda 1 if None"),
    ("ask(torch.device(f'cuda:{i}'))", "cuda ? if None"),
    ("ask(torch.device('cuda' if torch.cuda.is_available() else 'cpu'))", "cuda None if torch.cuda.is_available()"),
    ("ask('cuda' if torch.cuda.is_available() else 'cpu')", "text cuda None if torch.cuda.is_available()"),
    ("ask('cpu' if not torch.cuda.is_available() else 'cuda')", "text cuda None if torch.cuda.is_available()"),
    ("ask('cpu' if args.no_cuda else 'cuda')", "text cuda None if not args.no_cuda"),
    ("ask('cuda' if args.cuda else 'cpu')", "text cuda None if args.cuda"),
    ("ask('cpu' if args.cuda else 'cuda')", "text cuda None if None"),
    ("ask('cuda' if n else 'cpu')", "text cuda None if None"),
    ("ask('cuda' if n else 'mps')", "text cuda None if None"),
    ("ask('cuda:0' if torch.cuda.is_available() else 'cpu')", "text cuda 0 if torch.cuda.is_available()"),
    ("ask('cuda:0' if n else 'cuda:1')", "text cuda ? if None"),
    ("ask('cuda' if args.cuda else x.device)", "cuda None if None"),
    ("ask(x.device)", "cuda None if None"),
    ("d = x.device\nask(d)", "cuda None if None"),
    ("ask(args.device)", "cuda None if None"),
    ("ask(self.device)", "cuda None if None"),
    ("ask(cfg.device)", "cuda None if None"),
    ("ask(torch.cuda.current_device())", "cuda * if None"),
    ("d = 'cuda'\nask(d)", "text cuda None if None"),
    ("d = 'cuda'\nd = 'cpu'\nask(d)", "text cuda None if None"),
    ("if n:\n    d = 'cuda'\nelse:\n    d = 'cpu'\nask(d)", "text cuda None if None"),
    ("def f(d):\n    ask(d)", None),
    ("def f(device):\n    ask(device)", None),
    ("def f(device='cuda'):\n    ask(device)", None),
    ("def f(device=None):\n    ask(device)", None),
    ("def f(device='cpu'):\n    ask(device)", None),
    ("def f(device=3):\n    ask(device)", None),
    ("def f(device: torch.device):\n    ask(device)", None),
    ("def f(device: int):\n    ask(device)", None),
    ("for d in ['cuda']:\n    ask(d)", None),
    ("import d\nask(d)", None),
    ("def d():\n    pass\nask(d)", None),
    ("ask(None)", None),
    ("ask(1)", None),
    ("ask(get_device())", "cuda * if None"),
    ("ask(torch.device(d))", "cuda None if None"),
    ("ask(torch.device(args.gpu))", "cuda None if None"),
    ("ask(torch.device('cuda') if n else None)", None),
    ("ask(str(d))", None),
    ("ask(f'{d}')", None),
    ("with a as d:\n    ask(d)", None),
    ("ask((lambda: 'cuda')())", None),
    ("global_device = torch.device('cuda')\ndef f():\n    ask(global_device)", "cuda None if None"),
]
"""Programs, and what is known of the device in them."""


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_device_value(text: str, expected: str | None) -> None:
    assert known(text) == expected


def test_what_a_test_says_of_a_name_holds_inside_of_calls() -> None:
    text = "import torch\ndef f(device=None):\n    ask({})\n"
    choices = [
        "torch.device(device) if device is not None else torch.device('cuda')",
        "torch.device('cuda') if not device else torch.device(device)",
        "torch.device(device if device else 'cuda')",
    ]
    assert [getattr(device_value(*asked(text.format(one))), "caveat", "") for one in choices] == [None] * 3
    other = device_value(*asked(text.format("torch.device(device) if device is None else torch.device('cuda')")))
    assert other is not None
    assert other.caveat == "`device` may be None"
