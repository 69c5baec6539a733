"""The rows around findings, and what fixes change, side by side."""

from __future__ import annotations

import pytest

from devlint.core.diagnostic import Applicability, Diagnostic, Edit, Fix, Span
from devlint.report.excerpts import excerpt, side_by_side
from devlint.report.model import RowPair
from devlint.sources.source import Source


def diagnostic(source: Source, found: str, *edits: tuple[str, str]) -> Diagnostic:
    """A finding of a text, with a fix that replaces some; ``^text`` inserts before it."""
    start = source.text.index(found)
    span = Span(start, start + len(found))
    made = []
    for old, new in edits:
        at = source.text.index(old.removeprefix("^"))
        made.append(Edit(Span(at, at if old.startswith("^") else at + len(old)), new))
    fix = Fix(tuple(made), Applicability.SAFE, "Do it") if made else None
    place, end = source.location(span.start), source.location(span.end)
    return Diagnostic(source.path, "DEV101", "bad", span, place, end, fix)


def told(pairs: tuple[RowPair, ...]) -> list[str]:
    """Rows as a diff has them."""
    rows = []
    for pair in pairs:
        if not pair.is_changed:
            assert pair.before is not None
            rows.append(f"  {pair.before.text}")
            continue
        rows += [f"- {pair.before.text}"] if pair.before else []
        rows += [f"+ {pair.after.text}"] if pair.after else []
    return rows


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_definition_stands_above_its_use(newline: str) -> None:
    source = Source("a.py", newline.join(["import torch", "", "x = y.cuda()", "", "z = x", ""]))
    found = diagnostic(source, "y.cuda()", ("^x = y", f"device = 1{newline}"), ("cuda()", "to(device)"))
    (place,) = side_by_side(source, found)
    assert told(place) == ["  ", "+ device = 1", "- x = y.cuda()", "+ x = y.to(device)", "  "]
    last = place[2]
    assert last.before is not None and last.after is not None
    assert [last.before.text[a:b] for a, b in last.before.marks] == ["cuda()"]
    assert [last.after.text[a:b] for a, b in last.after.marks] == ["to(device)"]


def test_places_far_from_each_other_are_apart() -> None:
    rows = [f"row{number} = 0" for number in range(1, 30)]
    source = Source("a.py", "\n".join(rows))
    found = diagnostic(source, "row20 ", ("^row2 ", "import os\n"), ("row20 ", "new "))
    first, second = side_by_side(source, found)
    assert told(first) == ["  row1 = 0", "+ import os", "  row2 = 0", "  row3 = 0"]
    assert told(second) == ["  row19 = 0", "- row20 = 0", "+ new = 0", "  row21 = 0"]


def test_a_row_that_is_deleted_is_gone() -> None:
    source = Source("a.py", "a = 1\nb = 2\nc = 3\nd = 4\n")
    (place,) = side_by_side(source, diagnostic(source, "b = 2", ("b = 2\n", "")))
    assert told(place) == ["  a = 1", "- b = 2", "  c = 3"]


def test_the_last_row_has_no_newline() -> None:
    source = Source("a.py", "a = 1\nb = 2")
    (place,) = side_by_side(source, diagnostic(source, "b", ("b = 2", "b = 3\nc = 4")))
    assert told(place) == ["  a = 1", "- b = 2", "+ b = 3", "+ c = 4"]


def test_an_excerpt_has_a_row_more_on_each_side() -> None:
    source = Source("a.py", "a\nb\nc\nd\n")
    assert [row.text for row in excerpt(source, diagnostic(source, "c"))] == ["b", "c", "d"]
    assert [row.text for row in excerpt(source, diagnostic(source, "a"))] == ["a", "b"]


def test_long_findings_and_rows_are_cut() -> None:
    source = Source("a.py", "f(\n" + "1,\n" * 500 + ")\n" + "x" * 5000 + "y.cuda()" + "x" * 5000)
    whole = diagnostic(source, source.text[: source.text.index(")") + 1])
    assert len(excerpt(source, whole)) <= 12
    (row,) = (one for one in excerpt(source, diagnostic(source, "y.cuda()")) if one.marks)
    assert len(row.text) < 300 and [row.text[a:b] for a, b in row.marks] == ["y.cuda()"]


def test_characters_that_change_how_others_are_shown_are_replaced() -> None:
    source = Source("a.py", "x = '\u202eabc\x1b[31m' + y.cuda()\n")
    (row,) = excerpt(source, diagnostic(source, "y.cuda()"))[:1]
    assert row.text == "x = '\ufffdabc\ufffd[31m' + y.cuda()"
    assert [row.text[a:b] for a, b in row.marks] == ["y.cuda()"]
