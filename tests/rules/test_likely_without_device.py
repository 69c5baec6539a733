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
    "y = torch.zeros(n, device=device)\nreturn [y, torch.ones(n)]",
]
"""What meets nothing, or is DEV402's."""

UNSAFE = [
    (
        "y = x.image\ny = y.unsqueeze(0)\nreturn y * torch.ones(n)",
        "y = x.image\ny = y.unsqueeze(0)\nreturn y * torch.ones(n, device=y.device)",
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


def test_a_device_that_comes_later_is_no_argument() -> None:
    text = "z = torch.ones(n)\nplace = torch.device('cuda:0')\ny = x.to(place)\nreturn y * z"
    assert places(CODE, function(HEAD, text)) == [(4, "none")]
