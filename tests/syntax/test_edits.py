"""Edits change what they say and nothing else, on code in all kinds of clothes."""

from __future__ import annotations

import re
from collections.abc import Callable

import libcst as cst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devlint.core.diagnostic import Applicability, Edit, Span
from devlint.engine.fixpoint import splice
from devlint.syntax import edits, line_edits
from devlint.syntax.file_context import FileContext
from tests.support.rule_cases import source

few = settings(deadline=None, max_examples=60)


def made(ctx: FileContext, *changes: Edit | None) -> str:
    """The text after some edits, which parses."""
    assert all(change is not None for change in changes)
    text = splice(ctx.source.text, [change for change in changes if change is not None])
    cst.parse_module(text)
    return text


def tokens(text: str) -> list[str]:
    """The words, marks and comments of a text."""
    return re.findall(r"#[^\n]*|\w+|[^\w\s]", text)


# Splicing


@st.composite
def texts_and_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(st.text(alphabet="ab\n\r é漢", max_size=30))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), unique=True, max_size=8)))
    spans = [Span(*pair) for pair in zip(cuts[::2], cuts[1::2])]
    return text, [Edit(span, draw(st.text(alphabet="xyz\n", max_size=4))) for span in spans]


@few
@given(texts_and_edits(), st.randoms())
def test_splice_is_replacing_one_by_one_from_the_end(case: tuple[str, list[Edit]], random: object) -> None:
    text, changes = case
    naive = text
    for change in sorted(changes, reverse=True):
        naive = naive[: change.span.start] + change.text + naive[change.span.end :]
    shuffled = sorted(changes, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert splice(text, shuffled) == naive


@few
@given(texts_and_edits())
def test_joined_edits_say_the_same(case: tuple[str, list[Edit]]) -> None:
    text, changes = case
    insertions = [Edit(Span(one.span.end, one.span.end), "+") for one in changes]
    joined = edits.join([*changes, *insertions, *changes])
    assert splice(text, joined) == splice(text, [*changes, *insertions])
    assert not any(one.span.overlaps(two.span) for one, two in zip(joined, joined[1:]))


def test_overlaps() -> None:
    assert Span(0, 2).overlaps(Span(1, 3)) and not Span(0, 2).overlaps(Span(2, 3))
    assert Span(2, 2).overlaps(Span(0, 2)) and Span(2, 2).overlaps(Span(2, 3)) and Span(2, 2).overlaps(Span(2, 2))
    assert not Span(1, 1).overlaps(Span(2, 3))


def test_fix() -> None:
    one, two = Edit(Span(3, 4), "b"), Edit(Span(0, 1), "a")
    safe = edits.as_fix("Do", [one, two, one])
    assert safe is not None and (safe.edits, safe.applicability, safe.message) == ((two, one), Applicability.SAFE, "Do")
    unsafe = edits.as_fix("Do", [one], "why")
    assert unsafe is not None and unsafe.applicability is Applicability.UNSAFE and unsafe.message == "Do (why)"
    assert edits.as_fix("Do", [one, None]) is None
    assert edits.as_fix("Do", [one, Edit(Span(3, 5), "c")]) is None
    assert edits.as_fix("Do", [Edit(Span(3, 3), "c"), Edit(Span(3, 3), "d")]) is None
    assert edits.as_fix("Do", [one, Edit(Span(4, 4), "c")]) is not None


# Arguments

GAPS = st.sampled_from(["", " ", "  ", "\n    ", "  # why\n    "])
ARGUMENTS = st.sampled_from(
    ["a", "(a)", "*a", "**k", "k=a", "k = (a)", "f(b, c)", "[x for x in y]", "(x for x in y)", "lambda: a", "'é, )'",
     "a if b else c", "(yield)", "{**d}", "f'{a}, {b}'", "b[1, 2]"]
)  # fmt: skip


@st.composite
def calls(draw: st.DrawFn) -> tuple[FileContext, cst.Call, list[str]]:
    """A call in a program, and the texts of its arguments."""
    written = draw(st.lists(ARGUMENTS, max_size=4))
    order = {"**": 2, "*": 0}
    written.sort(key=lambda one: order.get(one[:2], 1 if re.match(r"k ?=", one) else 0))
    pieces = [f"{draw(GAPS)}{one}{draw(GAPS)}" for one in written]
    comma = "," if written and draw(st.booleans()) else ""
    text = f"before  # é\ndef g():\n  y = (x . call{draw(st.sampled_from(['', ' ']))}({','.join(pieces)}{comma}{draw(GAPS)})) # after\n"
    ctx = FileContext(source(text))
    call = next(one for one in ctx.tree.of_type(cst.Call) if ctx.text_of(one.func) == "x . call")
    return ctx, call, written


def around(ctx: FileContext, call: cst.Call, text: str) -> tuple[cst.Call, list[str]]:
    """The call of the changed text and its arguments, once all around it is seen to be the same."""
    inside = edits.arguments_span(ctx, call)
    before, after = ctx.source.text[: inside.start], ctx.source.text[inside.end :]
    assert text.startswith(before) and text.endswith(after)
    changed = FileContext(source(text))
    found = next(one for one in changed.tree.of_type(cst.Call) if changed.text_of(one.func) == "x . call")
    return found, [edits.argument_text(changed, arg) for arg in found.args]


@few
@given(calls())
def test_argument_text(case: tuple[FileContext, cst.Call, list[str]]) -> None:
    ctx, call, written = case
    assert [edits.argument_text(ctx, arg) for arg in call.args] == written


@few
@given(calls())
def test_add_argument(case: tuple[FileContext, cst.Call, list[str]]) -> None:
    ctx, call, written = case
    edit = edits.add_argument(ctx, call, ("z", "1"))
    assert edit is not None
    text = made(ctx, edit)
    sign = (
        " = " if any(isinstance(one.equal, cst.AssignEqual) and " = " in ctx.text_of(one) for one in call.args) else "="
    )
    assert around(ctx, call, text)[1] == [*written, f"z{sign}1"]
    assert [one for one in tokens(text) if one.startswith("#")] == [
        one for one in tokens(ctx.source.text) if one.startswith("#")
    ]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("f(1, b=2)", "f(1, b=2, y=3, z=4)"),
        ("f(1, b = 2)", "f(1, b = 2, y = 3, z = 4)"),
        ("f(\n    1,\n    b=2,\n)", "f(\n    1,\n    b=2,\n    y=3,\n    z=4,\n)"),
        ("f(\n\t1\n)", "f(\n\t1,\n\ty=3,\n\tz=4\n)"),
        ("f(\n    (\n        1,\n    )\n)", "f(\n    (\n        1,\n    ),\n    y=3,\n    z=4\n)"),
        ("f(\n    1, 2\n)", "f(\n    1, 2, y=3, z=4\n)"),
        ("f(\n    1)", "f(\n    1, y=3, z=4)"),
        ("f(\n    1,\n    2,  # two\n)", "f(\n    1,\n    2, y=3, z=4,  # two\n)"),
        ("f(\r\n    1,\r\n)", "f(\r\n    1,\r\n    y=3,\r\n    z=4,\r\n)"),
        ("f()", "f(y=3, z=4)"),
    ],
)
def test_new_arguments_are_written_as_the_others(call: str, expected: str) -> None:
    ctx = FileContext(source(f"{call}\n" if "\r" not in call else f"{call}\r\n"))
    edit = edits.add_argument(ctx, ctx.tree.of_type(cst.Call)[0], ("y", "3"), ("z", "4"))
    assert edit is not None and made(ctx, edit).rstrip() == expected


