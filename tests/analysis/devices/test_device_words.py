"""A `device` that holds a program's own word, such as "gpu", is none of torch's."""

from __future__ import annotations

import pytest

from tests.support.rule_cases import fixed

CLASS = """
import torch


class Model:
    def __init__(self, device):
        self.device = device
        self.net = torch.nn.Linear(2, 2)
        if {0}:
            self.net = self.net.cuda()

    def run(self, x):
        if {0}:
            x = x.cuda()
        return self.net(x)
"""
FUNCTION = """
import torch


def place(x, device):
    {0}
    if {1}:
        return x.cuda()
    return x.to(device)
"""


@pytest.mark.parametrize(
    ("text", "is_word"),
    [
        (CLASS.format('self.device == "gpu"'), True),
        (CLASS.format('self.device in ("gpu", "both")'), True),
        (FUNCTION.format("pass", 'device == "gpu"'), True),
        (FUNCTION.format("pass", 'device == "GPU:0"'), True),
        (FUNCTION.format('device = "cuda" if device == "gpu" else device', "device != 'cpu'"), False),
    ],
)
def test_a_word_for_a_device_is_no_device(text: str, is_word: bool) -> None:
    after = fixed("DEV105", text)
    takes_word = (
        after.count(".to(self.device)") + after.count("return x.to(device)") - text.count("return x.to(device)")
    )
    assert bool(takes_word) is not is_word


def test_what_another_function_calls_a_device_is_one() -> None:
    other = FUNCTION.format("pass", "True").replace("place", "other").replace("x.cuda()", "x")
    after = fixed("DEV105", FUNCTION.format("pass", 'device == "gpu"') + other)
    assert after.count("x.to(device)") == 2
