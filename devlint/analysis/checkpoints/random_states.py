"""The states of random numbers that a program loads: they are on the CPU, whatever they are for."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.checkpoints.own_loads import has_own_method
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.reaching_definitions import reaching_values
from devlint.analysis.names.resolution import origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext

_TAKERS = frozenset("set_rng_state set_rng_state_all setstate set_state".split())
_LIBRARIES = frozenset({"numpy", "random", "torch"})
_GENERATORS = frozenset({"numpy.random.RandomState", "random.Random", "torch.Generator"})


def sets_random_state(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call sets the state of random numbers, as ``torch.cuda.set_rng_state(state)`` does.

    A method does so of what makes random numbers, or of anything where no class of the project has one of its name.
    """
    method = (dotted_name(call.func) or "").rpartition(".")[2]
    if method not in _TAKERS:
        return False
    named = origin(ctx, call.func)
    if named is not None or not isinstance(call.func, cst.Attribute):
        return (named or "").partition(".")[0] in _LIBRARIES
    made = reaching_values(ctx, dotted_name(call.func.value) or "", call.func.value)
    makers = [origin(ctx, one.func) if isinstance(one, cst.Call) else None for one in made]
    return (bool(makers) and all(one in _GENERATORS for one in makers)) or not has_own_method(ctx, method)


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
        return isinstance(taken, cst.Call) and sets_random_state(ctx, taken)
    return False