@few
@given(calls(), st.data())
def test_replace_argument(case: tuple[FileContext, cst.Call, list[str]], data: st.DataObject) -> None:
    ctx, call, written = case
    if written:
        index = data.draw(st.integers(0, len(written) - 1))
        new = "**z" if written[index].startswith("**") else "*z"
        text = made(ctx, edits.replace_argument(ctx, call.args[index], new))
        assert around(ctx, call, text)[1] == [*written[:index], new, *written[index + 1 :]]


@few
@given(calls(), st.data())
def test_remove_argument(case: tuple[FileContext, cst.Call, list[str]], data: st.DataObject) -> None:
    ctx, call, written = case
    if written:
        index = data.draw(st.integers(0, len(written) - 1))
        text = made(ctx, edits.remove_argument(ctx, call, call.args[index]))
        assert around(ctx, call, text)[1] == [*written[:index], *written[index + 1 :]]


@few
@given(calls())
def test_replace_arguments(case: tuple[FileContext, cst.Call, list[str]]) -> None:
    ctx, call, _ = case
    assert around(ctx, call, made(ctx, edits.replace_arguments(ctx, call, "z")))[1] == ["z"]


def test_a_bare_generator_takes_no_second_argument() -> None:
    ctx = FileContext(source("f(x for x in y)\n"))
    assert edits.add_argument(ctx, ctx.tree.of_type(cst.Call)[0], ("z", "1")) is None


