"""Names of the same dictionary, or of a copy of it: ``own = dict(settings)``, ``own = parsed(settings)``."""

from __future__ import annotations

from collections.abc import Container, Iterator

import libcst as cst

from devlint.analysis.names.bindings import How
from devlint.analysis.names.resolution import bindings, origin, sole_target, uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.slots.device_arguments import makes_dict
from devlint.syntax.file_context import FileContext

_COPIES = frozenset({"copy.copy", "copy.deepcopy"})
_DEPTH = 3
"""Through how many names a dictionary is followed."""


def copied_names(
    ctx: FileContext, use: cst.Name, keys: Container[str], depth: int = _DEPTH
) -> Iterator[tuple[Scope, cst.Name]]:
    """The names that get the dictionary of ``use``, or a copy with the same entries for ``keys``, and nothing else."""
    whole = _whole(ctx, use, keys)
    name = _given_to(ctx, whole)
    if name is not None:
        yield name
    arg = ctx.tree.parent(whole)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) and not arg.star else None
    result = _given_to(ctx, call) if isinstance(call, cst.Call) else None
    if result is not None and isinstance(arg, cst.Arg) and isinstance(call, cst.Call):
        param = _parameter(ctx, call, arg)
        if param is not None and _is_given_back(ctx, *param, keys, depth):
            yield result


def _whole(ctx: FileContext, use: cst.Name, keys: Container[str]) -> cst.BaseExpression:
    """The largest expression that is the dictionary, or a copy of it."""
    whole: cst.BaseExpression = use
    while True:
        parent = ctx.tree.parent(whole)
        call = ctx.tree.parent(parent) if isinstance(parent, (cst.Arg, cst.Attribute)) else None
        if isinstance(parent, cst.StarredDictElement):
            around = ctx.tree.parent(parent)
            if not isinstance(around, cst.Dict) or not all(_leaves(one, parent, keys) for one in around.elements):
                return whole
            whole = around
        elif isinstance(call, cst.Call) and _copies(ctx, call, parent):
            whole = call
        else:
            return whole


def _leaves(element: cst.BaseDictElement, copied: cst.CSTNode, keys: Container[str]) -> bool:
    """Whether an entry beside ``**settings`` is of another key."""
    key = string_value(element.key) if isinstance(element, cst.DictElement) else None
    return element is copied or (key is not None and key not in keys)


def _copies(ctx: FileContext, call: cst.Call, part: cst.CSTNode | None) -> bool:
    """Whether a call copies its only argument, or the object whose method it is."""
    if isinstance(part, cst.Attribute):
        return call.func is part and part.attr.value == "copy" and not call.args
    is_copy = makes_dict(ctx, call) or origin(ctx, call.func) in _COPIES
    return is_copy and len(call.args) == 1 and call.args[0].keyword is None and not call.args[0].star


def _given_to(ctx: FileContext, whole: cst.CSTNode) -> tuple[Scope, cst.Name] | None:
    """The name that an expression, and nothing else, is given to."""
    target = sole_target(ctx, whole)
    if target is None:
        return None
    scope = scopes(ctx).binder(target.value, target)
    return (scope, target) if scope is not None and len(scope.bindings[target.value]) == 1 else None


def _parameter(ctx: FileContext, call: cst.Call, arg: cst.Arg) -> tuple[Scope, cst.Name] | None:
    """The parameter of a function of this file that gets an argument, and is given nothing else in it."""
    _, found = bindings(ctx, call.func.value, call.func) if isinstance(call.func, cst.Name) else (None, [])
    function = found[0].node if len(found) == 1 and found[0].how is How.FUNCTION else None
    position = next(at for at, one in enumerate(call.args) if one is arg)
    if not isinstance(function, cst.FunctionDef) or any(one.star or one.keyword for one in call.args[:position]):
        return None
    named = [one.name for one in (*function.params.posonly_params, *function.params.params)]
    if arg.keyword is not None:
        name = next((one for one in named if one.value == arg.keyword.value), None)
    else:
        name = named[position] if position < len(named) else None
    scope = scopes(ctx).opened_by(function)
    return (scope, name) if name is not None and len(scope.bindings[name.value]) == 1 else None


def _is_given_back(ctx: FileContext, scope: Scope, name: cst.Name, keys: Container[str], depth: int) -> bool:
    """Whether a function returns a dictionary that it is given, or a copy."""
    for use in uses_of(ctx, scope, name.value):
        if isinstance(ctx.tree.parent(_whole(ctx, use, keys)), cst.Return):
            return True
        copies = copied_names(ctx, use, keys, depth - 1) if depth else ()
        if any(_is_given_back(ctx, *one, keys, depth - 1) for one in copies):
            return True
    return False
