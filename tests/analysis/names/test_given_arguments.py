"""What a file gives to a parameter of one of its functions."""

from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.names.given_arguments import Rank, given_arguments
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext

HEAD = "import torch\nimport torch.multiprocessing as mp\nfrom multiprocessing import Process\n"
CASES = [
    ("def f(p, q=0):\n    pass\nf(1)", ["1"]),
    ("def f(p, q=0):\n    pass\nf(1)\nf(p=2)", ["1", "2"]),
    ("def f(p, q=0):\n    pass\nf()", None),
    ("def f(p, q=0):\n    pass\nf(q=1)", None),
    ("def f(p, q=0):\n    pass\nf(*a)", None),
    ("def f(p, q=0):\n    pass\nf(**a)", None),
    ("def f(p, q=0):\n    pass\ng(f)", None),
    ("def f(p, q=0):\n    pass\nmp.spawn(f)", ["rank"]),
    ("def f(q, p):\n    pass\nmp.spawn(f, (7,))", ["7"]),
    ("def f(q, p):\n    pass\nmp.spawn(f, args=(7,))", ["7"]),
    ("def f(q, p):\n    pass\nmp.spawn(f, nprocs=2)", None),
    ("def f(q, p):\n    pass\nmp.spawn(f, args=a)", None),
    ("def f(q, p):\n    pass\nmp.spawn(f, args=(*a,))", None),
    ("def f(q, p):\n    pass\nmp.spawn(g, f)", None),
    ("def f(q, p):\n    pass\nmp.spawn(f, args=[7, 8])", ["7"]),
    ("def f(p, q=0):\n    pass\nProcess(target=f, args=(7,))", ["7"]),
    ("def f(p, q=0):\n    pass\nProcess(None, f, args=(7,))", None),
    ("def f(p, q=0):\n    pass\nProcess(f)", None),
    ("def f(p, q=0):\n    pass\nProcess(target=f)", None),
    ("def f(p, q=0):\n    pass\nProcess(target=f, kwargs={'p': 1})", None),
    ("def f(p, q=0):\n    pass\nProcess(target=f, args=(7,), kwargs={})", None),
    ("def f(q, p):\n    pass\nProcess(target=f, args=(7, 8))", ["8"]),
    ("def f(q, p):\n    pass\nf(1, 2)", ["2"]),
    ("def f(q, p):\n    pass\nf(1)", None),
    ("def f(q, p):\n    pass\nf(1, p=2)", ["2"]),
    ("def f(p, q=0):\n    pass\nh = f", None),
    ("def f(p, q=0):\n    pass\nf = 1\nf(1)", None),
    ("@d\ndef f(p, q=0):\n    pass\nf(1)", None),
    ("class A:\n    def f(self, p):\n        pass\nA().f(1)", None),
    ("def f(p=5):\n    pass\nf()", []),
    ("def f(*, p):\n    pass\nf(p=1)", ["1"]),
    ("def f(q, /, p):\n    pass\nf(1, 2)", ["2"]),
    ("def f(q, p):\n    pass\nmp.spawn(f, (7,), 2)", ["7"]),
    ("def f(q, p):\n    pass\nmp.spawn(fn=f, args=(7,))", ["7"]),
]
"""Programs, and what they give to the parameter ``p``; None where nobody knows."""


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_given_arguments(text: str, expected: list[str] | None) -> None:
    ctx = FileContext(Source.from_text("case.py", HEAD + text))
    parameter = next(one for one in ctx.tree.of_type(cst.Param) if one.name.value == "p")
    given = given_arguments(ctx, parameter)
    found = None if given is None else ["rank" if isinstance(one, Rank) else ctx.text_of(one) for one in given]
    assert found == expected
