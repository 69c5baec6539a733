"""Safe fixes that define a device for nothing but modules without tensors, which fail nowhere: ``nn.MSELoss()``."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.apis.asked_at_import import is_weightless
from devlint.analysis.names.resolution import making_call, origin
from devlint.core.diagnostic import Diagnostic, Edit
from devlint.syntax.file_context import FileContext

_MOVES = frozenset({"DEV101", "DEV106"})
_WHY = "what is moved has no tensors, and needs no device"


def with_needless_definitions(ctx: FileContext, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings, with fixes that are unsafe where only modules without tensors would use the device they define."""
    safe = [one for one in found if one.fix is not None and one.fix.is_safe] if ctx.target.kind == "cuda" else []
    moves = [one for one in safe if one.code in _MOVES]
    places = _weightless(ctx) if moves else frozenset()
    needless = {id(one) for one in moves if one.span.start in places}
    if not needless:
        return list(found)
    needed = {edit for one in safe if id(one) not in needless for edit in _definitions(one)}
    alone = [(one, _definitions(one)) for one in moves if id(one) in needless]
    needless = {id(one) for one, lines in alone if lines and lines.isdisjoint(needed)}
    return [one.replace(fix=one.fix.made_unsafe(_WHY)) if one.fix and id(one) in needless else one for one in found]


def _weightless(ctx: FileContext) -> frozenset[int]:
    """Where layers and losses of torch's without tensors are moved: by the method, or the card that it is given."""
    found: set[int] = set()
    for call in ctx.tree.of_type(cst.Call):
        if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "cuda":
            continue
        made = making_call(ctx, call.func.value)
        is_layer = made is not None and (origin(ctx, made.func) or "").startswith("torch.nn.")
        if is_layer and is_weightless(ctx, call.func.value):
            found |= {ctx.span(one).start for one in (call.func.attr, *(arg.value for arg in call.args[:1]))}
    return frozenset(found)


def _definitions(one: Diagnostic) -> set[Edit]:
    """The lines that a fix adds."""
    edits = one.fix.edits if one.fix is not None else ()
    return {edit for edit in edits if edit.span.start == edit.span.end and "\n" in edit.text}
