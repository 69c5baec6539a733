"""Which findings count beside a baseline and changed lines, also after fixes have moved them."""

from __future__ import annotations

from collections import Counter

import pytest

from devlint.core.diagnostic import Diagnostic, Edit, Span
from devlint.engine.finding_filter import FindingFilter
from devlint.sources.source import Source

TEXT = "a = 1\nb = 2\nc = 3\n"
SOURCE = Source.from_text("case.py", TEXT)


def finding(start: int, end: int | None = None, code: str = "DEV101", source: Source = SOURCE) -> Diagnostic:
    span = Span(start, start + 1 if end is None else end)
    return Diagnostic("case.py", code, "", span, source.location(span.start), source.location(span.end))


def passing(one: FindingFilter, *found: Diagnostic) -> list[int]:
    return [each.span.start for each in one.passing(found)]


def test_without_either_all_count() -> None:
    one = FindingFilter()
    one.begin(SOURCE)
    assert passing(one, finding(0), finding(6)) == [0, 6]
    assert one.baselined == 0


def test_a_finding_counts_where_it_touches_a_changed_row() -> None:
    one = FindingFilter(changed={2})
    one.begin(SOURCE)
    assert passing(one, finding(0), finding(6), finding(12)) == [6]
    assert passing(one, finding(0, 6), finding(0, 7), finding(11, 12), finding(4, 14)) == [0, 11, 4]


def test_rows_of_a_file_that_cannot_be_decoded_are_those_of_the_finding() -> None:
    one = FindingFilter(changed={1})
    assert passing(one, finding(0), finding(6)) == [0]


def test_a_baseline_knows_how_often_a_line_has_a_code() -> None:
    one = FindingFilter(Counter({("DEV101", "b = 2"): 1, ("DEV102", "c = 3"): 2}))
    one.begin(SOURCE)
    found = [finding(6), finding(7), finding(6, code="DEV102"), finding(12), finding(12, code="DEV102")]
    assert [(each.code, each.span.start) for each in one.passing(found)] == [
        ("DEV101", 7),
        ("DEV102", 6),
        ("DEV101", 12),
    ]
    assert one.baselined == 2


def test_what_is_known_is_decided_before_the_first_fix() -> None:
    one = FindingFilter(Counter({("DEV101", "c = 3"): 1}))
    one.begin(SOURCE)
    assert passing(one, finding(12)) == []
    one.edited([Edit(Span(0, 5), "longer = 1")])
    after = Source.from_text("case.py", "longer = 1\nb = 2\nc = 4\n")
    assert passing(one, finding(17, source=after), finding(11, source=after)) == [11]
    assert one.baselined == 1


PLACES = [
    ([], (6, 7), (6, 7)),
    ([Edit(Span(0, 1), "xyz")], (8, 9), (6, 7)),
    ([Edit(Span(0, 1), "xyz")], (0, 3), (0, 1)),
    ([Edit(Span(0, 1), "xyz")], (1, 2), (0, 1)),
    ([Edit(Span(0, 1), "xyz")], (3, 4), (1, 2)),
    ([Edit(Span(0, 5), "")], (1, 2), (6, 7)),
    ([Edit(Span(6, 6), "new\n")], (6, 9), (6, 6)),
    ([Edit(Span(6, 6), "new\n")], (10, 11), (6, 7)),
    ([Edit(Span(6, 6), "new\n")], (0, 1), (0, 1)),
    ([Edit(Span(12, 13), "xy"), Edit(Span(0, 1), "xyz")], (14, 16), (12, 13)),
    ([Edit(Span(12, 13), "xy"), Edit(Span(0, 1), "xyz")], (16, 17), (13, 14)),
]
"""Edits, a place in the text that they make, and the place that it came from."""


@pytest.mark.parametrize(("edits", "place", "origin"), PLACES)
def test_origin(edits: list[Edit], place: tuple[int, int], origin: tuple[int, int]) -> None:
    one = FindingFilter()
    one.begin(SOURCE)
    one.edited(edits)
    assert one.origin(Span(*place)) == Span(*origin)


def test_origin_goes_back_through_all_passes() -> None:
    one = FindingFilter()
    one.begin(SOURCE)
    one.edited([Edit(Span(0, 0), "xx")])
    one.edited([Edit(Span(0, 2), "y")])
    assert one.origin(Span(7, 8)) == Span(6, 7)
