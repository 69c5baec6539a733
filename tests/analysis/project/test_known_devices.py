"""What device an expression of another file is, and whose availability it asks for."""

from __future__ import annotations

import ast

import pytest

from devlint.analysis.project.known_devices import asked_availability, gives_torch_device, known_device
from devlint.analysis.project.module import Definition, ProjectModule

HEAD = """\
import torch

DEVICE = "cuda:1"
CPU = "cpu"
OK = torch.cuda.is_available()
TWO = 1
TWO = 2
"""
DEVICES = [
    ("'cuda'", "cuda None text"),
    ("'cuda:1'", "cuda 1 text"),
    ("'cpu'", "cpu None text"),
    ("'mps'", "cpu None text"),
    ("3", None),
    ("b'cuda'", None),
    ("DEVICE", "cuda 1 text"),
    ("CPU", "cpu None text"),
    ("TWO", None),
    ("other", None),
    ("torch.device('cuda')", "cuda None device"),
    ("torch.device('cuda:2')", "cuda 2 device"),
    ("torch.device('cpu')", "cpu None device"),
    ("torch.device('cuda', 1)", "cuda ? device"),
    ("torch.device('cuda', i)", "cuda ? device"),
    ("torch.device(1)", "cuda 1 device"),
    ("torch.device(type='cuda')", "cuda None device"),
    ("torch.device(DEVICE)", "cuda 1 device"),
    ("torch.device()", None),
    ("torch.device(device)", "cuda None device"),
    ("'cuda' if torch.cuda.is_available() else 'cpu'", "cuda None text cuda"),
    ("'cuda:1' if torch.cuda.is_available() else 'cpu'", "cuda 1 text cuda"),
    ("'cpu' if not torch.cuda.is_available() else 'cuda'", "cuda None text cuda"),
    ("'cuda' if OK else 'mps' if n else 'cpu'", "cuda None text cuda"),
    ("device or 'cuda'", "cuda None text"),
    ("torch.device(dev) if dev is not None else torch.device('cuda')", "cuda None device"),
    ("torch.device(dev if dev else 'cuda')", "cuda None device"),
    ("'cuda' if OK else 'cpu'", "cuda None text cuda"),
    ("'cuda' if n else 'cpu'", "cuda None text"),
    ("'cuda' if n else 'cuda:1'", "cuda ? text"),
    ("'cuda' if n else None", None),
    ("'cpu' if n else 'cpu'", "cpu None text"),
    ("torch.device('cuda' if torch.cuda.is_available() else 'cpu')", "cuda None device cuda"),
    ("torch.device('cuda') if n else torch.device('cpu')", "cuda None device"),
    ("torch.device('cuda') if n else 'cpu'", "cuda None ?"),
    ("f()", None),
    ("x.device", None),
    ("args.device", "cuda None ?"),
    ("f'cuda:{i}'", "cuda ? text"),
    ("'cuda:' + i", "cuda ? text"),
    ("torch.cuda.current_device()", "cuda ? ?"),
    ("torch.accelerator.current_accelerator()", "cuda None device"),
    ("'cuda' if torch.cuda.is_available() and n else 'cpu'", "cuda None text"),
    ("device", "cuda None ?"),
]
"""Kind, index, whether it is a text or a torch.device, and what decides that it is a GPU; where ``device`` is one."""


@pytest.mark.parametrize(("text", "expected"), DEVICES)
def test_known_device(text: str, expected: str | None) -> None:
    module = ProjectModule("case.py", ast.parse(HEAD))
    known = known_device(module, ast.parse(text, mode="eval").body, ("device",))
    if known is None:
        assert expected is None
        return
    kind = {True: "text", False: "device", None: "?"}[known.is_string]
    asks = (known.condition or "").removeprefix("torch.").removesuffix(".is_available()")
    assert f"{'cuda' if known.cuda else 'cpu'} {known.index} {kind} {asks}".strip() == expected


TESTS = [
    ("torch.cuda.is_available()", "cuda"),
    ("not torch.cuda.is_available()", ""),
    ("torch.accelerator.is_available()", "accelerator"),
    ("OK", "cuda"),
    ("TWO", ""),
    ("n", ""),
    ("torch.cuda.is_available() and n", ""),
    ("torch.cuda.is_available() or n", ""),
    ("torch.cuda.device_count() > 0", ""),
    ("torch.cuda.device_count()", ""),
    ("True", ""),
    ("torch.backends.mps.is_available()", ""),
]


@pytest.mark.parametrize(("text", "expected"), TESTS)
def test_asked_availability(text: str, expected: str) -> None:
    module = ProjectModule("case.py", ast.parse(HEAD))
    assert asked_availability(module, ast.parse(text, mode="eval").body) == expected


FUNCTIONS = [
    ("return torch.device('cuda')", True, True),
    ("return 'cuda'", False, False),
    ("d = torch.device('cuda')\n    return d", True, False),
    ("d = 'cuda'\n    return d", False, False),
    ("if a:\n        d = torch.device('cuda')\n    else:\n        d = torch.device('cpu')\n    return d", True, False),
    ("d = torch.device('cuda')\n    d = 'cpu'\n    return d", False, False),
    ("return torch.device('cuda') if n else torch.device('cpu')", True, True),
    ("return torch.device('cuda') if n else 'cpu'", False, False),
    ("pass", False, False),
    ("return", False, False),
    ("if a:\n        return torch.device('cuda')\n    return 'cpu'", False, False),
    ("d, e = torch.device('cuda'), 1\n    return d", False, False),
    ("for d in e:\n        pass\n    return d", False, False),
    ("return DEVICE", False, False),
    ("return x.device", False, False),
]
"""Bodies; whether the function gives a torch.device, and whether it does if ``d`` is a parameter, too."""


@pytest.mark.parametrize(("body", "expected", "with_parameter"), FUNCTIONS)
def test_gives_torch_device(body: str, expected: bool, with_parameter: bool) -> None:
    for parameters, gives in (("", expected), ("d=0", with_parameter)):
        tree = ast.parse(f"{HEAD}def f({parameters}):\n    {body}\n")
        assert gives_torch_device(Definition(ProjectModule("case.py", tree), tree.body[-1], "f")) is gives
