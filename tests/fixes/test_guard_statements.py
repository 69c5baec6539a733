from __future__ import annotations

import libcst as cst
import pytest

from devlint.fixes.guard_statements import neighbouring_statements, statement_of, under_guard
from devlint.sources.source import Source
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext
from tests.support.rule_cases import source


def guarded(text: str, name: str = "f") -> str:
    """``text`` with the first call of ``name``, and its neighbours of that name, under ``if ok:``; still Python."""
    ctx = FileContext(Source.from_text("case.py", text))
    call = next(one for one in ctx.tree.of_type(cst.Call) if ctx.text_of(one.func) == name)
    statement = statement_of(ctx, call)
    assert statement is not None
    group = neighbouring_statements(
        ctx, statement, lambda one: ctx.source.text[ctx.span(one).start :].startswith(f"{name}(")
    )
    made = under_guard(ctx, group[0], "ok", group[-1])
    if made is None:
        return "impossible"
    fix = edits.as_fix("test", made)
    assert fix is not None
    for edit in sorted(fix.edits, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    compile(text, "case.py", "exec")
    return text


ALONE = [
    ("f()\n", "if ok:\n    f()\n"),
    ("f()", "if ok:\n    f()"),
    ("f()  # why\ng()\n", "if ok:\n    f()  # why\ng()\n"),
    ("# above\nf()\n# below\n", "# above\nif ok:\n    f()\n# below\n"),
    ("(f())\n", "if ok:\n    (f())\n"),
    ("f();\n", "if ok:\n    f();\n"),
    ("f(\n    1,\n\n    # two\n    2,\n)\n", "if ok:\n    f(\n        1,\n\n        # two\n        2,\n    )\n"),
    ("f(1, \\\n  2)\n", "if ok:\n    f(1, \\\n      2)\n"),
    ('f("""a\n  b\n""",\n  c)\n', 'if ok:\n    f("""a\n  b\n""",\n      c)\n'),
    ('f(f"""a\n {b}""")\n', 'if ok:\n    f(f"""a\n {b}""")\n'),
    ("def g():\n  f()\n", "def g():\n  if ok:\n    f()\n"),
    (
        "if a:\n    g()\nelse:  # why\n    # one\n    f()\n    f()\n",
        "if a:\n    g()\nelif ok:  # why\n    # one\n    f()\n    f()\n",
    ),
    ("if a:\n    g()\nelse:\n    f()\n    g()\n", "if a:\n    g()\nelse:\n    if ok:\n        f()\n    g()\n"),
    ("for a in b:\n    g()\nelse:\n    f()\n", "for a in b:\n    g()\nelse:\n    if ok:\n        f()\n"),
    ("def g():\n\tf()\n", "def g():\n\tif ok:\n\t\tf()\n"),
    (
        "if x:\n\tdef g():\n\t    f()\n\t    f()\n\t    h()\n",
        "if x:\n\tdef g():\n\t    if ok:\n\t        f()\n\t        f()\n\t    h()\n",
    ),
    ("def g():\r\n    f(\r\n      1)\r\n", "def g():\r\n    if ok:\r\n        f(\r\n          1)\r\n"),
    ("if a:\n    f()\nelse:\n    g()\n", "if a:\n    if ok:\n        f()\nelse:\n    g()\n"),
]


@pytest.mark.parametrize(("before", "after"), ALONE)
def test_alone_on_its_line(before: str, after: str) -> None:
    assert guarded(before) == after


SHARED = [
    ("f(); g()\n", "if ok:\n    f()\ng()\n"),
    ("g(); f()  # why\n", "g()\nif ok:\n    f()  # why\n"),
    ("a; b; f(); c; d;\n", "a; b\nif ok:\n    f()\nc; d;\n"),
    ("if x:\n  a; f(); b\n", "if x:\n  a\n  if ok:\n    f()\n  b\n"),
    ("g(); \\\n  f()\n", "g()\nif ok:\n    f()\n"),
    ("if x: f()\n", "if x:\n    if ok:\n        f()\n"),
    ("if x: f()  # why\nelse: g()\n", "if x:\n    if ok:\n        f()  # why\nelse: g()\n"),
    ("if x: g()\nelse: f()\n", "if x: g()\nelse:\n    if ok:\n        f()\n"),
    ("if x: g()\nelif y: f()\nelse: h()\n", "if x: g()\nelif y:\n    if ok:\n        f()\nelse: h()\n"),
    ("if x: g()\nelif y: g()\nelse: f()\n", "if x: g()\nelif y: g()\nelse:\n    if ok:\n        f()\n"),
    ("if x: a; f(); b; c\n", "if x:\n    a\n    if ok:\n        f()\n    b\n    c\n"),
    ("if x: a; b; f()\n", "if x:\n    a\n    b\n    if ok:\n        f()\n"),
    ("if (x and\n        y): f()\n", "if (x and\n        y):\n    if ok:\n        f()\n"),
    ("def g():\n\tfor x in y: f()\n", "def g():\n\tfor x in y:\n\t\tif ok:\n\t\t\tf()\n"),
    ("class A:\n  def g(self): f()\n", "class A:\n  def g(self):\n    if ok:\n      f()\n"),
    ("@g\ndef h(): f()\n", "@g\ndef h():\n    if ok:\n        f()\n"),
    ("async def h(): f()\n", "async def h():\n    if ok:\n        f()\n"),
    ("try: g()\nexcept E: f()\nfinally: h()\n", "try: g()\nexcept E:\n    if ok:\n        f()\nfinally: h()\n"),
    ("while x: g()\nelse: f()\n", "while x: g()\nelse:\n    if ok:\n        f()\n"),
    ("with x: f()\r\n", "with x:\r\n    if ok:\r\n        f()\r\n"),
    ("if x: \\\n  f()\n", "impossible"),
]


@pytest.mark.parametrize(("before", "after"), SHARED)
def test_beside_something_else(before: str, after: str) -> None:
    assert guarded(before) == after


def test_the_suite_of_a_case() -> None:
    text = "match x:\n    case 1: f()\n    case _: pass\n"
    ctx = FileContext(Source.from_text("case.py", text))
    made = under_guard(ctx, ctx.tree.of_type(cst.Expr)[0], "ok")
    assert made is not None
    assert [edit.text for edit in made] == ["\n        if ok:\n            "]


NEIGHBOURS = [
    ("f(1)\nf(2)\n", "if ok:\n    f(1)\n    f(2)\n"),
    ("g()\nf(1)\n\n# two\nf(2)  # 2\ng()\n", "g()\nif ok:\n    f(1)\n\n    # two\n    f(2)  # 2\ng()\n"),
    ("f(1)\ng()\nf(2)\n", "if ok:\n    f(1)\ng()\nf(2)\n"),
    ("f(1)\nf(2); g()\n", "if ok:\n    f(1)\nf(2); g()\n"),
    ("f(1)\nif x:\n    f(2)\n", "if ok:\n    f(1)\nif x:\n    f(2)\n"),
    ("for x in y:\n\tf(1)\n\tf(\n\t  2)\n", "for x in y:\n\tif ok:\n\t\tf(1)\n\t\tf(\n\t\t  2)\n"),
]


@pytest.mark.parametrize(("before", "after"), NEIGHBOURS)
def test_neighbours_go_under_one_test(before: str, after: str) -> None:
    assert guarded(before) == after


def test_a_value_that_is_used_is_no_statement() -> None:
    for text in ("x = f()", "g(f())", "return_ = lambda: f()", "f() or g()", "f().g()", "[f()]"):
        ctx = FileContext(source(f"{text}\n"))
        call = next(one for one in ctx.tree.of_type(cst.Call) if ctx.text_of(one.func) == "f")
        assert statement_of(ctx, call) is None, text
