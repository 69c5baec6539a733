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

    def holds(self, inner: ExpressionPlace) -> bool:
        """Whether another expression is a part of this one."""
        if self.path != inner.path:
            return False
        starts = (self.row, self.column) <= (inner.row, inner.column)
        return starts and (inner.end_row, inner.end_column) <= (self.end_row, self.end_column)
