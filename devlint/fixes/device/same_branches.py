"""Branches and arms that are the same once a device is written in one: ``x.to(self.device)`` in both."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.control_flow import statements
from devlint.analysis.transfers.cuda_method_calls import CudaMove
from devlint.analysis.transfers.only_moves import is_plain_test
from devlint.core.diagnostic import Edit
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.guard_statements import kept_quiet
from devlint.syntax import line_edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext


def only_other_branch(ctx: FileContext, node: cst.CSTNode, written: str) -> list[Edit] | None:
    """The edits that leave what an ``else`` does, where the branch above it does the same with ``written`` for a node.

    None where the branches still differ, or where a test may do something, or a comment would go.
    """
    line = next((one for one in ctx.tree.ancestors(node) if isinstance(one, cst.SimpleStatementLine)), None)
    block = ctx.tree.parent(line) if line is not None else None
    choice = ctx.tree.parent(block) if block is not None else None
    if line is None or not isinstance(choice, cst.If) or choice.body is not block or _is_elif(ctx, choice):
        return None
    branch = choice.orelse.body if isinstance(choice.orelse, cst.Else) else None
    other = statements(branch) if branch is not None else ()
    if len(statements(choice.body)) != 1 or len(other) != 1 or "#" in ctx.text_of(choice):
        return None
    if not is_plain_test(ctx, choice.test):
        return None
    text, here, there, span = ctx.source.text, ctx.span(line), ctx.span(other[0]), ctx.span(node)
    changed = text[here.start : span.start] + written + text[span.end : here.end]
    if branch is None or changed != text[there.start : there.end]:
        return None
    return kept_quiet(ctx, choice, branch, line_edits.unwrap_else(ctx, choice))


def only_other_arm(ctx: FileContext, move: CudaMove, device: DeviceChoice) -> Edit | None:
    """The edit that leaves one arm of ``x.cuda() if is_packed else x.to(device)``, which both do with this device.

    None where the other arm is another, or where a test may do something, or a comment would go.
    """
    choice, call = ctx.tree.parent(move.call), move.call
    if not isinstance(choice, cst.IfExp) or call is choice.test or "#" in ctx.text_of(choice):
        return None
    other = choice.orelse if call is choice.body else choice.body
    written = f"{ctx.text_of(move.receiver)}.to({device.expression})"
    if device.edits or call.args or ctx.text_of(other) != written or not is_plain_test(ctx, choice.test):
        return None
    return replace_expression(ctx, choice, written)


def _is_elif(ctx: FileContext, choice: cst.If) -> bool:
    above = ctx.tree.parent(choice)
    return isinstance(above, cst.If) and above.orelse is choice
