"""Where an expression stands in a program, as Python tells it of the instruction that is being run."""

from __future__ import annotations

from typing import NamedTuple


class ExpressionPlace(NamedTuple):
    """Rows count from 1, columns from 0 in bytes of UTF-8; columns are -1 before Python 3.11, which keeps lines."""

    path: str
    row: int
    column: int
    end_row: int
    end_column: int
