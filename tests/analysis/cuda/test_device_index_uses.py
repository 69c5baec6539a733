"""Whether a file names no card but the first."""

from __future__ import annotations

import pytest

from devlint.analysis.cuda.device_index_uses import only_first_device
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext

CASES = [
    ("x.cuda()", True),
    ("x.cuda(0)", True),
    ("x.cuda(1)", False),
    ("x.to('cuda:1')", False),
    ("x.to('cuda:0')", True),
    ("torch.cuda.set_device(0)", True),
    ("torch.cuda.set_device(1)", False),
    ("torch.cuda.set_device(n)", False),
    ("torch.cuda.set_device()", True),
    ("x.to(1)", False),
    ("torch.ones(2, device=1)", False),
    ("torch.ones(2, device=0)", True),
    ("torch.load(p, map_location='cuda:1')", False),
    ("x.cuda(n)", True),
    ("x.to(torch.device('cuda', 1))", False),
    ("f(1)", True),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_only_first_device(text: str, expected: bool) -> None:
    assert only_first_device(FileContext(Source.from_text("case.py", f"import torch\n{text}"))) is expected