# Expressions


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda ctx, node: edits.replace(ctx, node, "z"), "a + ((z)) . b # c"),
        (lambda ctx, node: edits.replace_outer(ctx, node, "z"), "a + z . b # c"),
        (lambda ctx, node: edits.insert_before(ctx, node, "-"), "a + -((x)) . b # c"),
        (lambda ctx, node: edits.insert_after(ctx, node, "[0]"), "a + ((x))[0] . b # c"),
    ],
)
def test_expressions(build: Callable[[FileContext, cst.CSTNode], Edit], expected: str) -> None:
    ctx = FileContext(source("a + ((x)) . b # c\n"))
    node = next(one for one in ctx.tree.of_type(cst.Name) if one.value == "x")
    assert made(ctx, build(ctx, node)) == f"{expected}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = x if c else z\n", "y = x\n"),
        ("y = (x) if c else z\n", "y = (x)\n"),
        ("y = (x if c else z)\n", "y = x\n"),
        ("f(((x) if c else z), a)\n", "f((x), a)\n"),
        ("y = (x\n  if c else z)  # d\n", "y = x  # d\n"),
    ],
)
def test_keep_only(text: str, expected: str) -> None:
    ctx = FileContext(source(text))
    (node,) = ctx.tree.of_type(cst.IfExp)
    assert made(ctx, *edits.keep_only(ctx, node, node.body)) == expected
    assert edits.keep_only(ctx, node.body, node.body) == []


@pytest.mark.parametrize(
    ("text", "gone", "expected"),
    [
        ("from a import b, c, d\n", {0}, "from a import c, d\n"),
        ("from a import b, c, d\n", {1}, "from a import b, d\n"),
        ("from a import b, c, d\n", {2}, "from a import b, c\n"),
        ("from a import b, c, d\n", {0, 2}, "from a import c\n"),
        ("from a import b, c, d\n", {1, 2}, "from a import b\n"),
        ("from a import (\n    b,\n    c as e,\n)\n", {0}, "from a import (\n    c as e,\n)\n"),
        ("from a import (\n    b,\n    c as e,\n)\n", {1}, "from a import (\n    b,\n)\n"),
    ],
)
def test_remove_items(text: str, gone: set[int], expected: str) -> None:
    ctx = FileContext(source(text))
    names = ctx.tree.of_type(cst.ImportFrom)[0].names
    assert not isinstance(names, cst.ImportStar)
    assert made(ctx, *edits.remove_items(ctx, names, gone)) == expected


# Lines

STATEMENTS = st.sampled_from(
    ["a = 1", "b = (\n  1)", 's = """\n# no\n  x"""', "c; d", "e  # f", "@w\n# v\n@u\ndef g():\n    pass", "if h:\n    i\nelse:\n    j",
     "# alone\nk", "# one\n\n# two\nl", "for m in n: o", "class P:\n    # in\n    q = 1\n    # end", "\n\nr"]
)  # fmt: skip


@st.composite
def programs(draw: st.DrawFn) -> tuple[FileContext, list[cst.CSTNode]]:
    """A program, perhaps indented, with its statements."""
    text = "\n".join(draw(st.lists(STATEMENTS, min_size=1, max_size=5)))
    if draw(st.booleans()):
        tab = draw(st.sampled_from(["\t", "    ", " "]))
        lines = text.replace('"""\n# no\n  x"""', "''").split("\n")
        text = "with z:\n" + "\n".join(tab + line if line else line for line in lines)
    text += draw(st.sampled_from(["", "\n", "\n\n", "\n# end\n"]))
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    ctx = FileContext(source(text))
    body = ctx.module.body[0].body.body if text.startswith("with") else ctx.module.body  # type: ignore[union-attr]
    return ctx, list(body)


