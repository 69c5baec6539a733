"""Models that are in ``DataParallel``: it needs them on CUDA wherever there is CUDA, whatever a flag says."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.guards.cuda_flags import Condition, as_condition, is_only_question, only_asks_for_cuda
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import bound_values
from devlint.fixes.device.anchors.placement import Anchor
from devlint.syntax.file_context import FileContext, fact

_DATA_PARALLEL = frozenset({"torch.nn.DataParallel", "torch.nn.parallel.DataParallel"})


def leaves_data_parallel_on(ctx: FileContext, condition: Condition, anchor: Anchor) -> bool:
    """Whether a model goes to CUDA in DataParallel whatever a flag says: where there is CUDA, it must be there."""
    if "DataParallel" not in ctx.source.text or only_asks_for_cuda(ctx, condition, anchor.statement):
        return False
    return any(not _is_governed(ctx, condition, move) for move in _moves_of_parallel(ctx))


def _is_governed(ctx: FileContext, condition: Condition, move: cst.CSTNode) -> bool:
    """Whether a test around a move asks the flag of a condition, alone or with others: ``if use_cuda and several:``."""
    asked = (as_condition(ctx, one.test, one.holds) for one in guards_of(ctx, move))
    return any(one is not None and not condition.names.isdisjoint(one.names) for one in asked)


def leaves_parallel_model(ctx: FileContext, device: str, condition: str | None, call: cst.CSTNode) -> bool:
    """Whether a ``DataParallel`` that a call moves to CUDA would stay on the CPU of a device that a flag chooses."""
    if "DataParallel" not in ctx.source.text or all(
        ctx.tree.parent(one) is not call for one in _moves_of_parallel(ctx)
    ):
        return False
    tests = [condition] if condition is not None else [_test_of(ctx, one) for one in bound_values(ctx, device, call)]
    return not all(is_only_question(ctx, one, call) for one in tests if one is not None)


def _test_of(ctx: FileContext, device: cst.BaseExpression) -> str | None:
    """The test by which an expression is a GPU or the CPU, in words where it is known; None where it has none."""
    value, text = device_value(ctx, device), ctx.text_of(device)
    known = value.condition if value is not None else None
    return known if known is not None or not ("cpu" in text and " if " in text) else text


@fact
def _moves_of_parallel(ctx: FileContext) -> list[cst.Attribute]:
    """``x.cuda`` of what is a ``DataParallel``, or becomes one at once: ``DataParallel(x.cuda())``."""
    targets = [target for one in ctx.tree.of_type(cst.Assign) if _is_parallel(ctx, one.value) for target in one.targets]
    names = {dotted_name(one.target) for one in targets} - {None}  # what has no dotted name is unlike all others
    moves = (one for one in cuda_mentions(ctx) if isinstance(one, cst.Attribute))
    return [
        one
        for one in moves
        if dotted_name(one.value) in names or _is_parallel(ctx, one.value) or _is_made_parallel(ctx, one)
    ]


def _is_parallel(ctx: FileContext, value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Call) and origin(ctx, value.func) in _DATA_PARALLEL


def _is_made_parallel(ctx: FileContext, move: cst.Attribute) -> bool:
    """Whether what a method gives is the model of a ``DataParallel``."""
    call = ctx.tree.parent(move)
    arg = ctx.tree.parent(call) if call is not None else None
    maker = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    return isinstance(maker, cst.Call) and maker.args[0] is arg and _is_parallel(ctx, maker)
