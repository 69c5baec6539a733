"""Flags that hold torch's answer, which a function asks for below the first place that needs a device."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.cuda_flags import Condition, names_answer
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.transfers.placements import placements
from devlint.syntax.file_context import FileContext


def is_asked_late(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> bool:
    """Whether a flag is torch's answer, and its function moves something before it asks: ``use_gpu = is_available()``.

    What is moved there needs a device above the flag, which says the same: a second one below it tells nothing.
    """
    if not names_answer(ctx, condition.text, at):
        return False
    owner = scopes(ctx).binder(condition.text, at)
    bound = owner.bindings.get(condition.text, ()) if owner is not None else ()
    moves = ctx.fact(_unasked_moves).get(owner, ()) if owner is not None else ()
    return len(bound) == 1 and any(one < ctx.span(bound[0].node).start for one in moves)


def _unasked_moves(ctx: FileContext) -> dict[Scope, list[int]]:
    """For each function, and the module, where it moves something that no test governs."""
    found: dict[Scope, list[int]] = {}
    for one in placements(ctx):
        if not any(guards_of(ctx, one)):
            found.setdefault(scopes(ctx).scope_of(one), []).append(ctx.span(one).start)
    return found
