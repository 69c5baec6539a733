"""The value of one string literal."""

from __future__ import annotations

import warnings

import libcst as cst
import pytest

from devlint.syntax.literals import literal_value


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("'cuda'", "cuda"),
        ('b"cuda"', b"cuda"),
        (r"R'\w'", r"\w"),
        ("'''a\nb'''", "a\nb"),
        (r"'a\n'", None),
        (r"'a\;'", None),
        (r"b'\777'", None),
    ],
)
def test_its_value(code: str, value: str | bytes | None) -> None:
    """Python warns of escapes that are none, and whoever runs devlint has not asked to hear of them."""
    node = cst.parse_expression(code)
    assert isinstance(node, cst.SimpleString)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert literal_value(node) == value
