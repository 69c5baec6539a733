"""Where what a function returns goes: the calls of it, where this file alone calls it."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.classes import class_of
from devlint.analysis.names.resolution import attributes_named, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.calls import calls_elsewhere
from devlint.syntax.file_context import FileContext


def calls_of(ctx: FileContext, function: cst.FunctionDef) -> list[cst.Call]:
    """The calls of a function of the module, or of a method by whatever object; none where there may be others.

    A decorator may keep what is returned, and what is handed on as a value may be called anywhere.
    """
    if function.decorators or function.asynchronous is not None:
        return []
    if any(isinstance(one, (cst.Yield, cst.Lambda, cst.FunctionDef)) for one in ctx.tree.below(function.body)):
        return []
    name = function.name.value
    uses: list[cst.BaseExpression] = []
    if class_of(ctx, function) is not None:
        uses += attributes_named(ctx, name)
    elif len(scopes(ctx).module.bindings.get(name, ())) == 1 and ctx.tree.parent(function) is ctx.module:
        uses += uses_of(ctx, scopes(ctx).module, name)
    calls = [(one, ctx.tree.parent(one)) for one in uses]
    found = [call for one, call in calls if isinstance(call, cst.Call) and call.func is one]
    is_known = len(found) == len(uses) and calls_elsewhere(project_around(ctx), name) == []
    return found if is_known else []


def received(call: cst.Call, holder: cst.CSTNode | None, position: int) -> cst.BaseExpression | None:
    """What gets one of several values that a call returns: ``b`` of ``a, b = load(f)``; None where unclear."""
    targets = holder.targets if isinstance(holder, cst.Assign) and holder.value is call else ()
    target = targets[0].target if len(targets) == 1 else None
    elements = target.elements if isinstance(target, (cst.Tuple, cst.List)) else ()
    if position >= len(elements) or any(isinstance(one, cst.StarredElement) for one in elements):
        return None
    return elements[position].value
