"""What comparisons compare."""

from __future__ import annotations

import libcst as cst


def compared_values(comparison: cst.Comparison) -> list[cst.BaseExpression]:
    """The values of a comparison in order: ``a``, ``b`` and ``c`` of ``a < b == c``."""
    return [comparison.left, *(one.comparator for one in comparison.comparisons)]
