"""Objects that a program uses as modules or optimizers of torch, whatever made them."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from devlint.analysis.checkpoints.own_loads import (
    called_methods,
    classes_copy,
    has_method,
    is_called,
    is_same,
    may_keep_state,
)
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import attributes_named, origin, uses_of
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.syntax.file_context import FileContext
from devlint.torch_api.moves import MOVES

_OF_MODULES = ("eval", "parameters", "named_parameters", "modules", "named_modules", "apply", "zero_grad")
"""What of all that can load a state only modules have; and optimizers, which have the last one."""
_WRAPPERS = frozenset(
    f"torch.nn.{name}"
    for name in ("DataParallel", "parallel.DataParallel", "parallel.DistributedDataParallel", "Sequential")
)
"""What takes nothing but modules."""


def is_used_as_module(ctx: FileContext, dotted: str, at: cst.BaseExpression) -> bool:
    """Whether what is called ``dotted`` at a place is a module by what the file does with it: ``net.eval()``.

    The values of ``net = make(x).to(device)`` are modules as well, if they load a state: what keeps averages of weights
    returns nothing where it is moved. It may be of no class of the project that has its own way to load a state.
    """
    moved = _moved(ctx, dotted, at)
    is_made = bool(moved) and (len(moved) == len(bound_values(ctx, dotted, at)) or dotted in moved)
    is_used = is_made or _is_called(ctx, dotted, at, _OF_MODULES) or _is_run(ctx, dotted, at)
    is_used = is_used or _is_told_strictness(ctx, at)
    return is_used and not may_keep_state(ctx, at, dotted)


def copies_by(ctx: FileContext, taker: cst.BaseExpression, way: str) -> bool:
    """Whether a method copies what it is given, as the class of the project does that has it: ``net.load_part(state)``.

    The object is of such a class, or a module, and no library that is imported.
    """
    dotted = dotted_name(taker)
    if dotted is None or not classes_copy(ctx, way):
        return False
    return has_method(ctx, taker, dotted, way) or is_used_as_module(ctx, dotted, taker)


def _is_told_strictness(ctx: FileContext, taker: cst.BaseExpression) -> bool:
    """Whether a state is loaded as only modules do it: ``model.part.load_state_dict(state, strict=False)``."""
    call = ctx.tree.parent(ctx.tree.parent(taker) or taker)
    arguments = call.args if isinstance(call, cst.Call) else ()
    return any(one.keyword is not None and one.keyword.value == "strict" for one in arguments)


def is_moved(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether the file moves what is called ``dotted`` at a place."""
    return bool(_moved(ctx, dotted, at)) or _is_called(ctx, dotted, at, MOVES)


def is_put_on_device(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether the file moves what is called ``dotted`` at a place, or what it is a part of."""
    whole = dotted.rpartition(".")[0]
    if is_moved(ctx, dotted, at):
        return True
    return whole not in ("", "self") and is_put_on_device(ctx, whole, at)


def moves_of(ctx: FileContext, dotted: str, at: cst.CSTNode) -> list[cst.Call]:
    """The calls of the file that move what is called ``dotted`` at a place, or what it gets as its value."""
    methods = [one for name in MOVES for one in attributes_named(ctx, name) if dotted_name(one.value) == dotted]
    calls = [(one, ctx.tree.parent(one)) for one in methods if is_same(ctx, one, dotted, at)]
    found = [call for one, call in calls if isinstance(call, cst.Call) and call.func is one]
    made = (one for one in bound_values(ctx, dotted, at) if isinstance(one, cst.Call) and one not in found)
    return [*found, *(one for one in made if isinstance(one.func, cst.Attribute) and one.func.attr.value in MOVES)]


def _moved(ctx: FileContext, dotted: str, at: cst.CSTNode) -> list[str | None]:
    """What the values of a name are moves of: ``x`` of ``net = x.to(device)``."""
    values = bound_values(ctx, dotted, at)
    methods = [one.func for one in values if isinstance(one, cst.Call) and isinstance(one.func, cst.Attribute)]
    return [dotted_name(one.value) for one in methods if one.attr.value in MOVES]


def _is_called(ctx: FileContext, dotted: str, at: cst.CSTNode, names: Iterable[str]) -> bool:
    """Whether one of some methods is called of a module or of what it wraps: ``net.eval()``."""
    return any(True for _ in called_methods(ctx, dotted, at, names))


def _is_run(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether a variable is called as a model is, wrapped by one, moved in place, or asked which parameters it has."""
    if "." in dotted:
        return is_called(ctx, dotted, at)
    scope = scopes(ctx).binder(dotted, at)
    return any(_is_run_by(ctx, one) for one in uses_of(ctx, scope, dotted)) if scope is not None else False


def _is_run_by(ctx: FileContext, use: cst.Name) -> bool:
    parent = ctx.tree.parent(use)
    above = ctx.tree.parent(parent) if parent is not None else None
    if isinstance(parent, cst.Call):
        return parent.func is use
    if isinstance(parent, cst.Arg) and isinstance(above, cst.Call):
        return origin(ctx, above.func) in _WRAPPERS
    if isinstance(parent, cst.Return):
        return _is_returned_to_run(ctx, parent)
    if not isinstance(parent, cst.Attribute) or not isinstance(above, cst.Call) or above.func is not parent:
        return False
    asked = ctx.tree.parent(above)
    if parent.attr.value == "state_dict":
        return isinstance(asked, cst.ComparisonTarget) and isinstance(asked.operator, (cst.In, cst.NotIn))
    chained = isinstance(asked, cst.Attribute) and asked.attr.value in _OF_MODULES  # net.to(device).eval()
    return parent.attr.value in MOVES and (chained or isinstance(asked, cst.Expr))


def _is_returned_to_run(ctx: FileContext, statement: cst.Return) -> bool:
    """Whether the file calls the function around a statement, and a method of modules on what it gives."""
    function = scopes(ctx).function_of(statement)
    owner = scopes(ctx).scope_of(function) if function is not None else None
    for use in uses_of(ctx, owner, function.name.value) if function is not None and owner is not None else ():
        call = ctx.tree.parent(use)
        method = ctx.tree.parent(call) if isinstance(call, cst.Call) and call.func is use else None
        if isinstance(method, cst.Attribute) and method.attr.value in (*_OF_MODULES, *MOVES):
            return True
    return False
