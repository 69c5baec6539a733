"""Where a function can build its device from the flag that all of its moves are under, wherever that gets its value."""

from __future__ import annotations

from collections import Counter

import libcst as cst

from devlint.analysis.guards.cuda_flags import Condition, as_condition
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.bindings import How
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.resolution import targets_named
from devlint.analysis.names.scopes import scopes
from devlint.fixes.device.anchors.first_use import first_use
from devlint.fixes.device.anchors.flag_changes import may_change
from devlint.fixes.device.anchors.placement import Anchor, outermost_function
from devlint.syntax.file_context import FileContext, fact

_MOST = 2
"""How many functions may define the same device: for more, one that asks only whether there is CUDA is better."""


def local_flag_anchor(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> Anchor | None:
    """The place above the first move of a function whose moves are all under one flag, which it does not change.

    None elsewhere: a device beside what is moved without the flag would be a second one.
    """
    function = outermost_function(ctx, at)
    if function is None or _flags_of_functions(ctx).get(function) != condition:
        return None
    if any(_is_own(ctx, dotted, function, at) for dotted in condition.names):
        return None
    anchor = first_use(ctx, function, at)
    roots = {dotted.partition(".")[0] for dotted in condition.names if "." in dotted}
    if anchor is None or any(_last_change(ctx, function, one) > ctx.span(anchor.statement).start for one in roots):
        return None
    return anchor


@fact
def _flags_of_functions(ctx: FileContext) -> dict[cst.FunctionDef, Condition]:
    """The one flag that all of a function's mentions of CUDA are under; of a class, where one method mentions it."""
    found: dict[cst.FunctionDef, set[Condition | None]] = {}
    for node in cuda_mentions(ctx):
        function = outermost_function(ctx, node)
        guards = [as_condition(ctx, one.test, one.holds) for one in guards_of(ctx, node)]
        if function is not None:
            found.setdefault(function, set()).add(guards[0] if len(guards) == 1 else None)
    owners = {one: class_of(ctx, one.body) for one in found}
    in_class = Counter(map(id, owners.values()))
    alone = [one for one in found if len(found[one]) == 1 and (owners[one] is None or in_class[id(owners[one])] == 1)]
    flags = {function: flag for function in alone for flag in found[function] if flag is not None}
    sharing = Counter(flags.values())
    return {function: flag for function, flag in flags.items() if sharing[flag] <= _MOST}


def _last_change(ctx: FileContext, function: cst.FunctionDef, root: str) -> int:
    """Where a function last calls what may give a flag another value, such as ``cfg.merge_from_file(path)``; or -1."""
    known, key = ctx.fact(_last_changes), (id(function), root)
    if key not in known:
        calls = (one for one in ctx.tree.below(function) if isinstance(one, cst.Expr) and may_change(one.value, root))
        known[key] = max((ctx.span(one).start for one in calls), default=-1)
    return known[key]


def _last_changes(ctx: FileContext) -> dict[tuple[int, str], int]:
    """The answers so far, by function and name."""
    return {}


def _is_own(ctx: FileContext, dotted: str, function: cst.FunctionDef, at: cst.CSTNode) -> bool:
    """Whether a function gives a flag its value itself, or a function around it does."""
    root = dotted.partition(".")[0]
    owner = scopes(ctx).binder(root, at)
    if owner is None or owner not in (scopes(ctx).module, scopes(ctx).opened_by(function)):
        return True
    bound = [one.node for one in owner.bindings[root] if one.how is not How.PARAMETER]
    return any(ctx.tree.is_around(function, one) for one in (*bound, *targets_named(ctx, dotted)))
