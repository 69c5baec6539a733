"""Which bindings of a name may have given it its value at a place, as far as straight-line code shows."""

from __future__ import annotations

import libcst as cst

from devlint.context import FileContext
from devlint.facts.bindings import Binding
from devlint.facts.flow import holds, statements
from devlint.facts.names import bindings
from devlint.facts.scopes import scopes


def reaching(ctx: FileContext, name: cst.Name) -> list[Binding]:
    """The binding right above ``name`` if no other can come between the two, else all bindings."""
    scope, found = bindings(ctx, name.value, name)
    if len(found) < 2 or scope is not scopes(ctx).scope_of(name):
        return found
    for child, parent in ctx.tree.path_up(name):
        body = list(statements(parent)) if isinstance(parent, (cst.IndentedBlock, cst.Module)) else []
        for one in reversed(body[: body.index(child)] if body else []):
            inside = [binding for binding in found if holds(ctx, one, binding)]
            if inside:
                return inside[-1:] if isinstance(one, cst.SimpleStatementLine) else found
        if isinstance(parent, (cst.For, cst.While)) and any(holds(ctx, parent, binding) for binding in found):
            return found
        if isinstance(parent, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            break
    return found
