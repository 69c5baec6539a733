"""Which line of the original a line of a rewritten file was."""

from __future__ import annotations

import pytest

from devlint.verify.original_rows import original_row


@pytest.mark.parametrize(
    ("before", "after", "rows"),
    [
        ("a b c", "a b c", [1, 2, 3]),
        ("a b c", "a x y b c", [1, None, None, 2, 3]),
        ("a b c", "a B c", [1, 2, 3]),
        ("a b c", "a x B c", [1, None, 2, 3]),
        ("a b c", "a c", [1, 3]),
        ("a b c", "A c", [2, 3]),
        ("a", "a x y", [1, None, None]),
    ],
)
def test_the_lines_of_a_rewritten_text(before: str, after: str, rows: list[int | None]) -> None:
    texts = [text.encode().split() for text in (before, after)]
    assert [original_row(texts[0], texts[1], row) for row in range(1, len(texts[1]) + 1)] == rows
