"""Code in functions that the file itself uses only where there is CUDA."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.guards.guards import is_guarded
from devlint.analysis.names.module_structure import is_script
from devlint.analysis.names.resolution import attributes_named, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext


def runs_guarded(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` runs only where a test for CUDA holds: one before it, or before all uses of its function."""
    if is_guarded(ctx, node):
        return True
    return any(isinstance(one, cst.FunctionDef) and _is_used_guarded(ctx, one) for one in ctx.tree.ancestors(node))


def _is_used_guarded(ctx: FileContext, function: cst.FunctionDef) -> bool:
    """Whether the file calls a function of its own, or hands it on, and only where there is CUDA."""
    name = function.name.value
    scope = scopes(ctx).scope_of(function)
    if not name.startswith("_") and not (is_script(ctx) and not scope.is_class):
        return False
    if name.startswith("__"):
        return False
    uses: Sequence[cst.CSTNode] = attributes_named(ctx, name) if scope.is_class else uses_of(ctx, scope, name)
    inside = [one for one in uses if not any(up is function for up in ctx.tree.ancestors(one))]
    return bool(inside) and all(is_guarded(ctx, one) for one in inside)
