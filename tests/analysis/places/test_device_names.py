"""Where a text names devices that differ, told without a parse."""

from __future__ import annotations

import pytest

from devlint.analysis.places.device_names import rows_of_names

LINES = [
    ("x.cpu() + y.cuda()", True),
    ("x.cuda(0) + y.cuda(1)", True),
    ("x.cuda() + y.cuda(1)", False),
    ("x.cpu() + y.cpu()", False),
    ("x.to('cuda:0') + y.to(\"cuda:1\")", True),
    ("x.to('xpu') + y.to('mps')", True),
    ("x.to(f'cuda:{i}') + y.cpu()", True),
    ("x.cpu() + y.to('cpu')", False),
    ("x.cpu() if d.type == 'cuda' else y", False),
    ("x.cpu() if d.type !=  'cuda' else y", False),
    ("x.cpu() if d in ('cuda',) else y", True),
    ("x.cpu()\n    # y.cuda()", False),
    ("x.cpu()\n    '''\n    >>> y.cuda()\n    ... y.to('mps')\n    '''", False),
    ("x.cpu()  # y.cuda()", True),
    ("inputs.cpuset() + y.cuda()", False),
]
"""Lines of a function, and whether they may put tensors on two devices."""


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_what_names_two_devices(line: str, expected: bool) -> None:
    assert bool(rows_of_names(f"import torch\n\n\ndef f(x, y, d, i):\n    return {line}\n")) is expected


def test_the_rows_of_names_are_told() -> None:
    text = "def f(x, y):\n    # y.cuda()\n    x = x.cpu()\n\n    return x + y.cuda()\n"
    assert rows_of_names(text) == [3, 5]
