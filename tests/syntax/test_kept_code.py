"""Code that has to stay as it is written: `f"{x=}"` prints the code of `x`, and a form shows its value."""

from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import fixed, places

NEW = Target("accelerator", torch_min_version=(2, 13))
PRINTED = [
    'print(f"{torch.cuda.max_memory_allocated()=}")',
    'print(f"{torch.cuda.max_memory_allocated() = :,}")',
    'print(f"used: {round(torch.cuda.max_memory_allocated() / 1e9)=!r} GB")',
]


@pytest.mark.parametrize("text", PRINTED)
def test_printed_code_stays(text: str) -> None:
    text = f"import torch\n\n{text}\n"
    assert places("DEV507", text, NEW) == [(3, "none")]
    assert fixed("DEV507", text, target=NEW) == text


def test_a_test_around_it_stays_with_it() -> None:
    text = 'import torch\n\nif torch.cuda.is_available():\n    print(f"{torch.cuda.memory_allocated()=}")\n'
    assert fixed("DEV508", text, target=NEW) == text


def test_other_text_is_fixed() -> None:
    text = 'import torch\n\nprint(f"{torch.cuda.max_memory_allocated():,}={1=}")\n'
    assert "torch.accelerator.max_memory_allocated()" in fixed("DEV507", text, target=NEW)


@pytest.mark.parametrize(
    ("comment", "fixes"),
    [("#@param ['cuda', 'cpu']", 0), ('# @param {type:"string"}', 0), ('#@param {type:"raw"}', 1), ("# params", 1)],
)
def test_the_value_of_a_form_stays(comment: str, fixes: int) -> None:
    """A form of a notebook shows the value, and writes another in its place."""
    text = f"import torch\n\ndevice = 'cuda'  {comment}\nprint(torch.zeros(1, device=device))\n"
    assert places("DEV103", text) == [(3, "safe" if fixes else "none")]
    assert ("is_available" in fixed("DEV103", text)) is bool(fixes)
