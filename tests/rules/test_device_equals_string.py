from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV601"
HEAD = 'import torch\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'

SILENT = [
    'device = "cuda"\nif device == "cuda": pass',
    'if device.type == "cuda": pass',
    'if str(device) == "cuda": pass',
    'if str(device).startswith("cuda"): pass',
    'if device == torch.device("cuda"): pass',
    'if device in (torch.device("cuda"), "cpu"): pass',
    "if device in devices: pass",
    'if device == "cuda" == other: pass',
    'def f(device):\n    return device == "cuda"',
    'def f(device="cuda"):\n    return device == "cuda"',
    'def f(device: str):\n    return device == "cuda"',
    'def f(device: torch.device):\n    return device.startswith("cuda")',
    'def f(device: torch.device):\n    return "cuda" in device',
    'if isinstance(device, str) and device == "cuda": pass',
    'def f(x):\n    return x.device == "cuda"',
    'if args.device == "cuda": pass',
    'if "cuda" == name: pass',
    'y = {"cuda": 1, key: 2}[device]',
    'y = {"cuda": 1, **rest}[device]',
    "y = {}[device]",
    "y = table[device]",
    "if device in (): pass",
    "match device:\n    case other:\n        pass",
    'match device:\n    case torch.device(type="cuda"):\n        pass',
    'match device:\n    case {"cuda": 1}:\n        pass',
    'if device.index == "cuda": pass',
]
STOPS_AS_IT_IS = [
    ('if device in ("cuda"): pass', 'if device.type in ("cuda"): pass'),
    ('if "cuda" in device: pass', 'if "cuda" in device.type: pass'),
    ('y = {"cuda": 1, "cpu": 2}[device]', 'y = {"cuda": 1, "cpu": 2}[device.type]'),
    ('y = device.startswith("cuda")', 'y = device.type.startswith("cuda")'),
    ('y = device.startswith("cuda:")', 'y = str(device).startswith("cuda:")'),
    ('y = device.split(":")[0]', 'y = str(device).split(":")[0]'),
    ("y = (torch.device(0)).lower()", "y = str((torch.device(0))).lower()"),
]
ANOTHER_ANSWER = [
    ('if device == "cuda": pass', 'if device.type == "cuda": pass'),
    ('if device != "cpu": pass', 'if device.type != "cpu": pass'),
    ('if "cuda" == device: pass', 'if "cuda" == device.type: pass'),
    ('if (device) == ("cuda"): pass', 'if (device).type == ("cuda"): pass'),
    ('if (device  # why\n    == "cuda"): pass', 'if (device.type  # why\n    == "cuda"): pass'),
    ('if device in ("cuda", "mps"): pass', 'if device.type in ("cuda", "mps"): pass'),
    ('if device not in ["cpu"]: pass', 'if device.type not in ["cpu"]: pass'),
    ('if device in {"cuda"}: pass', 'if device.type in {"cuda"}: pass'),
    ('x = f(device == "cuda", *a, **k)', 'x = f(device.type == "cuda", *a, **k)'),
    ('x = f"{device == \'cuda\'}"', 'x = f"{device.type == \'cuda\'}"'),
    ('x = not device == "cuda" and y', 'x = not device.type == "cuda" and y'),
    ('if torch.device("cuda") == "cuda": pass', 'if torch.device("cuda").type == "cuda": pass'),
    ('x = [y for y in z if device == "cuda"]', 'x = [y for y in z if device.type == "cuda"]'),
    ('def f(x=device == "cuda"): pass', 'def f(x=device.type == "cuda"): pass'),
    ('def f(x: torch.Tensor):\n    return x.device == "cpu"', 'def f(x: torch.Tensor):\n    return x.device.type == "cpu"'),
    ('assert next(net.parameters()).device == "cuda"', 'assert next(net.parameters()).device.type == "cuda"'),
    ('y = {"cuda": 1}.get(device, 0)', 'y = {"cuda": 1}.get(device.type, 0)'),
    (
        'match device:\n    case "cuda" | "mps":\n        pass\n    case _:\n        pass',
        'match device.type:\n    case "cuda" | "mps":\n        pass\n    case _:\n        pass',
    ),
    (
        'class A(torch.nn.Module):\n    def __init__(self):\n        self.device = device\n        self.on = self.device == "cuda"',
        'class A(torch.nn.Module):\n    def __init__(self):\n        self.device = device\n        self.on = self.device.type == "cuda"',
    ),
]  # fmt: skip
UNSAFE = [
    *ANOTHER_ANSWER,
    ('if device == "cuda:0": pass', 'if device == torch.device("cuda:0"): pass'),
    ("x = f'{device == \"cuda:1\"}'", "x = f'{device == torch.device(\"cuda:1\")}'"),
    (
        'def f(device: torch.device):\n    return device == "cuda"',
        'def f(device: torch.device):\n    return device.type == "cuda"',
    ),
]
NO_FIX = [
    'if device == "gpu": pass',
    'if device == "auto": pass',
    'if device == "": pass',
    'if device in ("mps", "mps:0"): pass',
    'y = {"gpu": 1}[device]',
    "str = 1\ny = device.split()",
]

PROGRAMS = [f"{HEAD}{text}\n" for text in [*NO_FIX, *(before for before, _ in [*STOPS_AS_IT_IS, *UNSAFE])]]
"""For the disguises of tests/rules/test_hazards.py."""


@pytest.mark.parametrize("text", SILENT)
def test_nothing_found(text: str) -> None:
    assert not found(CODE, f"{HEAD}{text}\n")


@pytest.mark.parametrize(("before", "after"), STOPS_AS_IT_IS)
def test_safe_where_the_program_stops_as_it_is(before: str, after: str) -> None:
    assert fixed(CODE, f"{HEAD}{before}\n", unsafe=False) == f"{HEAD}{after}\n"
    for target in (Target("accelerator", torch_min_version=(2, 6)), Target("project", device="get()")):
        assert fixed(CODE, f"{HEAD}{before}\n", unsafe=False, target=target) == f"{HEAD}{after}\n"


@pytest.mark.parametrize(("before", "after"), UNSAFE)
def test_unsafe(before: str, after: str) -> None:
    check(CODE, f"{HEAD}{before}\n", f"{HEAD}{after}\n", "unsafe")
    assert fixed(CODE, f"{HEAD}{before}\n", unsafe=False) == f"{HEAD}{before}\n"


@pytest.mark.parametrize("text", NO_FIX)
def test_no_fix(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"{HEAD}{text}\n")] == ["none"]


def test_torch_is_what_the_file_calls_it() -> None:
    before = 'from torch import device as d\n\nx = d("cuda")\nif x == "cuda:0": pass\n'
    check(
        CODE,
        before,
        'import torch\nfrom torch import device as d\n\nx = d("cuda")\nif x == torch.device("cuda:0"): pass\n',
    )


def test_the_message_says_what_happens() -> None:
    messages = [one.message for one in found(CODE, f'{HEAD}a = device != "cpu"\nb = device.lower()\n')]
    assert messages == [
        "`device` is a torch.device, no string: this is always true",
        "`device` is a torch.device, no string: this is an error",
    ]
