"""Uses of a card that the program certainly reaches: its device may be made above, for the number is surely a card."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.current_card import says_none
from devlint.analysis.guards.cuda_flags import is_cuda_answer
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.scripts import executed_nodes
from devlint.fixes.device.anchors.placement import Anchor
from devlint.syntax.file_context import FileContext

_MAY_LEAVE = (cst.Return, cst.Raise, cst.Break, cst.Continue)
_ELSEWHERE = (cst.FunctionDef, cst.Lambda, cst.ExceptHandler, cst.Else, cst.BooleanOperation)


def is_reached(ctx: FileContext, anchor: Anchor, use: cst.CSTNode, number: str | None = None) -> bool:
    """Whether the program reaches a use whenever it reaches an anchor, but for loops that run for nothing.

    ``torch.cuda.set_device(-1)`` does nothing; ``torch.device("cuda:-1")`` fails, where nobody had asked for it.
    Where ``number`` is None, which a test may ask, its device is the current one and fails nowhere.
    """
    block, line = ctx.tree.parent(anchor.statement), use
    for child, parent in ctx.tree.path_up(use):
        if parent is block:
            return not _may_leave(block, anchor.statement, child)
        if isinstance(parent, (cst.If, cst.Else)) and _is_where_set(ctx, child, parent, number):
            if isinstance(child, cst.BaseSuite) and _may_leave(child, None, line):
                return False
            continue
        if isinstance(parent, (cst.If, cst.IfExp)) and child is not parent.test:
            if child is not parent.body or not is_cuda_answer(ctx, parent.test):
                return False
        if isinstance(parent, _ELSEWHERE):
            return False
        line = child
    return False


def _is_where_set(ctx: FileContext, block: cst.CSTNode, owner: cst.If | cst.Else, number: str | None) -> bool:
    """Whether all that a test asks for a block is that a number is not None."""
    asked = ctx.tree.parent(owner) if isinstance(owner, cst.Else) else owner
    if number is None or not isinstance(asked, cst.If) or block is asked.test:
        return False
    return says_none(asked.test, number, block is not asked.body)


def _may_leave(block: cst.CSTNode, first: cst.CSTNode | None, last: cst.CSTNode) -> bool:
    """Whether a statement from the first one to another one of a block may leave it."""
    lines = [*statements(block)]
    begin = next((at for at, one in enumerate(lines) if one is first), 0)
    end = next((at for at, one in enumerate(lines) if one is last), len(lines))
    return any(isinstance(node, _MAY_LEAVE) for one in lines[begin:end] for node in executed_nodes(one))
