"""The states of random numbers that a program loads: they are on the CPU, whatever they are for."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext

_TAKERS = frozenset("set_rng_state set_rng_state_all setstate set_state".split())


def sets_random_state(call: cst.Call) -> bool:
    """Whether a call sets the state of random numbers, of whatever library: ``torch.cuda.set_rng_state(state)``."""
    return (dotted_name(call.func) or "").rpartition(".")[2] in _TAKERS


def holds_random_states(ctx: FileContext, call: cst.Call) -> bool:
    """Whether all that a call loads is given, by its entries, to what sets the state of random numbers."""
    statement = ctx.tree.parent(call)
    target = statement.targets[0].target if isinstance(statement, cst.Assign) and len(statement.targets) == 1 else None
    scope = scopes(ctx).binder(target.value, target) if isinstance(target, cst.Name) else None
    if not isinstance(target, cst.Name) or scope is None or not scope.is_function:
        return False
    uses = [one for one in uses_of(ctx, scope, target.value) if one is not target]
    return bool(uses) and all(_is_given_or_asked(ctx, one) for one in uses)


def _is_given_or_asked(ctx: FileContext, use: cst.Name) -> bool:
    """Whether a name is only asked for a key, or an entry of it sets a state: ``set_rng_state(state["cuda"][0])``."""
    for child, parent in ctx.tree.path_up(use):
        if isinstance(parent, cst.Subscript) and parent.value is child:
            continue
        if isinstance(parent, cst.ComparisonTarget):
            return isinstance(parent.operator, (cst.In, cst.NotIn))
        taken = ctx.tree.parent(parent) if isinstance(parent, cst.Arg) else None
        return isinstance(taken, cst.Call) and sets_random_state(taken)
    return False
