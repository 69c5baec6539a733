"""Reaching definitions: which bindings may have given a name its value at a place, and whether one certainly has."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import libcst as cst

from devlint.analysis.names.binding_positions import BindingPositions, all_binding_positions, binding_positions
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.control_flow import block_binds, block_path, holder_in, index_in, scope_body, statements
from devlint.analysis.names.reachable_names import may_look_up
from devlint.analysis.names.resolution import bindings, implies_not_none, reads
from devlint.analysis.names.scopes import Scope, bound_values, scopes
from devlint.syntax.file_context import FileContext, fact

_CHOICES = (cst.IfExp, cst.BooleanOperation, cst.BaseComp, cst.Lambda, cst.MatchCase)
_JUMPS = (cst.Return, cst.Raise, cst.Break, cst.Continue)
_FAR = 40
"""How many statements further down a name is looked for."""


def reaching_definitions(ctx: FileContext, name: cst.Name) -> list[Binding]:
    """The bindings that may give ``name`` its value: the one right above it if no other can come between, else all."""
    scope, found = bindings(ctx, name.value, name)
    if scope is None or len(found) < 2 or scope is not scopes(ctx).scope_of(name):
        return found
    where = all_binding_positions(ctx, scope, name.value)
    for child, parent in ctx.tree.path_up(name):
        if isinstance(parent, (cst.IndentedBlock, cst.Module)):
            index = index_in(ctx, parent, child)
            last = where.last_before(parent, index) if index is not None else None
            if last is not None:
                statement, position = last
                alone = isinstance(statements(parent)[statement], cst.SimpleStatementLine)
                return [found[position]] if alone else found
        if isinstance(parent, (cst.For, cst.While)) and where.holds(parent):
            return found
        if isinstance(parent, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            break
    return found


def may_reach(ctx: FileContext, scope: Scope, found: Sequence[Binding], at: cst.CSTNode) -> Sequence[Binding]:
    """Those of the bindings ``found`` of ``scope`` whose value a name may have at ``at``.

    Seen from a nested function, which may run at any time, only what the scope ends with counts.
    """
    where = binding_positions(ctx, scope, found)
    reached: set[int] = set()
    for block, index in _blocks_leading_to(ctx, scope, at):
        reached.update(where.head(*statements(block)[index : index + 1] or (block,)))
        positions, is_all = where.reach(block, index)
        reached.update(positions)
        if is_all:
            break
        reached.update(where.under(_runs_earlier_too(ctx, block)))
    else:
        reached.update(where.headers)
    own = where.found
    if own is found:
        return [found[position] for position in sorted(reached)]
    of_inner_scopes = {id(one) for one in found} - {id(one) for one in own}
    kept = of_inner_scopes | {id(own[position]) for position in reached}
    return [one for one in found if id(one) in kept]


def _blocks_leading_to(ctx: FileContext, scope: Scope, at: cst.CSTNode) -> list[tuple[cst.CSTNode, int]]:
    """The blocks around ``at``, innermost first, with the index of the statement in each; all of an ended scope."""
    path = block_path(ctx, at, scope.node) if _runs_in(ctx, scope, at) else []
    body = scope_body(scope)
    if path or not body:
        return path[::-1]
    block = ctx.tree.parent(body[-1])
    return [(block, len(body))] if block is not None else []


def _runs_in(ctx: FileContext, scope: Scope, at: cst.CSTNode) -> bool:
    """Whether ``at`` runs when the code of ``scope`` does, and not in a function that it defines."""
    holder: Scope | None = scopes(ctx).scope_of(at)
    while holder is not None and holder is not scope and not holder.is_function:
        holder = holder.parent
    return holder is scope or holder is None


def _runs_earlier_too(ctx: FileContext, block: cst.CSTNode) -> cst.CSTNode | None:
    """What may have run, in whole or in part, before a block starts: the body of a loop, the ``try`` of a handler."""
    owner = ctx.tree.parent(block)
    if isinstance(owner, (cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally)):
        return ctx.tree.parent(owner)
    return block if isinstance(owner, (cst.For, cst.While)) else None


def certainly_bound(
    ctx: FileContext, name: str, scope: Scope, at: cst.CSTNode, by: Sequence[Binding] | None = None
) -> bool:
    """Whether ``name`` of ``scope`` is bound (by one of the bindings ``by``) on every path that reaches ``at``."""
    found = scope.bindings.get(name, []) if by is None else by
    if not found:
        return False
    hows = all_binding_positions(ctx, scope, name).kinds
    if How.DELETE in hows and not _is_deleted_below(ctx, name, scope, at):
        return False
    if How.PARAMETER in hows and (by is None or any(one.how is How.PARAMETER for one in by)):
        return True
    where = binding_positions(ctx, scope, found)
    if _runs_in(ctx, scope, at):
        return _bound_before(ctx, where, scope.node, at)
    return _bound_when_called(ctx, where, scope, at)


def _is_deleted_below(ctx: FileContext, name: str, scope: Scope, at: cst.CSTNode) -> bool:
    """Whether a function deletes a name only below ``at``, and no loop comes back from there."""
    deleted = [one.node for one in scope.bindings.get(name, ()) if one.how is How.DELETE]
    if not deleted or not scope.is_function or not _runs_in(ctx, scope, at):
        return False
    loops = [one for one in ctx.tree.ancestors(at) if isinstance(one, (cst.For, cst.While))]
    end = ctx.span(at).end
    return all(
        ctx.span(one).start >= end
        and scopes(ctx).scope_of(one) is scope
        and not any(ctx.tree.is_around(loop, one) for loop in loops)
        for one in deleted
    )


def _bound_before(ctx: FileContext, where: BindingPositions, top: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether a statement that runs before ``at`` in the same scope certainly binds."""
    around = {id(one) for one in ctx.tree.ancestors(at)}
    for block, index in block_path(ctx, at, top):
        if where.binds_before(block, index):
            return True
        parent = statements(block)[index]
        if isinstance(parent, cst.For) and id(parent) in where.node_ids and id(parent.body) in around:
            return True
        if isinstance(parent, cst.With) and any(id(item) in where.node_ids for item in parent.items):
            if id(parent.body) in around:
                return True
        if isinstance(parent, cst.Try) and parent.orelse is not None:
            if id(parent.orelse) in around and block_binds(parent.body, where.node_ids):
                return True
    return False


