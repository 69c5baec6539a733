"""What two texts have in common: what difflib says of short ones, and soon of long ones."""

from __future__ import annotations

import difflib
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.cli.output.diff import render
from devlint.cli.output.style import Style
from devlint.core import line_matches
from devlint.core.line_matches import LineMatcher

LINES = st.lists(st.sampled_from("abcdefghij"), max_size=20)
MANY = 20_000


@pytest.fixture
def every_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short texts are compared as long ones are."""
    monkeypatch.setattr(line_matches, "_FEW", 0)


def replayed(before: Sequence[str], after: Sequence[str]) -> tuple[list[str], int]:
    """What the comparison makes of ``before``, and how many lines it leaves as they are."""
    made: list[str] = []
    kept = 0
    for kind, start, end, new_start, new_end in LineMatcher(before, after).get_opcodes():
        if kind == "equal":
            kept += end - start
            made += before[start:end]
        else:
            made += after[new_start:new_end]
    return made, kept


@given(LINES, LINES)
def test_short_texts_are_compared_as_difflib_does(before: list[str], after: list[str]) -> None:
    assert LineMatcher(before, after).get_opcodes() == difflib.SequenceMatcher(None, before, after).get_opcodes()


@pytest.mark.usefixtures("every_length")
@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("abc", "abc", 3),
        ("", "abc", 0),
        ("abc", "", 0),
        ("axbxc", "aybyc", 3),
        ("abcdef", "defabc", 3),
        ("fabcde", "abcdef", 5),
        ("aabbcc", "aaxbcc", 5),
        ("ax", "bx", 1),
        ("xa", "xb", 1),
    ],
)
def test_what_is_left_as_it_is(before: str, after: str, kept: int) -> None:
    assert replayed(before, after) == (list(after), kept)


@given(LINES, LINES)
def test_long_texts_are_compared_rightly(before: list[str], after: list[str]) -> None:
    few = line_matches._FEW
    line_matches._FEW = 0
    try:
        assert replayed(before, after)[0] == after
        blocks = LineMatcher(before, after).get_matching_blocks()
    finally:
        line_matches._FEW = few
    assert blocks[-1] == (len(before), len(after), 0)
    for one, other in zip(blocks, blocks[1:]):
        assert one.a + one.size <= other.a and one.b + one.size <= other.b
        assert (one.a + one.size, one.b + one.size) != (other.a, other.b) or not other.size


@given(LINES, LINES, st.booleans())
def test_a_diff_is_that_of_difflib(before: list[str], after: list[str], ended: bool) -> None:
    one, other = ("\n".join(lines) + "\n" * bool(lines and ended) for lines in (before, after))
    plain = difflib.unified_diff(one.splitlines(True), other.splitlines(True), "a.py", "a.py")
    remark = "\n\\ No newline at end of file\n"
    assert render("a.py", one, other, Style()) == "".join(
        line if line.endswith("\n") else line + remark for line in plain
    )


@pytest.mark.parametrize("end", ["    return 1\n", "\n", ""])
def test_lines_that_are_common_in_a_text_are_shown_once(end: str) -> None:
    before = "".join(f"def f{row}():\n    g({row})\n\n    return 1\n" for row in range(60))
    before += f"def last():\n    a.cuda()\n\n    b.cuda()\n{end}"
    diff = render("a.py", before, before.replace(".cuda()", ".to(device)"), Style())
    assert diff.splitlines()[-7 - bool(end) :] == [
        *("     return 1", " def last():", "-    a.cuda()", "+    a.to(device)"),
        *(" ", "-    b.cuda()", "+    b.to(device)"),
        *(f" {line}" for line in end.splitlines()),
    ]


def test_every_second_line_changed() -> None:
    before = "".join(f"a{row}\nx.cuda()\n" for row in range(MANY))
    start = time.process_time()
    diff = render("a.py", before, before.replace(".cuda()", ".to(device)"), Style())
    assert time.process_time() - start < 5  # a tenth of it; difflib takes a minute
    assert diff.count("\n-x.cuda()") == diff.count("\n+x.to(device)") == MANY
    assert diff.count("\n a") == MANY
