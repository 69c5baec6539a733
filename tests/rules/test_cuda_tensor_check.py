from __future__ import annotations

import pytest

from tests.support.rule_cases import check, found, places

CODE = "DEV203"
HEAD = "import torch\n"
ASKED = "x.is_cuda and x.dtype == torch.float32"

CHECKS = [
    ("if isinstance(x, torch.cuda.FloatTensor): pass", f"if {ASKED}: pass"),
    ("if isinstance(x, torch.cuda.FloatTensor) and y: pass", f"if {ASKED} and y: pass"),
    ("if y and isinstance(x, torch.cuda.FloatTensor): pass", f"if y and ({ASKED}): pass"),
    ("if isinstance(x, torch.cuda.FloatTensor) or y: pass", f"if ({ASKED}) or y: pass"),
    ("if not isinstance(x, torch.cuda.FloatTensor): pass", f"if not ({ASKED}): pass"),
    ("if (isinstance(x, torch.cuda.FloatTensor)): pass", f"if ({ASKED}): pass"),
    ("y = isinstance(x, torch.cuda.FloatTensor)", f"y = {ASKED}"),
    ("y = f(isinstance(x, torch.cuda.FloatTensor))", f"y = f({ASKED})"),
    ("y = f(*isinstance(x, torch.cuda.FloatTensor))", f"y = f(*({ASKED}))"),
    ("y = 1 if isinstance(x, torch.cuda.FloatTensor) else 2", f"y = 1 if ({ASKED}) else 2"),
    ("y = isinstance(x, torch.cuda.FloatTensor) == z", f"y = ({ASKED}) == z"),
    ("assert isinstance(x, torch.cuda.FloatTensor), 'gpu'", f"assert {ASKED}, 'gpu'"),
    (
        "if isinstance(x.data, torch.cuda.LongTensor): pass",
        "if x.data.is_cuda and x.data.dtype == torch.int64: pass",
    ),
    ("y = x.type() == 'torch.cuda.HalfTensor'", "y = x.dtype == torch.float16"),
    ("y = x.type() != 'torch.cuda.HalfTensor'", "y = x.dtype != torch.float16"),
    ("y = 'torch.cuda.HalfTensor' == x.type()", "y = torch.float16 == x.dtype"),
    ("y = (x.type()) == ('torch.cuda.HalfTensor')", "y = (x.dtype) == torch.float16"),
    ("y = f(x)[0].type() == 'torch.cuda.HalfTensor'", "y = f(x)[0].dtype == torch.float16"),
    ("y = not x.type() == 'torch.cuda.HalfTensor' and z", "y = not x.dtype == torch.float16 and z"),
]
LEFT = [
    "y = isinstance(x, (torch.cuda.FloatTensor, torch.cuda.HalfTensor))",
    "y = isinstance(x, (torch.cuda.FloatTensor, torch.HalfTensor))",
    "y = isinstance(f(x), torch.cuda.FloatTensor)",
    "y = isinstance(x, torch.cuda.sparse.FloatTensor)",
    "y = issubclass(x, torch.cuda.FloatTensor)",
    "y = type(x) == torch.cuda.FloatTensor",
    "y = type(x) is torch.cuda.FloatTensor",
    "y = x.type() in ('torch.cuda.FloatTensor', 'torch.cuda.HalfTensor')",
    "y = x.type() == z == 'torch.cuda.FloatTensor'",
    "y = torch.cuda.HalfTensor in buckets",
    "y = isinstance(x, torch.cuda.FloatTensor if z else torch.FloatTensor)",
]
SILENT = [
    "y = isinstance(x, torch.FloatTensor)",
    "y = x.type() == 'torch.FloatTensor'",
    "y = isinstance(x, (torch.FloatTensor, torch.cuda.FloatTensor))",
    "y = x.type() in ('torch.FloatTensor', 'torch.cuda.FloatTensor')",
    "y = name == 'torch.cuda.FloatTensor'",
    "y = isinstance(x, str)",
]


@pytest.mark.parametrize(("before", "after"), CHECKS)
def test_checks(before: str, after: str) -> None:
    check(CODE, HEAD + before + "\n", HEAD + after + "\n", "unsafe")


@pytest.mark.parametrize("text", LEFT)
def test_no_fix(text: str) -> None:
    assert {kind for _, kind in places(CODE, HEAD + text + "\n")} == {"none"}


@pytest.mark.parametrize("text", SILENT)
def test_nothing_found(text: str) -> None:
    assert not found(CODE, HEAD + text + "\n")
