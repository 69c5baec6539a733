"""The quick look whether Python can read a text says yes only where it can."""

from __future__ import annotations

import sys
import warnings

import pytest

from devlint.syntax.python_tree import python_ast
from devlint.syntax.python_tree.python_ast import parses

GOOD = [
    "",
    "x = 1",
    "x = 1\r\ny = 2\r",
    "\tif x:\n".strip() + " pass\n",
    "# coding: latin-1\nx = 'ä'\n",
    "# coding: no-such-encoding\nx = 1\n",
    "async def f():\n    await g()\n    return [x async for x in y]\n",
    "x is 1\nassert (x, 'y')\n'\\d'\n",
    "def f(x):\n    global y\n    y = x\n",
    "from __future__ import annotations\nx: int | None = None\n",
    "é = '𝔘'\n\f\ndef f(): pass\n",
]
BAD = ["x =", "print 'x'", "if x:\npass", "x = '", "(", "x = 1\n  y = 2\n", "\0", "x = 1 \ud800", "(" * 300 + ")" * 300]
ONLY_LATER = ["return 1", "def f():\n    nonlocal x\n", "x = 1\nfrom __future__ import annotations\n", "break"]
"""Python parses these, and refuses them when it compiles them."""


@pytest.fixture(params=[True, False], autouse=True)
def has_symbols(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With CPython's tables of symbols, and without."""
    if not request.param:
        monkeypatch.setitem(sys.modules, "_symtable", None)


@pytest.mark.parametrize("text", GOOD)
def test_what_python_reads(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parses(text)


@pytest.mark.parametrize("text", BAD)
def test_what_it_does_not(text: str) -> None:
    assert not parses(text)


@pytest.mark.parametrize("text", ONLY_LATER)
def test_what_it_refuses_only_when_it_compiles(text: str) -> None:
    assert parses(text)


@pytest.mark.parametrize("text", [*GOOD, *BAD, *ONLY_LATER])
def test_a_table_of_symbols_only_where_there_is_a_tree(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert python_ast._succeeds(python_ast._tree, text) or not python_ast._succeeds(python_ast._symbols, text)
