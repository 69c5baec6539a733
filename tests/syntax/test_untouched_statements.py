"""Statements that no edit touches are found again, in the same blocks; anything else is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.core.diagnostic import Edit, Span
from devlint.engine.fixpoint import splice
from devlint.syntax.parse import compiles
from devlint.syntax.python_tree.untouched_statements import misplaced_statement


def edits_of(text: str, *pairs: tuple[str, str]) -> list[Edit]:
    """Edits that replace some words, each of which the text has once, by others."""
    for old, _ in pairs:
        assert text.count(old) == 1, old
    return [Edit(Span(text.index(old), text.index(old) + len(old)), new) for old, new in pairs]


def row(text: str, *pairs: tuple[str, str]) -> int | None:
    edits = edits_of(text, *pairs)
    return misplaced_statement(text, edits, splice(text, edits))


NESTED = """\
import torch
def f(a):
    if a:
        x = a.cuda()
    else:
        y = 1
    return a
@g
class C:
    try:
        z = 'é'; w = 2
    except E:
        pass
    finally:
        v = 3
match f:
    case 1 if u:
        t = 1
    case _:
        s = 2
"""

FINE = [
    [("a.cuda()", "a.to(d)")],
    [("x = a.cuda()", "pass")],
    [("def f(a):\n", "d = 1\n\n\ndef f(a):\n")],
    [("def f(a):\n", "def f(a):\n    d = 1\n")],
    [("    return a\n", "    return a\n    d = 1\n")],
    [("    return a", "    (return_a)")],
    [("x = a.cuda()", "(x) = (a.to(\n  d))")],
    [("    if a:\n        x = a.cuda()\n    else:\n        y = 1\n", "    y = 1\n")],
    [("    if a:\n        x = a.cuda()\n    else:\n    ", ""), ("y = 1", "y = 1")],
    [("import torch\n", "")],
    [("import torch\n", "import torch\nimport os\n")],
    [("z = 'é'; ", "")],
    [("; w = 2", "; k = 1; w = 2")],
    [("; w = 2", "")],
    [("    return a\n", "    return a  # why\n")],
    [("@g\n", "@g(1)\n")],
    [("@g\n", "")],
    [("case 1 if u", "case 2 if u")],
    [("t = 1", "t = x.to(d)"), ("s = 2", "s = x.to(d)")],
    [("    if a:", "    if a and b:")],
    [("y = 1", "if d:\n            y = 1")],
    [("x = a.", "if d:\n            x = a."), ("cuda()", "to(d)")],
    [("if a:", "if d:\n      if a:"), ("    else", "      else")],
    [("else:\n        y = 1\n", "else:\n        y = 1\n    while a:\n    ")],
]


@pytest.mark.parametrize("pairs", FINE, ids=range(len(FINE)))
def test_edits_that_leave_the_rest_alone(pairs: list[tuple[str, str]]) -> None:
    assert row(NESTED, *pairs) is None


WRONG = [
    ([("import torch\n", 'import torch; """\n'), ("    return a", '"""')], 2),
    ([("z = 'é'; ", "z = 'é'  # ")], 11),
    ([("        y = 1\n    ", "        y = 1\n        ")], 7),
    ([("z = 'é'", "if d: z = 1")], 11),
    ([("z = 'é'", "z = 1\n        while d: z")], 12),
    ([("E:\n        pass\n    finally", "E:\n        pass\n    else")], 15),
]


@pytest.mark.parametrize(("pairs", "expected"), WRONG, ids=range(len(WRONG)))
def test_edits_that_change_what_they_do_not_touch(pairs: list[tuple[str, str]], expected: int) -> None:
    text = splice(NESTED, edits_of(NESTED, *pairs))
    try:
        compile(text, "a.py", "exec")
    except SyntaxError:
        pytest.fail(text)
    assert row(NESTED, *pairs) == expected


def test_a_whole_row_may_be_put_under_a_condition() -> None:
    assert row("x\n\nz; w\n", ("\n\n", "\n\nif d: ")) is None
    assert row("if x: z; w\n", ("if x", "if y")) is None
    assert row("if x: z; w\n", ("z", "k()")) is None


def test_the_head_of_a_definition_may_come_out_of_a_block() -> None:
    """What it was in is gone, and nothing else stands where that began."""
    text = "if a:\n    def f(): return b.cuda()\nelse:\n    def g(): return c\nprint(f)\n"
    gone = ("\nelse:\n    def g(): return c\n", "\n")
    assert row(text, ("if a:\n    ", ""), ("b.cuda()", "b.to(d)"), gone) is None
    assert row(text, ("if a:\n    ", "if d: a\n"), ("b.cuda()", "b.to(d)"), gone) is None


NAMES = ("import torch", "x = a.cuda()", "y = 1", "return a", "z = 'é'", "w = 2", "v = 3", "t = 1", "s = 2")


@given(st.lists(st.sampled_from(NAMES), unique=True), st.sampled_from(["k()", "('é')", "(1,\n2)", "k(); l()"]))
def test_any_statements_may_be_replaced(names: list[str], new: str) -> None:
    assert row(NESTED, *((name, new) for name in names)) is None


@given(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(['"""', "'''"]))
def test_a_string_that_swallows_statements_is_seen(first: str, last: str, quotes: str) -> None:
    """Quotes before one statement and after a later one: those in between are no more."""
    start, end = sorted((NESTED.index(first), NESTED.index(last)))
    edits = [Edit(Span(start, start), quotes), Edit(Span(end, end), quotes + "; ")]
    text = splice(NESTED, edits)
    if NESTED.count("\n", start, end) > 1 and compiles(text) is None:
        assert misplaced_statement(NESTED, edits, text) is not None
