"""Whether what is moved under a test for CUDA is there without CUDA, where nothing has evaluated it until now."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import attributes_named, bindings, targets_named
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.transfers.bound_receivers import is_unbound
from devlint.syntax.file_context import FileContext


def may_be_missing(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether only code for CUDA gives a name or attribute its value, or nothing else names an attribute or entry.

    A name may be missing, too, that nothing binds on some way to a move, where nothing else would fail for it.
    """
    if isinstance(receiver, cst.Name):
        if is_unbound(ctx, receiver):
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
