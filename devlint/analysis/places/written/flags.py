"""Parameters that tests ask for: where they are true, or None, and where they are not."""

from __future__ import annotations

import ast

Flag = tuple[str, bool]  # a parameter, and whether it is true


def flag_of(test: ast.expr, holds: bool) -> Flag | None:
    """The name that a test asks for, and whether it is true where the test holds, or does not."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return flag_of(test.operand, not holds)
    if isinstance(test, ast.Compare) and getattr(test.comparators[0], "value", test) is None:  # x is None
        return flag_of(test.left, holds is not isinstance(test.ops[0], ast.Is))
    return (test.id, holds) if isinstance(test, ast.Name) else None
