"""Rules are tested by what they write; how long lines are broken is tested in tests/syntax/test_long_lines.py."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def long_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """No line is too long."""
    monkeypatch.setattr("devlint.config.line_length.line_length", lambda _: 1000)
