"""Functions of classes whose first parameter is no instance: whoever wrote them forgot ``self``, or meant to."""

from __future__ import annotations

import pytest

from tests.support.rule_cases import fixed

TEXT = """\
import torch


class Net(torch.nn.Module):
    def __init__({instance}, n):
        super().__init__()
        {instance}.layer = torch.nn.Linear(n, n)
        {instance}.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def load({first}, net=None):
        state = torch.load({first})
        net.load_state_dict(state["net"])
        return state["epoch"]

    def place({first}, x):
        return x.cuda()
"""


@pytest.mark.parametrize(
    ("instance", "first", "is_instance"),
    [("self", "self", True), ("this", "this", True), ("self", "path", False), ("this", "self", False)],
)
def test_what_a_method_calls_its_instance(instance: str, first: str, is_instance: bool) -> None:
    text = TEXT.format(instance=instance, first=first)
    for code in ("DEV404", "DEV101"):
        assert (f"{first}.device" in fixed(code, text, unsafe=False)) is is_instance
