from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.guards.guards import is_guarded
from devlint.syntax.file_context import FileContext
from tests.support.rule_cases import source

COUNTED = [
    'for i in range(torch.cuda.device_count()):\n    x.to(f"cuda:{i}")',
    'for i in range(1, torch.cuda.device_count()):\n    x.to(f"cuda:{i}")',
    'n = torch.cuda.device_count()\nfor i in range(n):\n    x.to(f"cuda:{i}")',
    'ys = [x.to(f"cuda:{i}") for i in range(torch.cuda.device_count())]',
]
UNCOUNTED = [
    'for i in range(2):\n    x.to(f"cuda:{i}")',
    'for i in range(max(1, torch.cuda.device_count())):\n    x.to(f"cuda:{i}")',
    'for i in range(torch.cuda.device_count()):\n    pass\nelse:\n    x.to(f"cuda:{i}")',
    'n = torch.cuda.device_count()\nn = 2\nfor i in range(n):\n    x.to(f"cuda:{i}")',
]


@pytest.mark.parametrize(("text", "guarded"), [(one, True) for one in COUNTED] + [(one, False) for one in UNCOUNTED])
def test_cards_that_are_counted_are_there(text: str, guarded: bool) -> None:
    ctx = FileContext(source(f"import torch\n{text}\n"))
    assert is_guarded(ctx, ctx.tree.of_type(cst.FormattedString)[0]) is guarded
