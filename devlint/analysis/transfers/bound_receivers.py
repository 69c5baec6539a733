"""Whether a name that is moved under a test for CUDA has a value on every way there: without CUDA, nothing reads it."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.control_flow import block_path, branches, exits, is_main_guard, statements
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.syntax.file_context import FileContext, fact_of

_BLOCKS = (cst.For, cst.While, cst.With, cst.Try, cst.TryStar, cst.If)


@fact_of
def is_unbound(ctx: FileContext, name: cst.Name) -> bool:
    """Whether nothing binds a name on some way to it, and the program may go on there without reading it elsewhere.

    A name that nothing binds anywhere is a slip where the same test governs moves of what has a value; else what is
    read may be a piece of a program.
    """
    scope = scopes(ctx).binder(name.value, name)
    if scope is not None and (
        scope is not scopes(ctx).scope_of(name) or not isinstance(scope.node, (cst.Module, cst.FunctionDef))
    ):
        return False
    if not _is_made(ctx, scope, name):
        return _is_beside_bound(ctx, name) and not scopes(ctx).star_import and not _is_read_anyway(ctx, scope, name)
    assert scope is not None
    return not certainly_bound(ctx, name.value, scope, name) and not _is_read_anyway(ctx, scope, name)


def _is_made(ctx: FileContext, scope: Scope | None, name: cst.Name) -> bool:
    """Whether a name is given anything but its own value, moved."""
    bound = scope.bindings.get(name.value, ()) if scope is not None else ()
    return any(one.value is None or not _reads_name(ctx, one.value, name.value) for one in bound)


def _reads_name(ctx: FileContext, value: cst.CSTNode, name: str) -> bool:
    return any(isinstance(one, cst.Name) and one.value == name for one in ctx.tree.below(value))


def _is_beside_bound(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a test that is around a name also governs moves of another name, which has a value."""
    owners = {id(one.owner): one.owner for one in guards_of(ctx, name)}
    for call in (one for owner in owners.values() for one in ctx.tree.below(owner) if isinstance(one, cst.Call)):
        moved = call.func.value if isinstance(call.func, cst.Attribute) and call.func.attr.value == "cuda" else None
        if isinstance(moved, cst.Name) and moved.value != name.value:
            scope = scopes(ctx).binder(moved.value, moved)
            if _is_made(ctx, scope, moved) and scope is not None and certainly_bound(ctx, moved.value, scope, moved):
                return True
    return False


def _is_read_anyway(ctx: FileContext, scope: Scope | None, name: cst.Name) -> bool:
    """Whether code that needs no CUDA reads a name whenever it comes to a place: there, or in another function."""
    function = scopes(ctx).function_of(name)
    own, around = set[int](), set[int]()
    for one in uses_of(ctx, scope, name.value):
        if isinstance(ctx.tree.parent(one), cst.AssignTarget) or any(guards_of(ctx, one)):
            continue
        if scopes(ctx).function_of(one) is not function:
            return True
        readers = [id(up) for up in ctx.tree.ancestors(one) if isinstance(up, cst.BaseStatement)]
        own.update(readers[:1])
        around.update(readers)
    top = function or ctx.module
    for block, index in block_path(ctx, name, top):
        others = (one for place, one in enumerate(statements(block)) if place != index)
        if any(_reads(one, own, around) for one in others):
            return True
    return False


def _reads(statement: cst.CSTNode, own: set[int], around: set[int]) -> bool:
    """Whether a statement that reads a name itself, or holds one that does, does so whenever it runs; loops do run."""
    if id(statement) in own or id(statement) not in around:
        return id(statement) in own
    if isinstance(statement, cst.If) and not is_main_guard(statement):
        is_whole = statement.orelse is not None
        return is_whole and all(exits(one) or _is_read_in(one, own, around) for one in branches(statement))
    return isinstance(statement, _BLOCKS) and _is_read_in(statement.body, own, around)


def _is_read_in(block: cst.CSTNode, own: set[int], around: set[int]) -> bool:
    return any(_reads(one, own, around) for one in statements(block))
