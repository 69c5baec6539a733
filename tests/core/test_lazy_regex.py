"""Expressions that are compiled when they are first asked."""

from __future__ import annotations

import re

import pytest

from devlint.core.lazy_regex import regex


def test_it_does_what_the_compiled_one_does() -> None:
    lazy, compiled = regex(r"(?P<name>a+)b", re.IGNORECASE), re.compile(r"(?P<name>a+)b", re.IGNORECASE)
    text = "xAaB aab"
    assert [one.span() for one in lazy.finditer(text)] == [one.span() for one in compiled.finditer(text)]
    assert lazy.sub(r"<\g<name>>", text) == compiled.sub(r"<\g<name>>", text) == "x<Aa> <aa>"
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (compiled.pattern, compiled.flags, compiled.groupindex)
    assert regex(rb"\d").findall(b"1a2") == [b"1", b"2"]
    with pytest.raises(AttributeError):
        lazy.nonsense  # type: ignore[attr-defined]  # noqa: B018


def test_it_is_compiled_once_and_late(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def compiled(pattern: str, flags: int) -> str:
        asked.append(pattern)
        return pattern

    monkeypatch.setattr(re, "compile", compiled)
    lazy = regex("late")
    assert (lazy.pattern, asked) == ("late", [])
    assert [lazy.index("t"), lazy.index("e")] == [2, 3]  # type: ignore[attr-defined]
    assert asked == ["late"]
