"""Functions of the file that are given what a checkpoint holds."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import How
from devlint.analysis.names.resolution import bindings
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext


def entered_function(ctx: FileContext, call: cst.Call, arg: cst.Arg) -> tuple[cst.FunctionDef, cst.Name] | None:
    """The function of the file that a call runs, and its parameter that is given an argument; None where unclear.

    A decorator may give it another argument, or keep it; so may a generator, and what runs later.
    """
    scope, found = bindings(ctx, call.func.value, call.func) if isinstance(call.func, cst.Name) else (None, [])
    function = found[0].node if len(found) == 1 and found[0].how is How.FUNCTION else None
    if scope is not scopes(ctx).module or not isinstance(function, cst.FunctionDef):
        return None
    if function.decorators or function.asynchronous is not None or any(one.star for one in call.args):
        return None
    if any(isinstance(one, (cst.Yield, cst.From)) for one in ctx.tree.below(function.body)):
        return None
    positional = [*function.params.posonly_params, *function.params.params]
    named = {one.name.value: one for one in (*function.params.params, *function.params.kwonly_params)}
    at = call.args.index(arg)
    if arg.keyword is not None:
        parameter = named.get(arg.keyword.value)
    else:
        parameter = positional[at] if at < len(positional) else None
    if parameter is None or len(scopes(ctx).opened_by(function).bindings[parameter.name.value]) != 1:
        return None
    return function, parameter.name
