"""Which functions are tests, and which only are called like one."""

from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.names.test_code import is_test
from devlint.syntax.file_context import FileContext
from tests.support.rule_cases import source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def test_move():\n    x()\n", True),
        ("def move():\n    x()\n", False),
        ("class Tests:\n    def test_move(self):\n        x()\n", True),
        (
            "class Tests(TestCase):\n    def __init__(self):\n        x()\n\n    def test_move(self):\n        x()\n",
            True,
        ),
        ("class Trainer:\n    def __init__(self):\n        x()\n\n    def test(self, epoch):\n        x()\n", False),
        ("def test(model):\n    x()\n\n\ntest(net)\n", False),
        ("def test():\n    x()\n\n\ntest()\n", True),
        ("@parametrize('n', [1])\ndef test(n):\n    x()\n\n\ntest(1)\n", True),
        ("def main():\n    def test(n):\n        x()\n", False),
    ],
)
def test_which_functions_are_tests(text: str, expected: bool) -> None:
    ctx = FileContext(source(text))
    functions = [one for one in ctx.tree.of_type(cst.FunctionDef) if one.name.value != "__init__"]
    assert is_test(ctx, functions[-1]) is expected
