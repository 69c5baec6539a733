"""Models that DistributedDataParallel gets for certain cards: ``DistributedDataParallel(net, device_ids=[rank])``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin
from devlint.analysis.owners.moved_parts import same_module
from devlint.syntax.call_arguments import keyword_argument
from devlint.syntax.file_context import FileContext

_WRAPPER = "DistributedDataParallel"


def is_for_cards(ctx: FileContext, move: cst.Call) -> bool:
    """Whether a model that ``move`` moves is wrapped for its card at once, which fails for a model on the CPU.

    The wrapper is called with the moved model, or by a statement below in the same block.
    """
    for child, parent in ctx.tree.path_up(move):
        if isinstance(parent, cst.Arg):
            call = ctx.tree.parent(parent)
            return isinstance(call, cst.Call) and call.args[0] is parent and is_given_cards(ctx, call)
        if isinstance(parent, cst.SimpleStatementLine):
            return _is_wrapped_below(ctx, move, child, parent)
    return False


def _is_wrapped_below(ctx: FileContext, move: cst.Call, small: cst.CSTNode, line: cst.SimpleStatementLine) -> bool:
    """Whether a statement below, in the same block, wraps what a statement has moved."""
    moved = same_module(move.func.value) if isinstance(move.func, cst.Attribute) else None
    target = small.targets[0].target if isinstance(small, cst.Assign) and len(small.targets) == 1 else moved
    name, block = dotted_name(target) if target is not None else None, ctx.tree.parent(line)
    if name is None or block is None:
        return False
    found = (one for one, wrapped in ctx.fact(_wrapping_lines) if wrapped == name and ctx.tree.parent(one) is block)
    return any(ctx.span(one).start > ctx.span(line).start for one in found)


def _wrapping_lines(ctx: FileContext) -> list[tuple[cst.SimpleStatementLine, str]]:
    """The lines that only wrap a model, and by what name."""
    found: list[tuple[cst.SimpleStatementLine, str]] = []
    for call in ctx.tree.of_type(cst.Call) if _WRAPPER in ctx.source.text else ():
        small = ctx.tree.parent(call)
        line = ctx.tree.parent(small) if isinstance(small, (cst.Assign, cst.Expr, cst.Return)) else None
        if isinstance(line, cst.SimpleStatementLine) and is_given_cards(ctx, call):
            found.append((line, dotted_name(call.args[0].value) or ""))
    return found


def is_given_cards(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call of the wrapper, or of one that is called after it, names cards, whatever there is."""
    called = origin(ctx, call.func) or dotted_name(call.func) or ""
    cards = keyword_argument(call, "device_ids") if called.endswith(_WRAPPER) else None
    return cards is not None and isinstance(cards.value, cst.List) and bool(cards.value.elements)
