"""What comparisons compare, and what ``and`` and ``or`` join."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst


def compared_values(comparison: cst.Comparison) -> list[cst.BaseExpression]:
    """The values of a comparison in order: ``a``, ``b`` and ``c`` of ``a < b == c``."""
    return [comparison.left, *(one.comparator for one in comparison.comparisons)]


def joined_parts(test: cst.BaseExpression, operator: type[cst.And] | type[cst.Or]) -> Iterator[cst.BaseExpression]:
    """The parts of ``a and b and c``, or of ``a or b or c``, in their order; of anything else itself."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, operator):
        yield from joined_parts(test.left, operator)
        yield from joined_parts(test.right, operator)
    else:
        yield test
