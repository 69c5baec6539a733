"""What a script's main part has bound before it calls the functions of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from devlint.analysis.names.binding_positions import binding_positions
from devlint.analysis.names.bindings import Binding
from devlint.analysis.names.control_flow import is_main_guard, statements
from devlint.analysis.names.reachable_names import first_lookup, looks_up
from devlint.analysis.names.reaching_definitions import definition_in
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext


def is_bound_by_main_part(ctx: FileContext, at: cst.CSTNode, by: Sequence[Binding]) -> bool:
    """Whether the function around ``at`` runs only once the main part has made one of the bindings ``by``.

    It reads such a name already, perhaps another one, so that it is no use without the main part. It is only called, by
    the main part or by functions that are, and so never in a process that does not run it. Whether another file calls
    it is for the project to say.
    """
    module, body = scopes(ctx).module, statements(ctx.module)
    definition = definition_in(ctx, module, at)
    guards = [one for one in body if isinstance(one, cst.If) and is_main_guard(one)]
    if not isinstance(definition, cst.FunctionDef) or definition not in body or len(guards) != 1 or not by:
        return False
    if not any(ctx.tree.is_around(definition, one) for one in _reads_of_main_part(ctx)):
        return False
    first = first_lookup(ctx, module, definition.name.value)
    if first is None or body[first] is not guards[0] or not _is_only_called(ctx, definition):
        return False
    index = binding_positions(ctx, module, by).first_that_binds(guards[0].body)
    before = statements(guards[0].body)[: index + 1] if index is not None else ()
    return bool(before) and not any(looks_up(ctx, module, one, definition.name.value) for one in before)


def _is_of_main_part(ctx: FileContext, name: str) -> bool:
    """Whether only a script's main part binds a name of the module."""
    found = scopes(ctx).module.bindings.get(name, ())
    return bool(found) and all(any(map(is_main_guard, ctx.tree.ancestors(one.node))) for one in found)


def _reads_of_main_part(ctx: FileContext) -> Iterator[cst.CSTNode]:
    """Where the program reads names that only its main part binds."""
    module = scopes(ctx).module
    for name in module.bindings:
        if _is_of_main_part(ctx, name):
            yield from uses_of(ctx, module, name)


def _is_only_called(ctx: FileContext, start: cst.FunctionDef) -> bool:
    """Whether nothing is done with a function of the module but calling it, in code of which the same is true."""
    module, waiting, seen = scopes(ctx).module, [start], {id(start)}
    while waiting:
        name = waiting.pop().name.value
        if len(module.bindings[name]) != 1:
            return False
        for use in uses_of(ctx, module, name):
            call, caller = ctx.tree.parent(use), definition_in(ctx, module, use)
            if not isinstance(call, cst.Call) or call.func is not use or isinstance(caller, cst.ClassDef):
                return False
            if any(isinstance(up, cst.Lambda) for up in ctx.tree.ancestors(use)):
                return False
            if isinstance(caller, cst.FunctionDef) and id(caller) not in seen:
                seen.add(id(caller))
                waiting.append(caller)
    return True
