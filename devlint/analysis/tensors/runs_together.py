"""Whether one place of a function certainly runs with another: before it, after it, or around it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice

import libcst as cst

from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.syntax.file_context import FileContext, fact_of

_WAYS_IN = (cst.SimpleStatementLine, cst.With, cst.IndentedBlock)
_CHOICES = (cst.IfExp, cst.BooleanOperation, cst.Lambda, cst.BaseComp)
_MOST_READS = 20
"""How many uses of a name are followed."""
_EXITS = (cst.Return, cst.Break, cst.Continue, cst.Yield)


def leaves_between(ctx: FileContext, scope: Scope, first: cst.CSTNode, last: cst.CSTNode) -> bool:
    """Whether the function may return, or go on with a loop, after one node of it and before another."""
    after, before = ctx.span(first).start, ctx.span(last).start
    return any(after < start and end < before for start, end in exits_of(ctx, scope))


@fact_of
def exits_of(ctx: FileContext, scope: Scope) -> list[tuple[int, int]]:
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


def uses_below(
    ctx: FileContext, scope: Scope, name: str, statement: cst.CSTNode, block: cst.CSTNode
) -> Iterator[cst.Name]:
    """The uses of a name that certainly run after a statement of a block gives it a value, and before another does."""
    if scopes(ctx).binder(name, statement) is not scope:
        return
    reads = uses_of(ctx, scope, name)
    if len(scope.bindings[name]) == 1 and len(reads) <= _MOST_READS:
        block = loop_of_all(ctx, reads, block) or block
    starts = _starts(ctx, scope).setdefault(name, [ctx.span(one).start for one in reads])
    for choice, outer in ((statement, block), *_choices_around(ctx, block)):
        below = ctx.span(choice).end
        first = bisect_left(starts, below)
        values = [one for one in scope.bindings[name] if ctx.span(one.node).start >= below]
        until = min((ctx.span(one.node).end for one in values), default=None)
        for read in islice(reads, first, first + _MOST_READS):
            if until is not None and ctx.span(read).start > until:
                break
            if runs_with(ctx, read, outer):
                yield read
        if any(ctx.tree.is_around(outer, one.node) for one in values):
            return


def _choices_around(ctx: FileContext, block: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """The tests that a block is a branch of, each with the block that it is in: what comes below runs as well."""
    while isinstance(block, cst.IndentedBlock):
        choice = next((one for one in ctx.tree.ancestors(block) if not _is_branch(ctx, one)), None)
        around = ctx.tree.parent(choice) if isinstance(choice, (cst.If, cst.With)) else None
        if choice is None or around is None:
            return
        yield choice, around
        block = around


def _is_branch(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a node is the ``else`` or ``elif`` of another one."""
    return isinstance(node, cst.Else) or (isinstance(node, cst.If) and isinstance(ctx.tree.parent(node), cst.If))


@fact_of
def _starts(ctx: FileContext, scope: Scope) -> dict[str, list[int]]:
    """Where the names of a scope are read: filled as they are needed."""
    return {}
