"""Which rows of a session begin a statement once edits are made: the same as where all of it is taken apart again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.core.diagnostic import Edit, Span
from devlint.engine.fixpoint import splice
from devlint.syntax.documents import doctest_prompts
from devlint.syntax.documents.doctest_prompts import Session
from devlint.syntax.python_tree.python_ast import syntax_tree

STATEMENTS = (
    "x = 1",
    "# why",
    "",
    "f(\n  a,\n  b)",
    "if a:\n  b\nelse:\n  c",
    "@d\ndef f(): pass",
    "a; b",
    "'''\nx\n'''",
)
TEXTS = ("", "x", "x.to(device)", "(\n", "if a:\n", "import torch\n", "\n", "y\nz", ")")


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = "".join(f"{one}\n" for one in draw(st.lists(st.sampled_from(STATEMENTS), max_size=8)))
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6, unique=True)))
    spans = [Span(start, end) for start, end in zip(places[::2], places[1::2])]
    return text, [Edit(one, draw(st.sampled_from(TEXTS))) for one in spans]


def inner(text: str) -> set[int]:
    tree = syntax_tree(text)
    found: set[int] = set()
    for one in tree.body if tree is not None else ():
        decorators = [each.lineno for each in getattr(one, "decorator_list", ())]
        found.update(range(min([one.lineno, *decorators]), one.end_lineno or one.lineno))
    return found


def new_row(text: str, edits: list[Edit], row: int) -> int | None:
    """The number of a row in the new text; None where it begins within an edit."""
    line = text.split("\n")[row]
    start = sum(len(one) + 1 for one in text.split("\n")[:row]) + len(line) - len(line.lstrip(" \t"))
    if any(edit.span.start < start < edit.span.end for edit in edits):
        return None
    above = [edit for edit in edits if edit.span.end <= start]
    lost = sum(text.count("\n", edit.span.start, edit.span.end) for edit in above)
    return row - lost + sum(edit.text.count("\n") for edit in above)


@given(programs())
def test_as_where_all_is_taken_apart_again(program: tuple[str, list[Edit]]) -> None:
    text, edits = program
    before, after = inner(text), inner(splice(text, edits))
    rows = [bool(line.strip()) for line in text.split("\n")]
    moved = [new_row(text, edits, row) for row in range(len(rows))]
    expected = all((row in before) is (new in after) for row, new in enumerate(moved) if rows[row] and new is not None)
    assert Session(text).keeps(edits, rows) is expected


@given(programs())
def test_rows_of_one_edit(program: tuple[str, list[Edit]]) -> None:
    text, edits = program
    for edit in edits:
        first = text.count("\n", 0, edit.span.start)
        written = range(first, first + edit.text.count("\n") + 1)
        after = inner(splice(text, [edit]))
        found = Session(text).inner_after(edit)
        assert [row in found for row in written] == [row in after for row in written]


def test_an_edit_takes_only_its_statements_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "x = a.cuda()\n" * 200
    session = Session(text)
    lines: list[int] = []
    monkeypatch.setattr(
        doctest_prompts, "syntax_tree", lambda part: lines.append(part.count("\n")) or syntax_tree(part)
    )
    for row in range(200):
        start = 13 * row + 6
        edit = Edit(Span(start, start + 6), "to(device)")
        assert session.keeps([edit, Edit(Span(0, 0), "import torch\n")], [True] * 200)
    assert sum(lines) < 4 * 200
