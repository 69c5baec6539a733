"""A flag that a function does not hand on to one that it calls is not what its moves without a test follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint import fix

GRID = "import torch\n\n\ndef grid(x, {flag}):\n    y = torch.ones(1)\n    if cuda:\n        y = y.cuda()\n    return x + y\n\n\n"
CALLER = "def run({flag}):\n    z = torch.zeros(1).cuda()\n    w = torch.ones(1)\n    if cuda:\n        w = w.cuda()\n    return w, {call}\n"


@pytest.mark.parametrize(
    ("flag", "call", "follows"),
    [
        ("cuda=True", "grid(z)", False),
        ("cuda", "grid(z, cuda)", True),
        ("cuda=True", "grid(z, cuda)", True),
        ("cuda=True", "grid(z, cuda=cuda)", True),
        ("cuda=True", "grid(*z)", True),
        ("cuda=True", "other(z)", True),
    ],
)
def test_a_function_with_the_same_flag(tmp_path: Path, flag: str, call: str, follows: bool) -> None:
    program = tmp_path / "main.py"
    program.write_text(GRID.format(flag=flag) + CALLER.format(flag=flag, call=call))
    text = fix(program, isolated=True).text
    own = next(line for line in text.splitlines() if "z = torch.zeros(1)" in line)
    assert ".cuda()" not in own
    assert ("    device = choose_device(cuda)\n" in text) is follows
