"""Uses of a card that the program certainly reaches: its device may be made above, for the number is surely a card."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.cuda_flags import is_cuda_answer
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.scripts import executed_nodes
from devlint.fixes.device.anchors.placement import Anchor
from devlint.syntax.file_context import FileContext

_MAY_LEAVE = (cst.Return, cst.Raise, cst.Break, cst.Continue)
_ELSEWHERE = (cst.FunctionDef, cst.Lambda, cst.ExceptHandler, cst.Else, cst.BooleanOperation)


def is_reached(ctx: FileContext, anchor: Anchor, use: cst.CSTNode) -> bool:
    """Whether the program reaches a use whenever it reaches an anchor, but for loops that run for nothing.

    ``torch.cuda.set_device(-1)`` does nothing; ``torch.device("cuda:-1")`` fails, where nobody had asked for it.
    """
    block = ctx.tree.parent(anchor.statement)
    for child, parent in ctx.tree.path_up(use):
        if parent is block:
            return not _may_leave(block, anchor, child)
        if isinstance(parent, (cst.If, cst.IfExp)) and child is not parent.test:
            if child is not parent.body or not is_cuda_answer(ctx, parent.test):
                return False
        if isinstance(parent, _ELSEWHERE):
            return False
    return False


def _may_leave(block: cst.CSTNode, anchor: Anchor, last: cst.CSTNode) -> bool:
    """Whether a statement from an anchor to another one of its block may leave it."""
    lines = [*statements(block)]
    begin = next((at for at, one in enumerate(lines) if one is anchor.statement), 0)
    end = next((at for at, one in enumerate(lines) if one is last), len(lines))
    return any(isinstance(node, _MAY_LEAVE) for one in lines[begin:end] for node in executed_nodes(one))
