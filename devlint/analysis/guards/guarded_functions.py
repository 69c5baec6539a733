"""Code in functions that the file itself uses only where a test for CUDA, or for an accelerator, holds."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.guards.guards import FOR_ACCELERATOR, FOR_CUDA, Question, guards_of
from devlint.analysis.names.resolution import attributes_named, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import is_script
from devlint.syntax.file_context import FileContext


def has_accelerator(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` runs only where a test for an accelerator, CUDA or another, holds."""
    return runs_guarded(ctx, node, FOR_ACCELERATOR)


def runs_guarded(ctx: FileContext, node: cst.CSTNode, question: Question = FOR_CUDA) -> bool:
    """Whether ``node`` runs only where a test holds: one before it, or one before all uses of its function."""
    if any(guards_of(ctx, node, question)):
        return True
    functions = (one for one in ctx.tree.ancestors(node) if isinstance(one, cst.FunctionDef))
    return any(_is_used_guarded(ctx, one, question) for one in functions)


def _is_used_guarded(ctx: FileContext, function: cst.FunctionDef, question: Question) -> bool:
    """Whether the file calls a function of its own, or hands it on, and only where the test holds."""
    name = function.name.value
    scope = scopes(ctx).scope_of(function)
    if name.startswith("__") or not (name.startswith("_") or (is_script(ctx) and not scope.is_class)):
        return False
    uses: Sequence[cst.CSTNode] = attributes_named(ctx, name) if scope.is_class else uses_of(ctx, scope, name)
    outside = [one for one in uses if not any(up is function for up in ctx.tree.ancestors(one))]
    return bool(outside) and all(any(guards_of(ctx, one, question)) for one in outside)
