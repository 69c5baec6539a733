from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.guards.guards import is_guarded, runs_guarded
from devlint.sources.source import Source
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


USED = """
import torch, unittest


def {name}(tests):
    tests.device = torch.device("cuda")
    return all({name}(one) for one in tests)


@unittest.skipIf(not torch.cuda.is_available(), "no CUDA")
class TestOnCuda(unittest.TestCase):
    def test_all(self):
        self.assertTrue({name}(all_tests()))
"""


@pytest.mark.parametrize(
    ("path", "name", "more", "guarded"),
    [
        ("test_all.py", "run_tests", "", True),
        ("tests/all_test.py", "run_tests", "", True),
        ("tests.py", "_run", "", True),
        ("testing.py", "run_tests", "", False),
        ("test_all.py", "run_tests", "def test_more():\n    run_tests([])\n", False),
    ],
)
def test_a_function_of_a_file_of_tests_is_used_by_these_alone(path: str, name: str, more: str, guarded: bool) -> None:
    ctx = FileContext(Source.from_text(path, USED.format(name=name) + more))
    device = next(one for one in ctx.tree.of_type(cst.Call) if ctx.text_of(one) == 'torch.device("cuda")')
    assert runs_guarded(ctx, device) is guarded


MADE = """
import sys, torch


class Search:
    def __init__(self, args):
        self.args = args
        {first}
        self.build()

    def prepare(self):
        {head}
        if not torch.cuda.is_available():
            {left}
        torch.manual_seed(1)

    def build(self):
        self.net = torch.nn.Linear(2, 2).to("cuda")
"""


@pytest.mark.parametrize(
    ("first", "head", "left", "more", "guarded"),
    [
        ("self.prepare()", "", "sys.exit(1)", "", True),
        ("self.seed = self.prepare()", "", "raise RuntimeError", "", True),
        ("self.prepare()", "", "return", "", False),
        ("self.prepare()", "if self.args: return", "sys.exit(1)", "", False),
        ("if args: self.prepare()", "", "sys.exit(1)", "", False),
        ("if args: return", "", "sys.exit(1)", "", False),
        ("if args: return\n        self.prepare()", "", "sys.exit(1)", "", False),
        ("args.prepare()", "", "sys.exit(1)", "", False),
        ("self.prepare()", "", "sys.exit(1)", "class Other(Search):\n    def prepare(self):\n        pass\n", False),
        ("self.prepare()", "", "sys.exit(1)", "class Other:\n    def prepare(self):\n        pass\n", True),
    ],
)
def test_a_class_whose_making_ends_in_a_method(first: str, head: str, left: str, more: str, guarded: bool) -> None:
    ctx = FileContext(source(MADE.format(first=first, head=head or "pass", left=left) + more))
    moved = next(one for one in ctx.tree.of_type(cst.Call) if ctx.text_of(one).endswith('.to("cuda")'))
    assert runs_guarded(ctx, moved) is guarded
