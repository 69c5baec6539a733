from __future__ import annotations

import pytest

from tests.support.rule_cases import check, found, function, places

CODE = "DEV407"
HEAD = "import torch\n\ndef f(x, n, device):\n"

SILENT = [
    "y = x.to(device)\nreturn y * torch.ones(n)",
    "y = x.to(device)\nreturn y * torch.ones(n, device=device)",
    "y = x.to(device)\nreturn y[torch.arange(n)]",
    "z = torch.ones(n)\nreturn x * z",
    "z = x.scale\nreturn z * torch.ones(n)",
]
"""What meets nothing, or is DEV402's."""

UNSAFE = [
    (
        "y = x.image\ny = y.unsqueeze(0)\nreturn y * torch.ones(n)",
        "y = x.image\ny = y.unsqueeze(0)\nreturn y * torch.ones(n, device=y.device)",
    ),
    (
        "y = torch.zeros(n, device=device)\nreturn [y, torch.ones(n)]",
        "y = torch.zeros(n, device=device)\nreturn [y, torch.ones(n, device=device)]",
    ),
]


PROGRAMS = [function(HEAD, before) for before, _ in UNSAFE]
"""For tests/rules/test_hazards.py."""


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, function(HEAD, text)) == ()


@pytest.mark.parametrize(("before", "after"), UNSAFE)
def test_unsafe(before: str, after: str) -> None:
    check(CODE, function(HEAD, before), function(HEAD, after), "unsafe")


def test_what_other_functions_make() -> None:
    text = (
        "import torch\n\n\ndef steps(n):\n    return torch.arange(n)\n\n\n"
        "def scores(x, device):\n    x = x.to(device)\n    return x * steps(4)\n"
    )
    (finding,) = found(CODE, text)
    assert finding.message == "`torch.arange(...)` is made on the CPU and meets a tensor on `device` (`*` on line 10)"
    assert places(CODE, text) == [(5, "none")]


def test_a_device_that_comes_later_is_no_argument() -> None:
    text = "z = torch.ones(n)\nplace = torch.device('cuda:0')\ny = x.to(place)\nreturn y * z"
    assert places(CODE, function(HEAD, text)) == [(4, "none")]
