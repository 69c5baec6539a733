"""Tensors beside all that a function places by a name of its own for a device: ``device = torch.device("cuda")``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import How
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.tensors.partners import names_beside
from devlint.analysis.tensors.tensor_sources import is_steady
from devlint.syntax.file_context import FileContext


def partner_of_placed(ctx: FileContext, target: cst.Name) -> str | None:
    """``x.device`` for a tensor ``x`` of a function that certainly meets all that its name for a device places.

    The name says nothing else, and the tensor is known where it is given its value.
    """
    scope = scopes(ctx).binder(target.value, target)
    found = scope.bindings[target.value] if scope is not None and scope.is_function else []
    if scope is None or len(found) != 1 or found[0].how is not How.ASSIGN:
        return None
    uses = [one for one in uses_of(ctx, scope, target.value) if one is not target]
    placed = [_placed(ctx, one) for one in uses]
    common: list[str] = []
    for index, call in enumerate(placed):
        names = list(dict.fromkeys(names_beside(ctx, call))) if call is not None else []
        common = [one for one in (common if index else names) if one in names]
    known = (one for one in common if one in scope.bindings and is_steady(ctx, scope, one))
    name = next((one for one in known if certainly_bound(ctx, one, scope, target)), None)
    return f"{name}.device" if name is not None else None


def _placed(ctx: FileContext, use: cst.Name) -> cst.Call | None:
    """The call that makes a tensor on a device or moves it there: ``torch.arange(n, device=device)``."""
    arg = ctx.tree.parent(use)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(arg, cst.Arg) or not isinstance(call, cst.Call) or arg.value is not use:
        return None
    if arg.keyword is not None:
        return call if arg.keyword.value == "device" else None
    is_move = isinstance(call.func, cst.Attribute) and call.func.attr.value == "to"
    return call if is_move and call.args[0] is arg else None
