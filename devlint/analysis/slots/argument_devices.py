"""What a file's own calls pass for a parameter: whether that is always a torch.device, or the same variable."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.syntax.file_context import FileContext


def is_always_given_device(ctx: FileContext, param: cst.Param) -> bool:
    """Whether a file only calls a function of its module, and always with a torch.device for ``param``."""

    def is_device(given: cst.BaseExpression) -> bool:
        value = device_value(ctx, given)
        return value is not None and value.is_string is False

    return is_always_given(ctx, param, is_device)


def is_always_given_name(ctx: FileContext, param: cst.Param, owner: Scope) -> bool:
    """Whether a file only calls a function of its module, and always with ``owner``'s variable that is called so."""

    def is_variable(given: cst.BaseExpression) -> bool:
        same = isinstance(given, cst.Name) and given.value == param.name.value
        return same and scopes(ctx).binder(param.name.value, given) is owner

    return is_always_given(ctx, param, is_variable)


def is_always_given(
    ctx: FileContext, param: cst.Param, accepts: Callable[[cst.BaseExpression], bool], constructors: bool = False
) -> bool:
    """Whether a file only calls a function of its module, and ``accepts`` all that it gives to ``param``.

    With ``constructors`` also where it is the ``__init__`` of a class of its module.
    """
    parameters = ctx.tree.parent(param)
    function = ctx.tree.parent(parameters) if parameters is not None else None
    if not isinstance(function, cst.FunctionDef):
        return False
    cls = class_of(ctx, function) if constructors and function.name.value == "__init__" else None
    if ctx.tree.parent(cls if cls is not None else function) is not ctx.module:
        return False
    name = (cls if cls is not None else function).name.value
    if len(scopes(ctx).module.bindings.get(name, ())) != 1:
        return False
    given = [*function.params.posonly_params, *function.params.params][cls is not None :]
    uses = [one for one in uses_of(ctx, scopes(ctx).module, name) if cls is None or not _only_asks(ctx, one)]
    return bool(uses) and all(_gives(ctx, one, given, param, accepts) for one in uses)


def _only_asks(ctx: FileContext, use: cst.Name) -> bool:
    """Whether a mention of a class is an argument of ``super`` or ``isinstance``."""
    call = ctx.tree.parent(ctx.tree.parent(use) or use)
    return isinstance(call, cst.Call) and dotted_name(call.func) in ("super", "isinstance")


def _gives(
    ctx: FileContext,
    use: cst.Name,
    positional: Sequence[cst.Param],
    param: cst.Param,
    accepts: Callable[[cst.BaseExpression], bool],
) -> bool:
    call = ctx.tree.parent(use)
    if not isinstance(call, cst.Call) or call.func is not use:
        return False
    given = _argument(call, positional, param)
    return given is not None and accepts(given)


def _argument(call: cst.Call, positional: Sequence[cst.Param], param: cst.Param) -> cst.BaseExpression | None:
    """What a call gives to a parameter; None where stars hide it."""
    if any(arg.star for arg in call.args):
        return None
    for arg in call.args:
        if arg.keyword is not None and arg.keyword.value == param.name.value:
            return arg.value
    index = next((i for i, one in enumerate(positional) if one is param), len(call.args))
    return call.args[index].value if index < len(call.args) and call.args[index].keyword is None else None
