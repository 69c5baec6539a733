"""An ``if`` whose two branches are the same once a device is written in one: ``x.to(self.device)`` in both."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.control_flow import statements
from devlint.core.diagnostic import Edit
from devlint.fixes.guard_statements import kept_quiet
from devlint.syntax import line_edits
from devlint.syntax.file_context import FileContext

_MAY_ACT = (cst.Call, cst.Subscript, cst.NamedExpr, cst.Await, cst.Yield, cst.BaseComp, cst.FormattedString)
"""What is in a test that must be asked: it may do something, or fail."""


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
    if any(isinstance(one, _MAY_ACT) for one in ctx.tree.below(choice.test)):
        return None
    text, here, there, span = ctx.source.text, ctx.span(line), ctx.span(other[0]), ctx.span(node)
    changed = text[here.start : span.start] + written + text[span.end : here.end]
    if branch is None or changed != text[there.start : there.end]:
        return None
    return kept_quiet(ctx, choice, branch, line_edits.unwrap_else(ctx, choice))


def _is_elif(ctx: FileContext, choice: cst.If) -> bool:
    above = ctx.tree.parent(choice)
    return isinstance(above, cst.If) and above.orelse is choice
