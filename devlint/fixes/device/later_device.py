"""A device that a function or script defines further down, moved up to what needs it first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.devices.device_values import device_value
from devlint.analysis.guards.cuda_flags import Condition
from devlint.analysis.guards.cuda_mentions import cuda_mention_ids
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.control_flow import holder_in, is_main_guard, statements
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.scripts import executed_nodes, is_script
from devlint.core.diagnostic import Edit, Span
from devlint.fixes.device.anchors.first_use import first_use
from devlint.fixes.device.anchors.flag_anchors import asks_too_early
from devlint.fixes.device.anchors.placement import Anchor
from devlint.fixes.device.cards.card_stability import index_caveat
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.torch_import import torch_name
from devlint.syntax import line_edits
from devlint.syntax.file_context import FileContext


def later_device(ctx: FileContext, at: cst.CSTNode, guard: Condition | None) -> DeviceChoice | None:
    """``device`` where a line of the same body below ``at`` gives it CUDA, if there is CUDA.

    The line goes up, above all that uses CUDA in the function or script: a second name beside it would mean the same.
    Not where a flag decides at ``at``.
    """
    function = scopes(ctx).function_of(at)
    if ctx.target.kind != "cuda" or (guard is not None and guard.names):
        return None
    scope = scopes(ctx).scope_of(function.body) if function is not None else scopes(ctx).module
    if function is None and (scopes(ctx).scope_of(at) is not scope or not is_script(ctx)):
        return None
    for name, (first, *others) in scope.bindings.items():
        if others or first.how is not How.ASSIGN or name in scope.declared_global | scope.declared_nonlocal:
            continue
        line = _line_below(ctx, function, first.node, at)
        if line is not None and all(_is_after(ctx, function, one, line) for one in uses_of(ctx, scope, name)):
            moved = _moved_up(ctx, scope, function, line, at)
            if moved is not None:
                return moved
    return None


def _line_below(
    ctx: FileContext, function: cst.FunctionDef | None, node: cst.CSTNode, at: cst.CSTNode
) -> cst.SimpleStatementLine | None:
    """The line of a function's body, or a script's, that is nothing but an assignment, if it stands below ``at``."""
    line = next((one for one in (node, *ctx.tree.ancestors(node)) if isinstance(one, cst.SimpleStatementLine)), None)
    body = _body(ctx, function, line) if line is not None and _may_make_device(line) else None
    if line is None or body is None or holder_in(ctx, body, at) is None:
        return None
    return line if _is_below(ctx, line, at) else None


def _may_make_device(line: cst.SimpleStatementLine) -> bool:
    """Whether a line is nothing but ``name = torch.device(…)``, by its words: the places of others are dear."""
    value = line.body[0].value if len(line.body) == 1 and isinstance(line.body[0], cst.Assign) else None
    values = (value.body, value.orelse) if isinstance(value, cst.IfExp) else (value,)
    calls = (one for one in values if isinstance(one, cst.Call))
    return any((dotted_name(one.func) or "").rpartition(".")[2] == "device" for one in calls)


def _body(ctx: FileContext, function: cst.FunctionDef | None, line: cst.CSTNode) -> cst.CSTNode | None:
    """The block of a line, if it is the body of the function, or of a script or its main part."""
    block = ctx.tree.parent(line)
    if function is not None:
        return block if block is function.body else None
    above = ctx.tree.parent(block) if block is not None else None
    is_main = above is not None and is_main_guard(above)
    return block if block is ctx.module or is_main else None


def _is_after(ctx: FileContext, function: cst.FunctionDef | None, use: cst.CSTNode, line: cst.CSTNode) -> bool:
    """Whether a use stands below a line, or in a function of a script, which cannot run before it."""
    return _is_below(ctx, use, line) or (function is None and scopes(ctx).function_of(use) is not None)


def _is_below(ctx: FileContext, one: cst.CSTNode, other: cst.CSTNode) -> bool:
    return ctx.span(one).start >= ctx.span(other).start


def _moved_up(
    ctx: FileContext, scope: Scope, function: cst.FunctionDef | None, line: cst.SimpleStatementLine, at: cst.CSTNode
) -> DeviceChoice | None:
    assign, body = line.body[0], ctx.tree.parent(line)
    if not isinstance(assign, cst.Assign) or len(assign.targets) != 1 or body is None:
        return None
    place = _place(ctx, function, body, at)
    torch = torch_name(ctx, place) if place is not None else None
    if place is None or torch is None or torch[1] or ctx.cell_of(place) != ctx.cell_of(line):
        return None
    anchor, name = Anchor(scope, place, after=False), ctx.text_of(assign.targets[0].target)
    expression, condition = _expression(ctx, name, assign.value, torch[0], at), ctx.target.available(torch[0])
    if expression is None or asks_too_early(ctx, anchor, None):
        return None
    said = _comments(ctx, line)
    edits = [anchor.insert(ctx, [*said, f"{name} = {expression}"]), _without(ctx, line, said)]
    found = tuple(one for one in edits if one is not None)
    return DeviceChoice(name, found, False, condition) if len(found) == 2 else None


def _place(
    ctx: FileContext, function: cst.FunctionDef | None, body: cst.CSTNode, at: cst.CSTNode
) -> cst.CSTNode | None:
    """The first statement of a body that uses CUDA when it runs; ``at`` does."""
    if function is None:
        uses = cuda_mention_ids(ctx) | {id(at)}
        return next((one for one in statements(body) if any(id(two) in uses for two in executed_nodes(one))), None)
    use = first_use(ctx, function, at)
    above = {id(one) for one in (use.statement, *ctx.tree.ancestors(use.statement))} if use is not None else set()
    return next((one for one in statements(body) if id(one) in above), None)


def _comments(ctx: FileContext, line: cst.SimpleStatementLine) -> list[str]:
    """The comments right above a line that speak of nothing else, as a blank line or another comment follows."""
    above = takewhile(lambda one: one.comment is not None, reversed(line.leading_lines))
    body = ctx.tree.parent(line)
    below = [two for one, two in pairwise(statements(body)) if one is line] if body is not None else []
    if any(not getattr(one, "leading_lines", ()) for one in below):
        return []
    return [one.comment.value for one in above if one.comment is not None][::-1]


def _without(ctx: FileContext, line: cst.SimpleStatementLine, comments: Sequence[str]) -> Edit | None:
    """The edit that deletes a line, which has no comment of its own, and the comments above it."""
    edit = line_edits.delete_lines(ctx, line, line) if line.trailing_whitespace.comment is None else None
    if edit is None or not comments:
        return edit
    text, end = ctx.source.text, edit.span.end
    start = line_edits.line_start(text, ctx.span(line).start)
    for _ in comments:
        start = line_edits.line_start(text, start - 2)
    if text[:start].endswith(2 * ctx.source.newline) and line_edits.blank_line_at(ctx, end):
        end = line_edits.line_end(text, end)
    return Edit(Span(start, end), edit.text)


def _expression(ctx: FileContext, name: str, value: cst.BaseExpression, torch: str, at: cst.CSTNode) -> str | None:
    """A device that is the current card wherever there is CUDA; one that is always CUDA becomes such a choice."""
    literal, found = cuda_literal(ctx, value), device_value(ctx, value)
    text = ctx.text_of(value)
    if found is None or found.is_string is not False or found.caveat or "\n" in text:
        return None
    if found.index is not None and index_caveat(ctx, name, found, None, at) is not None:
        return None
    if found.condition == ctx.target.available(torch):
        return text
    is_known = literal is not None and literal.is_constant
    return ctx.target.device_expression(torch, index=found.index) if is_known else None
