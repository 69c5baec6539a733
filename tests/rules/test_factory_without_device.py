from __future__ import annotations

import pytest

from tests.support.rule_cases import check, found, places

CODE = "DEV402"
HEAD = "import torch\n\ndef f(x, n, device):\n"

SILENT = [
    "y = x.to(device)\nreturn y * 2",
    "y = x.to(device)\nz = torch.ones(n)\nreturn z",
    "z = torch.ones(n)\nreturn x * z",
    "y = x.to(device)\nz = torch.ones(n, device=device)\nreturn y * z",
    "y = x.to(device)\nz = torch.ones(n).to(device)\nreturn y * z",
    "y = x.to(device)\nz = torch.ones(n)\nz = z.to(device)\nreturn y * z",
    "y = x.to(device)\nreturn y * torch.ones(n).to(y)",
    "y = x.to(device)\nreturn y * torch.tensor(1.0)",
    "y = x.to(device)\nreturn y * torch.ones_like(y)",
    "y = x.to(device)\nreturn y[torch.arange(n)]",
    "y = x.to(device)\nreturn y.cpu() * torch.ones(n)",
    "y = x.to('cpu')\nreturn y * torch.ones(n)",
    "y = x.to(device)\ny = y.cpu()\nreturn y * torch.ones(n)",
    "y = x.to(torch.float64)\nreturn y * torch.ones(n)",
    "y = x.to(device)\nreturn torch.ones(n).numpy() * y",
    "y = x.to(device)\nwith torch.device(device):\n    return y * torch.ones(n)",
    "y = x.to(device)\ny.index_put_((torch.arange(n), x), x)",
    "z = torch.arange(n).float() / n\ny = torch.ones(n, device=z.device)\nreturn y * z",
    "y = x.to(device)\ny, _ = torch.broadcast_tensors(y, torch.empty(n))\nreturn y",
    "y = x.to(device)\nreturn torch.result_type(y, torch.ones(n))",
    "y = x.to(device)\nreturn torch.ones(n).reshape_as(y)",
    "y = x.to(device)\nif n:\n    y = x\nreturn y * torch.ones(n)",
]

UNSAFE = [
    ("y = x.to(device)\nreturn y * torch.ones(n)", "y = x.to(device)\nreturn y * torch.ones(n, device=device)"),
    (
        "y = x.to(device)\nz = torch.arange(n).float()\nreturn torch.cat([y, z])",
        "y = x.to(device)\nz = torch.arange(n, device=device).float()\nreturn torch.cat([y, z])",
    ),
    (
        "y = torch.zeros(n, device=x.device)\nreturn y + 2 * torch.ones(n)",
        "y = torch.zeros(n, device=x.device)\nreturn y + 2 * torch.ones(n, device=x.device)",
    ),
    (
        "y = x.to(device).float()\nz = torch.eye(n)\nreturn y.matmul(z)",
        "y = x.to(device).float()\nz = torch.eye(n, device=device)\nreturn y.matmul(z)",
    ),
]


def indented(text: str) -> str:
    return HEAD + "".join(f"    {line}\n" for line in text.splitlines())


PROGRAMS = [indented(before) for before, _ in UNSAFE]
"""For tests/rules/test_hazards.py."""


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, indented(text)) == ()


@pytest.mark.parametrize(("before", "after"), UNSAFE)
def test_unsafe(before: str, after: str) -> None:
    check(CODE, indented(before), indented(after), "unsafe")


def test_a_device_that_comes_later_is_no_argument() -> None:
    text = "z = torch.ones(n)\nplace = torch.device('cuda:0')\ny = x.to(place)\nreturn y * z"
    assert places(CODE, indented(text)) == [(4, "none")]
