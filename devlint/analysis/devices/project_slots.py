"""Device slots of the project's own functions: arguments that only say where something is put."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.device_parameters import placed_in_call
from devlint.analysis.project.module import Definition
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import SLOTS


def called_definition(ctx: FileContext, function: cst.BaseExpression) -> Definition | None:
    """The function or class of the project that is called by its name, in whichever file it is."""
    imported = origin(ctx, function)
    if imported is not None:
        return project_around(ctx).imported(imported)
    module = own_module(ctx) if isinstance(function, cst.Name) else None
    if module is None or not isinstance(function, cst.Name):
        return None
    table = scopes(ctx)
    if table.binder(function.value, function) is not table.module or len(module.bindings.get(function.value, ())) != 1:
        return None
    return project_around(ctx).index.resolve(module, function.value)


def project_slot_owner(ctx: FileContext, node: cst.CSTNode) -> cst.Call | None:
    """The call of a function of the project in whose device slot a value stands: ``build(device="cuda")``."""
    arg = ctx.tree.parent(node)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call) or not isinstance(arg, cst.Arg) or arg.star:
        return None
    keyword = arg.keyword.value if arg.keyword is not None else None
    position = next(at for at, one in enumerate(call.args) if one is arg)
    if keyword not in (None, *SLOTS) or (keyword is None and any(one.star for one in call.args[:position])):
        return None
    definition = called_definition(ctx, call.func)
    placed = definition is not None and placed_in_call(project_around(ctx).index, definition, keyword, position)
    return call if placed else None
