"""Whether one place of a function certainly runs with another: before it, after it, or around it."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from devlint.analysis.names.scopes import Scope
from devlint.syntax.file_context import FileContext, fact_of

_WAYS_IN = (cst.SimpleStatementLine, cst.With, cst.IndentedBlock)
_CHOICES = (cst.IfExp, cst.BooleanOperation, cst.Lambda, cst.BaseComp)
_EXITS = (cst.Return, cst.Break, cst.Continue, cst.Yield)


def leaves_between(ctx: FileContext, scope: Scope, first: cst.CSTNode, last: cst.CSTNode) -> bool:
    """Whether the function may return, or go on with a loop, after one node of it and before another."""
    after, before = ctx.span(first).start, ctx.span(last).start
    return any(after < start and end < before for start, end in _exits(ctx, scope))


@fact_of
def _exits(ctx: FileContext, scope: Scope) -> list[tuple[int, int]]:
    """Where the statements begin and end that leave a function or go on with a loop."""
    spans = [ctx.span(one) for one in ctx.tree.below(scope.node) if isinstance(one, _EXITS)]
    return [(one.start, one.end) for one in spans]


def runs_with(ctx: FileContext, node: cst.CSTNode, block: cst.CSTNode) -> bool:
    """Whether an expression runs whenever a block does that it stands in."""
    for _, parent in ctx.tree.path_up(node):
        if parent is block:
            return True
        if isinstance(parent, (cst.BaseCompoundStatement, *_CHOICES)) and not isinstance(parent, _WAYS_IN):
            return False
    return False


def runs_whenever(ctx: FileContext, scope: Scope, node: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Whether a node of a function has run, or is going to run, wherever another one runs, unless something fails."""
    blocks = [one for one in ctx.tree.ancestors(other) if isinstance(one, cst.IndentedBlock)]
    block = next((one for one in ctx.tree.ancestors(node) if any(one is two for two in blocks)), None)
    if block is None or not ctx.tree.is_around(scope.node, block) or not runs_with(ctx, node, block):
        return False
    return ctx.span(node).start < ctx.span(other).start or not leaves_between(ctx, scope, other, node)


def loop_of_all(ctx: FileContext, uses: Iterable[cst.Name], block: cst.CSTNode) -> cst.CSTNode | None:
    """The body of the loop of a block that has all reads of a name: nobody sees its value where the loop never runs."""
    bodies = list({id(body): body for body in (_loop_in(ctx, one, block) for one in reads_only(ctx, uses))}.values())
    return bodies[0] if len(bodies) == 1 else None


def reads_only(ctx: FileContext, uses: Iterable[cst.Name]) -> list[cst.Name]:
    """The uses of a name that do not give it a value."""
    return [one for one in uses if not isinstance(ctx.tree.parent(one), cst.AssignTarget)]


def _loop_in(ctx: FileContext, node: cst.CSTNode, block: cst.CSTNode) -> cst.CSTNode | None:
    """The body of the loop of a block that holds a node."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, cst.For) and child is parent.body and ctx.tree.parent(parent) is block:
            return child
    return None
