"""Cards of which nobody knows whether they are numbers: what is put there stays, and needs CUDA."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.device_index_uses import guarded_index_uses
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.fixes.device.cards.card_index import is_certain_card
from devlint.syntax.file_context import FileContext


def leaves_card(ctx: FileContext, call: cst.Call) -> bool:
    """Whether ``torch.cuda.set_device(card)`` is there for ``x.cuda(card)`` in the same function, which no fix changes.

    Without CUDA that would fail, whatever test the first of them is under.
    """
    if origin(ctx, call.func) != "torch.cuda.set_device" or len(call.args) != 1:
        return False
    card, function = ctx.text_of(call.args[0].value), scopes(ctx).function_of(call)
    return any(
        guard is None
        and use.move is not None
        and use.literal.index == card
        and not is_certain_card(ctx, use.literal)
        and scopes(ctx).function_of(use.literal.node) is function
        for use, guard in guarded_index_uses(ctx)
    )
