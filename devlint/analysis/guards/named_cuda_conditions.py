"""What tests say about CUDA beyond their own words: through names that hold an answer, and through NCCL."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.cuda_conditions import implies_cuda
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import sole_value
from devlint.syntax.file_context import FileContext

_DEPTH = 3
"""How many names are followed: ``ok = has_card and large``, ``has_card = torch.cuda.is_available()``."""


def needs_cuda_where(ctx: FileContext, test: cst.CSTNode, holds: bool = True) -> bool:
    """Whether there is CUDA wherever ``test`` is true (or, with ``holds=False``, false)."""
    if implies_cuda(ctx, test, holds):
        return True
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return needs_cuda_where(ctx, test.expression, not holds)
    if isinstance(test, cst.BooleanOperation):
        sides = (needs_cuda_where(ctx, one, holds) for one in (test.left, test.right))
        return any(sides) if isinstance(test.operator, cst.And) is holds else all(sides)
    if isinstance(test, cst.Comparison):
        return asks_for_nccl(test) and isinstance(test.comparisons[0].operator, (cst.Equal, cst.Is)) is holds
    return isinstance(test, cst.Name) and ctx.fact(_Names).imply(ctx, test, holds)


def asks_for_nccl(test: cst.CSTNode) -> bool:
    """Whether a test is whether processes talk over NCCL, which takes tensors of CUDA only."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    one = test.comparisons[0]
    if not isinstance(one.operator, (cst.Equal, cst.NotEqual, cst.Is, cst.IsNot)):
        return False
    return any(_is_nccl(side) for side in (test.left, one.comparator))


def _is_nccl(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.SimpleString):
        return node.raw_value == "nccl"
    return (dotted_name(node) or "").endswith("Backend.NCCL")


class _Names:
    """What names that hold an answer say, each asked once."""

    def __init__(self, ctx: FileContext) -> None:
        self._depth = 0
        self._known: dict[tuple[int, bool, int], bool] = {}

    def imply(self, ctx: FileContext, name: cst.Name, holds: bool) -> bool:
        """Whether there is CUDA wherever what ``name`` stands for is true (or false)."""
        value = sole_value(ctx, name)
        if value is None or self._depth == _DEPTH:
            return False
        key = (id(value), holds, self._depth)
        if key not in self._known:
            self._depth += 1
            self._known[key] = needs_cuda_where(ctx, value, holds)
            self._depth -= 1
        return self._known[key]
