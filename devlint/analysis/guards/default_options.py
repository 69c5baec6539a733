"""Options of the command line that are on unless the user says otherwise: a test for one asks nobody for CUDA."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.cuda_only_code import does_without
from devlint.analysis.guards.implications import implies_cuda
from devlint.analysis.guards.option_values import holds_by_default
from devlint.syntax.file_context import FileContext


def if_option_is_on(ctx: FileContext, statement: cst.CSTNode) -> cst.If | None:
    """The ``if args.gpu >= 0:`` around a statement that fails without CUDA, if the option is on by default.

    None where something further out asks for CUDA, and for targets that are not CUDA alone.
    """
    block = ctx.tree.parent(ctx.tree.parent(statement) or statement)
    owner = ctx.tree.parent(block) if isinstance(block, cst.IndentedBlock) else None
    if not isinstance(owner, cst.If) or owner.body is not block or ctx.target.kind != "cuda":
        return None
    if not implies_cuda(ctx, owner.test) or not holds_by_default(ctx, owner.test):
        return None
    return None if does_without(ctx, owner) else owner
