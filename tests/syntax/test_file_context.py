"""Answers about a file that are computed once."""

from __future__ import annotations

from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext, fact_of


def test_answer_about_a_name_is_for_no_other_name_that_takes_its_place_in_memory() -> None:
    ctx = FileContext(Source.from_text("case.py", "x = 1\n"))
    number_of = fact_of(_number_in)
    assert [number_of(ctx, f"name_{number}") for number in range(100)] == list(range(100))


def test_answer_about_a_name_is_computed_once_however_often_the_name_stands_there() -> None:
    ctx = FileContext(Source.from_text("case.py", "x = 1\n"))
    asked: list[str] = []

    @fact_of
    def length(ctx: FileContext, name: str) -> int:
        asked.append(name)
        return len(name)

    assert [length(ctx, "".join(("de", "vice"))) for _ in range(3)] == [6, 6, 6]
    assert asked == ["device"]


def _number_in(_ctx: FileContext, name: str) -> int:
    return int(name.removeprefix("name_"))
