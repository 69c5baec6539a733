"""Suppressions: what they cover, what they leave alone, and how the unused ones are taken out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.suppress import Suppressions

KNOWN = ("DEV101", "DEV102", "DEV201")


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NOQA",
        "# noqa: DEV101",
        "# noqa:DEV101",
        "# noqa : dev101",
        "# NoQA: E501, DEV101",
        "# noqa: E501 DEV101",
        "# noqa: E501,DEV101,F401",
        "# noqa: DEV1",
        "# noqa: DEV101 - a reason",
        "# type: ignore # noqa: DEV101",
        "# noqa: E501  # noqa: DEV101",
        "# devlint: ignore",
        "# devlint:ignore",
        "# DevLint: ignore[DEV101]",
        "# devlint: ignore[DEV201, DEV1] because",
        "# devlint: ignore-file",
        "# devlint: ignore-file[DEV101]",
        "# flake8: noqa",
        "# flake8: noqa: DEV101",
        "# ruff: noqa: DEV101, E501",
    ],
)
def test_a_suppression_covers_its_line(comment: str) -> None:
    suppressions = Suppressions.of(f"import torch\nx.cuda()  {comment}\n")
    assert suppressions
    assert suppressions.suppresses("DEV101", 2, 2)


@pytest.mark.parametrize(
    "line",
    [
        "x.cuda()  # noqa: E501",
        "x.cuda()  # noqa: DEV102",
        "x.cuda()  # noqa: DEV1011",
        "x.cuda()  # noqax",
        "x.cuda()  # nothing about noqa",
        "x.cuda()  # devlint: ignored",
        "x.cuda()  # devlint: ignore-files",
        "x.cuda()  # devlint: ignore[]",
        "x.cuda()  # devlint: ignore[cuda-method]",
        "x.cuda()  # ruff: noqa: E501",
        "x.cuda('# noqa')",
        "x.cuda('''\n# noqa: DEV101\n''')",
        "f(x.cuda(), '# devlint: ignore-file')",
    ],
)
def test_what_is_no_suppression_covers_nothing(line: str) -> None:
    suppressions = Suppressions.of(line + "\n")
    assert not any(suppressions.suppresses("DEV101", row, row) for row in range(1, 4))
    assert suppressions.rows("DEV101") == set()


def test_line_suppressions_cover_only_findings_that_touch_their_line() -> None:
    suppressions = Suppressions.of("a\nf(\n  x.cuda(\n  ),  # noqa: DEV101\n)\nb\n")
    assert suppressions.suppresses("DEV101", 3, 4)
    assert suppressions.suppresses("DEV101", 2, 5)
    assert not suppressions.suppresses("DEV101", 2, 3)
    assert not suppressions.suppresses("DEV101", 5, 6)
    assert suppressions.rows("DEV101") == {4}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_comment_after_a_backslash_or_a_long_string_speaks_for_all_its_rows(newline: str) -> None:
    text = newline.join(["x = a.cuda() + \\", "    b  # noqa: DEV101", "y = '''", "''' + c  # noqa: DEV102", ""])
    suppressions = Suppressions.of(text)
    assert suppressions.rows("DEV101") == {1, 2}
    assert suppressions.rows("DEV102") == {3, 4}


def test_file_suppressions_cover_every_row() -> None:
    suppressions = Suppressions.of("x.cuda()\n# devlint: ignore-file[DEV1]\ny.cuda()\n")
    assert suppressions.suppresses("DEV101", 1, 1)
    assert not suppressions.suppresses("DEV201", 1, 1)
    assert suppressions.rows("DEV101") == {1, 2, 3, 4}


def test_where_python_finds_no_tokens_lines_are_read_as_they_stand() -> None:
    suppressions = Suppressions.of("x.cuda(async=True)  # noqa: DEV101\ny = '''\n")
    assert suppressions.suppresses("DEV101", 1, 1)


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        ("x()  # noqa: DEV101\n", "x()\n", ("DEV101",)),
        ("x()  # noqa: DEV101 - a reason  \n", "x()\n", ("DEV101",)),
        ("x()\t#noqa:DEV101\r\n", "x()\r\n", ("DEV101",)),
        ("x()  # noqa: DEV101, E501\n", "x()  # noqa: E501\n", ("DEV101",)),
        ("x()  # noqa: E501,DEV101,F401 why\n", "x()  # noqa: E501,F401 why\n", ("DEV101",)),
        ("x()  # noqa: E501 DEV101\n", "x()  # noqa: E501\n", ("DEV101",)),
        ("x()  # noqa: DEV101, DEV201\n", "x()\n", ("DEV101", "DEV201")),
        ("x()  # noqa: DEV999\n", "x()\n", ("DEV999",)),
        ("x()  # type: ignore  # noqa: DEV101\n", "x()  # type: ignore\n", ("DEV101",)),
        ("x()  # noqa: DEV101  # type: ignore\n", "x()  # type: ignore\n", ("DEV101",)),
        ("x()  # devlint: ignore[DEV101] why", "x()", ("DEV101",)),
        ("x()  # devlint: ignore\n", "x()\n", ()),
        ("# devlint: ignore-file\nx()\n", "x()\n", ()),
        ("x()\n    # flake8: noqa: DEV1", "x()\n", ("DEV1",)),
        ("x()\n# flake8: noqa: DEV1\n", "x()\n", ("DEV1",)),
    ],
)
def test_unused_codes_are_taken_out(before: str, after: str, codes: tuple[str, ...]) -> None:
    (unused,) = Suppressions.of(before).unused(KNOWN, KNOWN)
    assert unused.codes == codes
    edit = unused.edit
    assert before[: edit.span.start] + edit.text + before[edit.span.end :] == after
    assert before[unused.span.start] == "#"


@pytest.mark.parametrize("comment", ["# noqa", "# noqa: E501", "# flake8: noqa", "# ruff: noqa", "# noqa: anything"])
def test_what_may_be_meant_for_others_is_never_unused(comment: str) -> None:
    assert Suppressions.of(f"x()  {comment}\n").unused(KNOWN, KNOWN) == []


def test_a_used_suppression_is_not_unused() -> None:
    suppressions = Suppressions.of("x.cuda()  # noqa: DEV1\ny  # noqa: DEV102, DEV101\nz  # devlint: ignore\n")
    assert suppressions.suppresses("DEV101", 1, 1)
    assert suppressions.suppresses("DEV101", 2, 2)
    assert suppressions.suppresses("DEV201", 3, 3)
    assert [unused.codes for unused in suppressions.unused(KNOWN, KNOWN)] == [("DEV102",)]


def test_rules_that_did_not_run_leave_their_suppressions_alone() -> None:
    suppressions = Suppressions.of("x()  # noqa: DEV101\ny()  # devlint: ignore\nz()  # noqa: DEV998\n")
    assert [unused.codes for unused in suppressions.unused({"DEV201"}, KNOWN, KNOWN)] == [("DEV998",)]
    assert [unused.codes for unused in suppressions.unused(KNOWN, KNOWN, KNOWN)] == [("DEV101",), (), ("DEV998",)]


@pytest.mark.parametrize(
    ("comment", "missing"),
    [
        ("# noqa: DEV101", True),
        ("# noqa: DEV101 -", True),
        ("# noqa: DEV101  # type: ignore", True),
        ("# devlint: ignore", True),
        ("# devlint: ignore-file[DEV1]:", True),
        ("# noqa: DEV101 - CUDA kernel", False),
        ("# devlint: ignore[DEV101] (CUDA kernel)", False),
        ("# noqa", False),
        ("# noqa: E501", False),
    ],
)
def test_a_reason_is_any_text_after_the_codes(comment: str, missing: bool) -> None:
    assert bool(Suppressions.of(f"x.cuda()  {comment}\n").without_reason()) is missing


@given(
    st.lists(st.sampled_from(["# noqa", ": DEV101", ", E5", "#", " ", "'", "\n", "\\\n", "x", "devlint: ignore", "\r"]))
)
def test_any_text_is_read_without_an_error(pieces: list[str]) -> None:
    text = "".join(pieces)
    suppressions = Suppressions.of(text)
    suppressions.suppresses("DEV101", 1, 1)
    for unused in suppressions.unused(KNOWN, KNOWN):
        assert 0 <= unused.edit.span.start <= unused.edit.span.end <= len(text)
