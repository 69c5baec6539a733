"""A device that a function defines further down, moved up to what needs it first."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.devices.device_values import device_value
from devlint.analysis.guards.cuda_flags import Condition
from devlint.analysis.names.bindings import How
from devlint.analysis.names.control_flow import index_in, statements
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.core.diagnostic import Edit
from devlint.fixes.device.anchors.first_use import first_use
from devlint.fixes.device.anchors.flag_anchors import asks_too_early
from devlint.fixes.device.anchors.placement import Anchor
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.torch_import import torch_name
from devlint.syntax import line_edits
from devlint.syntax.file_context import FileContext


def later_device(ctx: FileContext, at: cst.CSTNode, guard: Condition | None) -> DeviceChoice | None:
    """``device`` where a line of the same function's body below ``at`` gives it CUDA, if there is CUDA.

    The line goes up, above all that uses CUDA in the function: a second name beside it would mean the same. Not where
    a flag decides at ``at``.
    """
    function = scopes(ctx).function_of(at)
    if function is None or ctx.target.kind != "cuda" or (guard is not None and guard.names):
        return None
    scope = scopes(ctx).scope_of(function.body)
    for name, (first, *others) in scope.bindings.items():
        if others or first.how is not How.ASSIGN or name in scope.declared_global | scope.declared_nonlocal:
            continue
        line = _line_below(ctx, function, first.node, at)
        if line is not None and all(_is_below(ctx, one, line) for one in uses_of(ctx, scope, name)):
            moved = _moved_up(ctx, scope, function, line, at)
            if moved is not None:
                return moved
    return None


def _line_below(
    ctx: FileContext, function: cst.FunctionDef, node: cst.CSTNode, at: cst.CSTNode
) -> cst.SimpleStatementLine | None:
    """The line of a function's body that is nothing but an assignment, if it stands below ``at``."""
    line = next((one for one in (node, *ctx.tree.ancestors(node)) if isinstance(one, cst.SimpleStatementLine)), None)
    if line is None or len(line.body) != 1 or index_in(ctx, function.body, line) is None:
        return None
    return line if _is_below(ctx, line, at) else None


def _is_below(ctx: FileContext, one: cst.CSTNode, other: cst.CSTNode) -> bool:
    return ctx.span(one).start >= ctx.span(other).start


def _moved_up(
    ctx: FileContext, scope: Scope, function: cst.FunctionDef, line: cst.SimpleStatementLine, at: cst.CSTNode
) -> DeviceChoice | None:
    assign, use = line.body[0], first_use(ctx, function, at)
    if not isinstance(assign, cst.Assign) or len(assign.targets) != 1 or use is None:
        return None
    above = {id(one) for one in (use.statement, *ctx.tree.ancestors(use.statement))}
    place = next((one for one in statements(function.body) if id(one) in above), line)
    anchor, torch = Anchor(scope, place, after=False), torch_name(ctx, place)
    if torch is None or torch[1] or asks_too_early(ctx, anchor, None):
        return None
    expression, condition = _expression(ctx, assign.value, torch[0]), ctx.target.available(torch[0])
    if expression is None:
        return None
    name = ctx.text_of(assign.targets[0].target)
    edits = [anchor.insert(ctx, [f"{name} = {expression}"]), _without(ctx, line)]
    found = tuple(one for one in edits if one is not None)
    return DeviceChoice(name, found, False, condition) if len(found) == 2 else None


def _without(ctx: FileContext, line: cst.SimpleStatementLine) -> Edit | None:
    """The edit that deletes a line without a comment."""
    return line_edits.delete_lines(ctx, line, line) if line.trailing_whitespace.comment is None else None


def _expression(ctx: FileContext, value: cst.BaseExpression, torch: str) -> str | None:
    """A device that is CUDA wherever there is CUDA, and nothing else; one that is always CUDA becomes such a choice."""
    literal, found = cuda_literal(ctx, value), device_value(ctx, value)
    text = ctx.text_of(value)
    if found is None or found.is_string is not False or found.index is not None or found.caveat or "\n" in text:
        return None
    if found.condition == ctx.target.available(torch):
        return text
    return ctx.target.device_expression(torch) if literal is not None and literal.is_constant else None
