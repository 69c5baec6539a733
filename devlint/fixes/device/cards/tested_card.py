"""Moves to a card under a test for its number, which then asks torch as well: ``if gpu > -1 and is_available():``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.device_index_uses import DeviceIndexUse, device_index_uses
from devlint.analysis.cuda.values_without_cuda import value_without_cuda
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.core.diagnostic import Fix
from devlint.fixes.conditional_device import availability_caveat
from devlint.fixes.device.cards.card_index import index_node
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext


def tested_card_fix(ctx: FileContext, use: DeviceIndexUse) -> Fix | None:
    """The test asks for CUDA, too, if all that it is around are moves to the very card whose number it compares."""
    test, torch = _test_of(ctx, use), torch_name(ctx, use.literal.node)
    if test is None or torch is None or ctx.target.kind != "cuda":
        return None
    if availability_caveat(ctx, use.literal.node) is not None:
        return None
    asks = ctx.target.available(torch[0])
    off = value_without_cuda(ctx, test) is False
    asked = ctx.one_line_of(test)
    return edits.as_fix(
        f"Ask for CUDA beside `{asked}`",
        [edits.insert_after(ctx, test, f" and {asks}"), *torch[1]],
        f"`{asked}` is False unless somebody asks for a card" if off else None,
    )


def _test_of(ctx: FileContext, use: DeviceIndexUse) -> cst.Comparison | None:
    """The comparison of a card's number that an ``if`` around nothing but moves to this card makes."""
    number = index_node(ctx, use.literal)
    asked = dotted_name(number) if number is not None else None
    owner = next((one for one in ctx.tree.ancestors(use.literal.node) if isinstance(one, cst.If)), None)
    if asked is None or owner is None or owner.orelse is not None or not isinstance(owner.test, cst.Comparison):
        return None
    if isinstance(ctx.tree.parent(owner), cst.If) or dotted_name(owner.test.left) != asked:
        return None
    if any(isinstance(one.operator, cst.IsNot) for one in owner.test.comparisons):
        return None  # which else has the device of the card, with the moves beside it
    lines = statements(owner.body)
    uses = [one for one in device_index_uses(ctx) if one.literal.index == use.literal.index]
    is_all = all(any(_is_move_to(ctx, line, one) for one in uses) for line in lines)
    return owner.test if lines and is_all else None


def _is_move_to(ctx: FileContext, line: cst.CSTNode, use: DeviceIndexUse) -> bool:
    """Whether a line is ``x.cuda(card)`` or ``x = x.to(card)``, and nothing else."""
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
    value = small.value if isinstance(small, (cst.Expr, cst.Assign)) else None
    if value is None or value is not use.call or not isinstance(value, cst.Call):
        return False
    if not isinstance(value.func, cst.Attribute) or value.func.attr.value not in ("cuda", "to"):
        return False
    moved = dotted_name(value.func.value)
    targets = [one.target for one in small.targets] if isinstance(small, cst.Assign) else []
    return moved is not None and all(dotted_name(one) == moved for one in targets)
