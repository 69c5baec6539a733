"""A variable that a function takes for a device of any kind: it is the CPU where there is no CUDA.

``device = cfg.GPU_ID if torch.cuda.is_available() else "cpu"``, of which nobody knows whether it is a number or a name,
but which is not None: ``model.to(device)`` would move nothing then, and ``x.cuda(device)`` beside it would.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.cuda.device_index_uses import DeviceIndexUse
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.transfers.cuda_method_calls import CudaMove, cuda_move, move_edits
from devlint.analysis.transfers.overridden_moves import overriding_class
from devlint.core.diagnostic import Fix
from devlint.fixes.conditional_device import conditional_value
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext

_ASKED = (cst.Comparison, cst.BooleanOperation, cst.UnaryOperation, cst.BinaryOperation)


def card_variable_fix(ctx: FileContext, use: DeviceIndexUse) -> Fix | None:
    """The choice where the variable is assigned, and ``.to`` for each of its ``.cuda``; None where it may be None."""
    number = use.literal.node
    function = scopes(ctx).function_of(number)
    if use.move is None or not isinstance(number, cst.Name) or function is None or ctx.target.kind != "cuda":
        return None
    scope = scopes(ctx).opened_by(function)
    found = scope.bindings.get(number.value, ())
    value = found[0].value if len(found) == 1 and found[0].how is How.ASSIGN else None
    if value is None or not isinstance(value, cst.Attribute) or dotted_name(value) is None:
        return None
    uses = uses_of(ctx, scope, number.value)
    moves = [move for one in uses if (move := _move_to_cuda(ctx, one)) is not None]
    if not all(_is_plain(ctx, one, function) for one in uses) or not _always(
        ctx, [one.call for one in moves], function
    ):
        return None
    if not _always(ctx, [call for one in uses if (call := _placed(ctx, one)) is not None], function):
        return None
    if any(not one.whole or overriding_class(ctx, one.call) is not None for one in moves):
        return None
    choice = conditional_value(ctx, value, '"cpu"')
    if choice is None or choice.caveat is not None:
        return None
    moved = [edit for one in moves for edit in move_edits(ctx, one, number.value)]
    return edits.as_fix(f"Choose the CPU for `{number.value}` where there is no CUDA", [*choice.edits, *moved])


def _move_to_cuda(ctx: FileContext, name: cst.Name) -> CudaMove | None:
    """``x.cuda(name)``."""
    arg = ctx.tree.parent(name)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    move = cuda_move(ctx, call) if isinstance(call, cst.Call) else None
    return move if move is not None and move.device is arg else None


def _placed(ctx: FileContext, name: cst.Name) -> cst.Call | None:
    """``x.to(name)``."""
    arg = ctx.tree.parent(name)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) and arg.keyword is None else None
    is_move = isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and call.func.attr.value == "to"
    return call if isinstance(call, cst.Call) and is_move and call.args[0] is arg else None


def _is_plain(ctx: FileContext, name: cst.Name, function: cst.FunctionDef) -> bool:
    """Whether a name is read in its own function, and nobody asks there what it is."""
    around = ctx.tree.parent(name)
    return scopes(ctx).function_of(name) is function and not isinstance(
        around, (*_ASKED, cst.ComparisonTarget, cst.If, cst.IfExp, cst.While, cst.FormattedStringExpression)
    )


def _always(ctx: FileContext, calls: Sequence[cst.Call], function: cst.FunctionDef) -> bool:
    """Whether one of some calls is made whenever the function runs, but for loops that run for nothing."""
    passed = (cst.If, cst.IfExp, cst.Try, cst.TryStar, cst.Match, cst.Lambda, cst.BooleanOperation)
    for call in calls:
        around = list(ctx.tree.ancestors(call))
        if not any(isinstance(one, passed) for one in around[: around.index(function)]):
            return True
    return False
