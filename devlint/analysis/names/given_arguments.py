"""What a file gives to the parameters of its own functions: by calls, by ``mp.spawn``, by ``Process(target=…)``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

import libcst as cst

from devlint.analysis.names.classes import class_of, method_of
from devlint.analysis.names.resolution import origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext

_PROCESSES = frozenset(
    "multiprocessing.Process torch.multiprocessing.Process threading.Thread multiprocessing.context.Process".split()
)


class Rank:
    """The number of the process, which ``torch.multiprocessing.spawn`` gives to the first parameter."""


Given = cst.BaseExpression | Rank


def given_arguments(ctx: FileContext, param: cst.Param) -> list[Given] | None:
    """All that a file gives to a parameter of a function of its module; None where nobody knows.

    What a call leaves out is not in the list, unless the parameter has no default.
    """
    parameters = ctx.tree.parent(param)
    function = ctx.tree.parent(parameters) if parameters is not None else None
    if not isinstance(function, cst.FunctionDef) or ctx.tree.parent(function) is not ctx.module:
        return None
    name = function.name.value
    if len(scopes(ctx).module.bindings.get(name, ())) != 1 or function.decorators:
        return None
    found: list[Given] = []
    for use in uses_of(ctx, scopes(ctx).module, name):
        given = list(_given(ctx, use, function, param))
        if not given and param.default is None:
            return None
        if any(one is None for one in given):
            return None
        found += [one for one in given if one is not None]
    return found


def given_to_instances(ctx: FileContext, param: cst.Param) -> list[Given] | None:
    """All that a file gives to a parameter of ``__init__`` of a class of its module; None where nobody knows."""
    method, definition = method_of(ctx, param), class_of(ctx, param)
    if method is None or definition is None or method.name.value != "__init__" or definition.decorators:
        return None
    name = definition.name.value
    if ctx.tree.parent(definition) is not ctx.module or len(scopes(ctx).module.bindings.get(name, ())) != 1:
        return None
    found: list[Given] = []
    for use in uses_of(ctx, scopes(ctx).module, name):
        call = ctx.tree.parent(use)
        given = (
            list(_by_call(call.args, method, param, 1)) if isinstance(call, cst.Call) and call.func is use else [None]
        )
        if not given or None in given:
            return None
        found += [one for one in given if one is not None]
    return found


def _given(ctx: FileContext, use: cst.Name, function: cst.FunctionDef, param: cst.Param) -> Iterator[Given | None]:
    """What one use of a function's name gives to a parameter: nothing, a value, or None for what nobody knows."""
    around = ctx.tree.parent(use)
    if isinstance(around, cst.Call) and around.func is use:
        yield from _by_call(around.args, function, param, 0)
        return
    call = ctx.tree.parent(around) if isinstance(around, cst.Arg) else None
    called = origin(ctx, call.func) if isinstance(call, cst.Call) else None
    if not isinstance(call, cst.Call) or not isinstance(around, cst.Arg):
        yield None
    elif called == "torch.multiprocessing.spawn" and around is call.args[0]:
        yield from [Rank()] if _position(function, param) == 0 else _by_tuple(call, function, param, 1)
    elif called in _PROCESSES and around.keyword is not None and around.keyword.value == "target":
        yield from _by_tuple(call, function, param, 0)
    else:
        yield None


def _by_tuple(call: cst.Call, function: cst.FunctionDef, param: cst.Param, given: int) -> Iterator[Given | None]:
    """What ``args=(rank, size)`` of a call that starts a function gives to a parameter, after some that are given."""
    keywords = {arg.keyword.value: arg.value for arg in call.args if arg.keyword is not None}
    values = keywords.get("args", call.args[1].value if len(call.args) > 1 and given else None)
    if "kwargs" in keywords or not isinstance(values, (cst.Tuple, cst.List)):
        yield None
        return
    if any(not isinstance(one, cst.Element) for one in values.elements):
        yield None
        return
    yield from _by_call([cst.Arg(one.value) for one in values.elements], function, param, given)


def _by_call(
    args: Sequence[cst.Arg], function: cst.FunctionDef, param: cst.Param, skipped: int
) -> Iterator[Given | None]:
    """What the arguments of a call give to a parameter."""
    named = next((one for one in args if one.keyword is not None and one.keyword.value == param.name.value), None)
    at = _position(function, param)
    positional = [one for one in takewhile(lambda arg: arg.star != "*", args) if one.keyword is None and not one.star]
    if named is not None:
        yield named.value
    elif at is not None and at - skipped < len(positional):
        yield positional[at - skipped].value
    elif any(arg.star for arg in args):
        yield None


def _position(function: cst.FunctionDef, param: cst.Param) -> int | None:
    positional = [*function.params.posonly_params, *function.params.params]
    return next((at for at, one in enumerate(positional) if one is param), None)
