"""The device of a card that a function has moved to already: ``rank_device`` below ``x = x.cuda(rank)``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.device_index_uses import device_index_uses
from devlint.analysis.guards.guards import is_guarded
from devlint.analysis.names.control_flow import block_path
from devlint.analysis.names.scopes import scopes
from devlint.fixes.device.cards.card_device import card_device
from devlint.fixes.device.cards.card_index import is_certain_card
from devlint.fixes.device.choice import DeviceChoice
from devlint.syntax.file_context import FileContext


def card_above(ctx: FileContext, at: cst.CSTNode) -> DeviceChoice | None:
    """The device of the first card that something is certainly moved to before ``at``, in the same function."""
    function = scopes(ctx).function_of(at)
    top = function or ctx.tree.module
    around = {id(block): index for block, index in block_path(ctx, at, top)}
    for use in device_index_uses(ctx):
        node = use.literal.node
        if use.move is None or scopes(ctx).function_of(node) is not function or is_guarded(ctx, node):
            continue
        held = [one for one in block_path(ctx, node, top) if not isinstance(one[0], cst.SimpleStatementLine)]
        if held and around.get(id(held[-1][0]), -1) > held[-1][1] and is_certain_card(ctx, use.literal):
            return card_device(ctx, use)
    return None
