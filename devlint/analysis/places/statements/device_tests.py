"""Branches that run only where a tensor is not on CUDA: ``if x.is_cuda: … else: …``, ``if not x.is_cuda: …``."""

from __future__ import annotations

import ast

from devlint.analysis.places.values import UNKNOWN, Names, Value

_KINDS = {"is_cuda": False, "is_cpu": True}
"""What asks a tensor where it is, and whether it is on no GPU where that is true."""


def hidden(test: ast.expr, names: Names, truth: bool) -> dict[str, Value]:
    """The tensor that is not on CUDA where a test is true, or false: nothing that meets it there must be moved.

    It has no place in ``names`` then, until ``shown_again`` puts back what is returned.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return hidden(test.operand, names, not truth)
    if not isinstance(test, ast.Attribute) or not isinstance(test.value, ast.Name) or test.value.id not in names:
        return {}
    if _KINDS.get(test.attr) is not truth:
        return {}
    found, names[test.value.id] = names[test.value.id], UNKNOWN
    return {test.value.id: found}


def shown_again(names: Names | None, before: dict[str, Value]) -> Names | None:
    """The names after a branch, with what was hidden in it, unless the branch gave it another value."""
    if names is not None:
        names.update({name: value for name, value in before.items() if names.get(name) is UNKNOWN})
    return names