def definition_in(ctx: FileContext, scope: Scope, at: cst.CSTNode) -> cst.CSTNode | None:
    """The function or class of a scope's own code that holds ``at``: what is in it runs later than that statement."""
    kinds = (cst.FunctionDef, cst.ClassDef)
    return next((up for up in ctx.tree.ancestors(at) if isinstance(up, kinds) and _runs_in(ctx, scope, up)), None)


def _bound_when_called(ctx: FileContext, where: BindingPositions, scope: Scope, at: cst.CSTNode) -> bool:
    """Whether ``scope`` binds before anything in it can call the function that holds ``at``."""
    definition = definition_in(ctx, scope, at)
    if definition is not None and _bound_before(ctx, where, scope.node, definition):
        return True
    body = scope_body(scope)
    block = ctx.tree.parent(body[0]) if body else None
    index = where.first_that_binds(block) if block is not None else None
    if block is None or index is None:
        return False
    holder = holder_in(ctx, block, at)
    if holder is None:
        return False
    outer = body[holder]
    if not isinstance(outer, (cst.FunctionDef, cst.ClassDef)):
        return index < holder
    return not may_look_up(ctx, scope, index + 1, outer.name.value)


def is_used_anyway(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether the code around ``at`` does without None anyway.

    It asks above, ``if x is None: …``, or it would fail: the blocks that hold it use an attribute of the name.
    """
    top = scopes(ctx).function_of(at) or ctx.tree.module
    for block, index in block_path(ctx, at, top):
        for place, statement in enumerate(statements(block)):
            if place < index and isinstance(statement, cst.If) and implies_not_none(statement.test, name, holds=False):
                return True
            if place != index and isinstance(statement, cst.SimpleStatementLine) and _uses(ctx, name, statement):
                return True
    return False


def _uses(ctx: FileContext, name: str, statement: cst.CSTNode) -> bool:
    """Whether a statement reads an attribute or an item of a name, or calls it, whenever it runs."""
    for node in ctx.tree.below(statement):
        used = node.value if isinstance(node, (cst.Attribute, cst.Subscript)) else None
        used = node.func if isinstance(node, cst.Call) else used
        if used is None or dotted_name(used) != name:
            continue
        around = takewhile(lambda one: one is not statement, ctx.tree.ancestors(node))
        if not any(isinstance(one, _CHOICES) for one in around):
            return True
    return False


def is_read_beside(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether the function around ``at`` reads a ``name`` of the module whenever it comes to ``at``, or has before.

    Wherever the module binds such a name, perhaps in its main part: it is bound while the function runs.
    """
    function = scopes(ctx).function_of(at)
    module = scopes(ctx).module
    if function is None or any(scopes(ctx).function_of(one.node) for one in module.bindings.get(name, ())):
        return False
    for block, index in block_path(ctx, at, function):
        read = _certain_reads(ctx).get((name, id(block)), index + _FAR)
        between = statements(block)[index:read]
        if read < index + _FAR and not any(isinstance(two, _JUMPS) for one in between for two in ctx.tree.below(one)):
            return True
    return False


@fact
def _certain_reads(ctx: FileContext) -> dict[tuple[str, int], int]:
    """By name and block, the first statement of the block that certainly reads a name of the module when it runs."""
    found: dict[tuple[str, int], int] = {}
    table = scopes(ctx)
    for one in reads(ctx):
        if table.function_of(one) is None or table.binder(one.value, one) is not table.module:
            continue
        for child, parent in ctx.tree.path_up(one):
            index = index_in(ctx, parent, child)
            if index is not None:
                found[one.value, id(parent)] = min(index, found.get((one.value, id(parent)), index))
            is_block = index is not None and not isinstance(parent, cst.SimpleStatementLine)
            is_elif = isinstance(parent, cst.If) and child is parent.orelse
            if is_block or is_elif or isinstance(parent, _CHOICES) or isinstance(child, cst.ExceptHandler):
                break
    return found


def reaching_values(ctx: FileContext, dotted: str, at: cst.CSTNode) -> list[cst.BaseExpression]:
    """The values that a name may have at ``at``, and those of itself that they are made of; all of an attribute."""
    scope = scopes(ctx).binder(dotted, at) if "." not in dotted else None
    if scope is None:
        return bound_values(ctx, dotted, at)
    found: dict[int, cst.BaseExpression] = {}
    waiting = [at]
    while waiting:
        for one in may_reach(ctx, scope, scope.bindings[dotted], waiting.pop()):
            if one.value is not None and id(one.value) not in found:
                found[id(one.value)] = one.value
                waiting += [name for name in ctx.tree.below(one.value) if dotted_name(name) == dotted]
    return [*found.values()]
