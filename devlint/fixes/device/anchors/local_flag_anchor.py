"""Where a function can build its device from the flag that all of its moves are under, wherever that gets its value."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.cuda_flags import Condition, as_condition
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.guards import guard_of, guards_of
from devlint.analysis.names.bindings import How
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.resolution import targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.changed_since import has_changed
from devlint.fixes.device.anchors.first_use import first_use
from devlint.fixes.device.anchors.flag_changes import may_change
from devlint.fixes.device.anchors.placement import Anchor, outermost_function
from devlint.syntax.file_context import FileContext, fact

_MOST = 2
"""How many functions may define the same device: for more, one that asks only whether there is CUDA is better."""


@fact
def _flags_of_all(ctx: FileContext) -> dict[cst.FunctionDef, Condition]:
    """The one flag that all of a function's mentions of CUDA are under."""
    found: dict[cst.FunctionDef, set[Condition | None]] = {}
    for node in cuda_mentions(ctx):
        function = outermost_function(ctx, node)
        guards = [as_condition(ctx, one.test, one.holds) for one in guards_of(ctx, node)]
        if function is not None:
            found.setdefault(function, set()).add(guards[0] if len(guards) == 1 else None)
    return {one: flag for one, flags in found.items() if len(flags) == 1 for flag in flags if flag is not None}


def is_flag_of_all(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> bool:
    """Whether all of CUDA in the function around a place is below one flag."""
    function = outermost_function(ctx, at)
    return function is not None and _flags_of_all(ctx).get(function) == condition


def local_flag_anchor(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> Anchor | None:
    """The place above the first move of a function whose moves are all under one flag, which it does not change.

    None elsewhere: a device beside what is moved without the flag would be a second one.
    """
    function = outermost_function(ctx, at)
    if function is None or _flags_of_all(ctx).get(function) != condition:
        return None
    if any(_is_own(ctx, dotted, function, at) for dotted in condition.names):
        return None
    return unchanged_use(ctx, condition, function, at)


def unchanged_use(ctx: FileContext, condition: Condition, function: cst.FunctionDef, at: cst.CSTNode) -> Anchor | None:
    """The place above the first use of a device in a function, where it does not change its flag below that."""
    anchor = first_use(ctx, function, at)
    roots = {dotted.partition(".")[0] for dotted in condition.names if "." in dotted}
    if anchor is None or any(_last_change(ctx, function, one) > ctx.span(anchor.statement).start for one in roots):
        return None
    return None if has_changed(ctx, condition.text, anchor.statement, at) else anchor


def defines_its_own(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether a function under one flag may define a device: few others need the same, and no method of its class."""
    function = outermost_function(ctx, at)
    flags = _flags_of_all(ctx)
    if function is None or function not in flags:
        return False
    using = {outermost_function(ctx, one) for one in cuda_mentions(ctx)}
    owner, owners = class_of(ctx, function.body), [class_of(ctx, one.body) for one in using if one is not None]
    if owner is not None and owners.count(owner) > 1:
        return False
    alone = [one for one in flags if (of := class_of(ctx, one.body)) is None or owners.count(of) == 1]
    return sum(flags[one] == flags[function] for one in alone) <= _MOST


def anchor_of_several(ctx: FileContext, at: cst.CSTNode) -> Anchor | None:
    """The place right above a test that governs all of CUDA in a function, several moves: it is asked once, as today.

    A key is no use of CUDA: ``opt["cuda"]``.
    """
    function, guard = scopes(ctx).function_of(at), guard_of(ctx, at)
    owner = guard.owner if guard is not None and guard.holds else None
    if not isinstance(owner, cst.If) or isinstance(ctx.tree.parent(owner), cst.If) or function is None:
        return None
    uses = [one for one in cuda_mentions(ctx) if scopes(ctx).function_of(one) is function]
    uses = [one for one in uses if not isinstance(ctx.tree.parent(one), cst.Index)]
    if len(uses) < 2 or not all(ctx.tree.is_around(owner.body, one) for one in uses):
        return None
    return Anchor(scopes(ctx).opened_by(function), owner, after=False)


def users_of_flag(ctx: FileContext, condition: Condition) -> int:
    """How many functions of the file use CUDA below a flag; none where others use it without a test."""
    users: set[int] = set()
    for node in cuda_mentions(ctx):
        guards = [as_condition(ctx, one.test, one.holds) for one in guards_of(ctx, node)]
        function = outermost_function(ctx, node)
        if not guards and function is not None:
            return 0
        if condition in guards and function is not None:
            users.add(id(function))
    return len(users)


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
    if owner is None and scopes(ctx).star_import:
        return bool(targets_named(ctx, dotted))
    if owner is None or owner not in (scopes(ctx).module, scopes(ctx).opened_by(function)):
        return True
    bound = [one.node for one in owner.bindings[root] if one.how is not How.PARAMETER]
    return any(ctx.tree.is_around(function, one) for one in (*bound, *targets_named(ctx, dotted)))