def check_line(ctx: FileContext, edit: Edit | None, place: int) -> None:
    """An insertion of whole lines at ``place`` of the block, which changes nothing else."""
    assert edit is not None and edit.span.start == edit.span.end
    text = made(ctx, edit)
    assert text.replace("\r\n", "\n").count("\n") >= ctx.source.text.replace("\r\n", "\n").count("\n") + 1
    module = cst.parse_module(text)
    body = module.body[0].body.body if text.startswith("with") else module.body  # type: ignore[union-attr]
    added = module.code_for_node(body[place].with_changes(leading_lines=[]))
    assert added.strip() == "NEW = 1"
    assert "\r" not in text.replace("\r\n", "") and ("\r\n" in text) == ("\r\n" in ctx.source.text)


@few
@given(programs(), st.data())
def test_insert_line_before(case: tuple[FileContext, list[cst.CSTNode]], data: st.DataObject) -> None:
    ctx, body = case
    index = data.draw(st.integers(0, len(body) - 1))
    check_line(ctx, line_edits.insert_line_before(ctx, body[index], ["NEW = 1"]), index)


@few
@given(programs(), st.data())
def test_insert_line_after(case: tuple[FileContext, list[cst.CSTNode]], data: st.DataObject) -> None:
    ctx, body = case
    index = data.draw(st.integers(0, len(body) - 1))
    check_line(ctx, line_edits.insert_line_after(ctx, body[index], ["NEW = 1"]), index + 1)


@pytest.mark.parametrize("text", ["if a: here\n", "a; here\n", "lambda: here\n"])
def test_a_statement_that_shares_its_line_takes_no_line(text: str) -> None:
    ctx = FileContext(source(text))
    statement = next(one for one in ctx.tree.of_type(cst.Name) if one.value == "here")
    assert line_edits.indentation(ctx, statement) is None
    assert line_edits.insert_line_before(ctx, statement, ["NEW"]) is None
    assert line_edits.insert_line_after(ctx, statement, ["NEW"]) is None


@pytest.mark.parametrize("head", ["#!/usr/bin/env python\n", "# -*- coding: utf-8 -*-\n", "# coding: utf-8\n"])
def test_a_line_before_stays_below_the_encoding(head: str) -> None:
    ctx = FileContext(source(f"{head}# about x\nx\n"))
    assert made(ctx, line_edits.insert_line_before(ctx, ctx.module.body[0], ["NEW"])) == f"{head}NEW\n# about x\nx\n"


@pytest.mark.parametrize("head", ["", "#!/usr/bin/env python\n", "# -*- coding: utf-8 -*-\n"])
def test_a_line_before_a_first_import_stays_below_the_licence(head: str) -> None:
    ctx = FileContext(source(f"{head}# Copyright\n# Licence\nimport os\n# about x\nimport x\n"))
    first, second = (line_edits.insert_line_before(ctx, one, ["NEW"]) for one in ctx.module.body)
    assert made(ctx, first) == f"{head}# Copyright\n# Licence\nNEW\nimport os\n# about x\nimport x\n"
    assert made(ctx, second) == f"{head}# Copyright\n# Licence\nimport os\nNEW\n# about x\nimport x\n"


# Blocks


@few
@given(programs(), st.sampled_from(["", "  # why", "\n    # first"]), st.booleans())
def test_unwrap_block(case: tuple[FileContext, list[cst.CSTNode]], comment: str, has_else: bool) -> None:
    inner, _ = case
    if inner.source.text.startswith("with") or '"""' in inner.source.text:
        return
    body = inner.source.text.replace("\r\n", "\n").strip("\n")
    indented = "\n".join(f"    {line}" if line else line for line in body.split("\n"))
    orelse = "else:\n    x\n" if has_else else ""
    ctx = FileContext(source(f"before\nif test:{comment}\n{indented}\n{orelse}after\n"))
    statement = ctx.module.body[1]
    assert isinstance(statement, cst.If)
    changes = line_edits.unwrap_block(ctx, statement)
    assert changes is not None
    result = made(ctx, *changes)
    expected = tokens("before" + comment + "\n" + body + "\nafter")
    assert tokens(result) == expected


@pytest.mark.parametrize(
    "text",
    [
        "if test:\n    x = '''\n    a\n    '''\n",
        "if test:\n    x\nelse:  # why\n    y\n",
        "if (test  # why\n    ):\n    x\n",
    ],
)
def test_a_block_that_would_lose_something_is_not_unwrapped(text: str) -> None:
    ctx = FileContext(source(text))
    statement = ctx.module.body[0]
    assert isinstance(statement, cst.If)
    assert line_edits.unwrap_block(ctx, statement) is None
