"""Whether what is moved under a test for CUDA is there without CUDA, where nothing has evaluated it until now."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.control_flow import (
    block_path,
    branches,
    exits,
    is_main_guard,
    statements,
    statements_above,
)
from devlint.analysis.names.reaching_definitions import certainly_bound, may_reach
from devlint.analysis.names.resolution import attributes_named, bindings, targets_named, uses_of
from devlint.analysis.names.scopes import Scope, bound_values, scopes
from devlint.analysis.owners.changed_since import may_say_otherwise
from devlint.syntax.file_context import FileContext, fact_of

_BLOCKS = (cst.For, cst.While, cst.With, cst.Try, cst.TryStar, cst.If)


def may_be_missing(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether only code for CUDA gives a name or attribute its value, or nothing else names an attribute or entry.

    A name may be missing, too, that nothing binds on some way to a move, where nothing else would fail for it.
    """
    if isinstance(receiver, cst.Name):
        if _is_unbound(ctx, receiver):
            return True
        scope, found = bindings(ctx, receiver.value, receiver)
        if scope is not None and scope is scopes(ctx).scope_of(receiver):
            found = [*may_reach(ctx, scope, found, receiver)]
        made = [one.node for one in found if one.value is None or not _names(ctx, one.value, receiver.value)]
        return _are_for_cuda(ctx, made, receiver)
    if isinstance(receiver, cst.Subscript):
        if _walks(ctx, receiver) or _is_given_with(ctx, receiver):
            return False
        return not _is_named_elsewhere(ctx, receiver, ctx.tree.of_type(cst.Subscript))
    if not isinstance(receiver, cst.Attribute):
        return False
    dotted = dotted_name(receiver) or ""
    owner = class_of(ctx, receiver) if dotted.startswith("self.") else None
    given = [one for one in targets_named(ctx, dotted) if owner is None or class_of(ctx, one) is owner]
    made = [one for one in given if not _names(ctx, ctx.tree.parent(one), dotted, besides=one)]
    if made:
        return _are_for_cuda(ctx, made, receiver)
    attribute = receiver.attr.value
    return not _is_field(ctx, attribute) and not _is_named_elsewhere(ctx, receiver, attributes_named(ctx, attribute))


def _are_for_cuda(ctx: FileContext, nodes: Iterable[cst.CSTNode], receiver: cst.BaseExpression) -> bool:
    """Whether a test for CUDA that is not around the receiver is around every one of some nodes, and there are any."""
    around = {id(one.owner) for one in guards_of(ctx, receiver)}
    apart = [any(id(guard.owner) not in around for guard in guards_of(ctx, one)) for one in nodes]
    return bool(apart) and all(apart)


def _names(ctx: FileContext, node: cst.CSTNode | None, dotted: str, besides: cst.CSTNode | None = None) -> bool:
    """Whether a value is made of what has a name: ``x = x.cuda()``."""
    below = [*ctx.tree.below(node), node] if node is not None else []
    return any(dotted_name(one) == dotted and ctx.tree.parent(one) is not besides for one in below)


def _walks(ctx: FileContext, entry: cst.Subscript) -> bool:
    """Whether a loop says which entry: ``x[i]`` of ``for i in range(len(x))``."""
    indices = [one.slice.value for one in entry.slice if isinstance(one.slice, cst.Index)]
    names = [one for one in indices if isinstance(one, cst.Name)]
    return any(one.how is How.LOOP for name in names for one in bindings(ctx, name.value, name)[1])


def _is_given_with(ctx: FileContext, entry: cst.Subscript) -> bool:
    """Whether what holds an entry is written down somewhere with that entry: ``x[0]`` of ``x = [y]``."""
    index = entry.slice[0].slice
    key = index.value if isinstance(index, cst.Index) else None
    for one in bound_values(ctx, dotted_name(entry.value) or "", entry):
        if isinstance(one, (cst.List, cst.Tuple)) and isinstance(key, cst.Integer):
            if int(key.value, 0) < len(one.elements):
                return True
        if isinstance(one, cst.Dict) and isinstance(key, cst.SimpleString):
            keys = [each.key for each in one.elements if isinstance(each, cst.DictElement)]
            if any(isinstance(each, cst.SimpleString) and each.raw_value == key.raw_value for each in keys):
                return True
    return False


def _is_field(ctx: FileContext, attribute: str) -> bool:
    """Whether the body of a class gives an attribute a value, or says its kind."""
    for one in ctx.tree.of_type(cst.ClassDef):
        bound = scopes(ctx).opened_by(one).bindings.get(attribute, ())
        if any(not isinstance(each.node, (cst.FunctionDef, cst.ClassDef)) for each in bound):
            return True
    return any(dotted_name(one.target) == attribute for one in ctx.tree.of_type(cst.AnnAssign))


def _is_named_elsewhere(
    ctx: FileContext, receiver: cst.BaseExpression, others: Iterable[cst.Attribute | cst.Subscript]
) -> bool:
    """Whether code that is not for CUDA names an attribute or entry, too: an entry in the same function."""
    text, function = ctx.text_of(receiver), scopes(ctx).function_of(receiver)
    for one in others:
        if ctx.text_of(one) != text:
            continue
        is_near = isinstance(one, cst.Attribute) or text.startswith("self.") or scopes(ctx).function_of(one) is function
        if is_near and not any(guards_of(ctx, one)):
            return True
    return False


@fact_of
def _is_unbound(ctx: FileContext, name: cst.Name) -> bool:
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
    is_bound = certainly_bound(ctx, name.value, scope, name) or _is_bound_by_same_test(ctx, scope, name)
    return not is_bound and not _is_read_anyway(ctx, scope, name)


def _is_bound_by_same_test(ctx: FileContext, scope: Scope, name: cst.Name) -> bool:
    """Whether a name is under a test under which a line above has bound it: ``if deep: x = f()`` twice, in a way."""
    top = scopes(ctx).function_of(name) or ctx.module
    bound = scope.bindings[name.value]
    for child, parent in ctx.tree.path_up(name):
        if not isinstance(parent, cst.If) or child is not parent.body or any(one.how is How.DELETE for one in bound):
            continue
        text = ctx.text_of(parent.test)
        above = (one for one in statements_above(ctx, parent, top) if isinstance(one, cst.If))
        same = [one for one in above if ctx.text_of(one.test) == text and "(" not in text]
        lines = [two for one in same for two in statements(one.body) if isinstance(two, cst.SimpleStatementLine)]
        binds = any(ctx.tree.is_around(line, one.node) for line in lines for one in bound)
        if binds and not any(may_say_otherwise(ctx, text, one.test, parent.test) for one in same):
            return True
    return False


def _is_made(ctx: FileContext, scope: Scope | None, name: cst.Name) -> bool:
    """Whether a name is given anything but its own value, moved."""
    bound = scope.bindings.get(name.value, ()) if scope is not None else ()
    return any(one.value is None or not _names(ctx, one.value, name.value) for one in bound)


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
