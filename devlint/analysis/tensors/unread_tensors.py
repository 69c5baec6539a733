"""Tensors that a program makes and never looks at."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import How
from devlint.analysis.names.resolution import bindings, sole_target, uses_of
from devlint.syntax.file_context import FileContext


def is_never_read(ctx: FileContext, made: cst.CSTNode) -> bool:
    """Whether a value is only given to a name that nobody reads, at most deletes: it only takes up the device."""
    target = sole_target(ctx, made)
    if target is None:
        return False
    scope, found = bindings(ctx, target.value, target)
    if scope is None or not scope.is_function or len(found) != 1 + sum(one.how is How.DELETE for one in found):
        return False
    reads = (one for one in uses_of(ctx, scope, target.value) if one is not target)
    return all(isinstance(ctx.tree.parent(one), cst.Del) for one in reads)
