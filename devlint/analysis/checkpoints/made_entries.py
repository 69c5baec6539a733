"""What dictionaries of modules hold: ``self.models["encoder"]``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from devlint.analysis.checkpoints.made_modules import called_on
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.resolution import attributes_named, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext

_READS = frozenset("items keys values get".split())


def entries_made(ctx: FileContext, taker: cst.BaseExpression, is_module: Callable[[cst.BaseExpression], bool]) -> bool:
    """Whether all that a file puts into the dictionary of which a taker is an entry are modules.

    The dictionary is empty at first, and is used for nothing but its entries.
    """
    held = dotted_name(taker.value) if isinstance(taker, cst.Subscript) else None
    if held is None or held.count(".") > 1 or ("." in held and not held.startswith("self.")):
        return False
    put: list[cst.BaseExpression] = []
    made = 0
    for use in _uses(ctx, held, taker):
        parent = ctx.tree.parent(use)
        above = ctx.tree.parent(parent) if parent is not None else None
        if isinstance(parent, cst.Subscript) and parent.value is use:
            if isinstance(above, cst.AssignTarget):
                put.append(_value(ctx, above))
            elif isinstance(above, (cst.Del, cst.AugAssign)):
                return False
        elif isinstance(parent, cst.AssignTarget):
            made += 1
            if not _is_empty(_value(ctx, parent)):
                return False
        elif not _is_read(ctx, use, parent, above):
            return False
    return made == 1 and bool(put) and all(is_module(one) or _is_entry(one, held) for one in put)


def _uses(ctx: FileContext, held: str, at: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Where a file names a dictionary: a variable of its scope, or an attribute of the class around."""
    if "." not in held:
        scope = scopes(ctx).binder(held, at)
        yield from uses_of(ctx, scope, held) if scope is not None else ()
        return
    for one in attributes_named(ctx, held.partition(".")[2]):
        if dotted_name(one) != held or class_of(ctx, one) is class_of(ctx, at):
            yield one


def _value(ctx: FileContext, target: cst.AssignTarget) -> cst.BaseExpression:
    assign = ctx.tree.parent(target)
    assert isinstance(assign, cst.Assign)
    return assign.value


def _is_empty(value: cst.BaseExpression) -> bool:
    is_made = isinstance(value, cst.Call) and not value.args and dotted_name(value.func) in ("dict", "nn.ModuleDict")
    return is_made or (isinstance(value, cst.Dict) and not value.elements)


def _is_entry(value: cst.BaseExpression, held: str) -> bool:
    """Whether a value is another entry, or what a move of it gives: ``models["a"].to(device)``."""
    value = called_on(value)
    return isinstance(value, cst.Subscript) and dotted_name(value.value) == held


def _is_read(ctx: FileContext, use: cst.CSTNode, parent: cst.CSTNode | None, above: cst.CSTNode | None) -> bool:
    """Whether a dictionary is only gone through, or asked for its entries."""
    if isinstance(parent, (cst.For, cst.CompFor)):
        return parent.iter is use
    if isinstance(parent, cst.ComparisonTarget):
        return isinstance(parent.operator, (cst.In, cst.NotIn))
    is_method = isinstance(parent, cst.Attribute) and isinstance(above, cst.Call) and above.func is parent
    return is_method and isinstance(parent, cst.Attribute) and parent.attr.value in _READS
