"""Where a file puts something on a GPU for certain."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.cuda.failing.kernel_code import is_beside_kernel
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.names.resolution import is_torch
from devlint.analysis.slots.device_arguments import slot_owner
from devlint.analysis.slots.project_slots import project_slot
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.syntax.file_context import FileContext, fact


@fact
def placement_ids(ctx: FileContext) -> frozenset[int]:
    """The identities of the calls that place something."""
    return frozenset(id(one) for one in placements(ctx))


def placements(ctx: FileContext) -> Iterator[cst.CSTNode]:
    """Calls that certainly place something: ``x.cuda()``, ``torch.ones(2, device="cuda")``, ``x.to("cuda")``.

    Those beside a kernel are left alone.
    """
    left_alone = ctx.target.kind == "cuda"
    return (one for one in _placements(ctx) if not (left_alone and is_beside_kernel(ctx, ctx.span(one))))


def _placements(ctx: FileContext) -> Iterator[cst.CSTNode]:
    for node in cuda_mentions(ctx):
        parent = ctx.tree.parent(node)
        if isinstance(node, cst.Attribute) and isinstance(parent, cst.Call):
            move = cuda_move(ctx, parent)
            if move is not None and move.whole and move.device is None:
                yield parent
        call = ctx.tree.parent(parent) if isinstance(parent, cst.Arg) else None
        if isinstance(node, cst.SimpleString) and isinstance(call, cst.Call) and is_torch(ctx, call.func, "device"):
            parent = ctx.tree.parent(call)
            call = ctx.tree.parent(parent) if isinstance(parent, cst.Arg) else None
        if not isinstance(node, (cst.SimpleString, cst.Call)):
            continue
        if not isinstance(parent, cst.Arg) or not isinstance(call, cst.Call):
            continue
        moves = isinstance(call.func, cst.Attribute) and call.func.attr.value == "to" and parent is call.args[0]
        named = parent.keyword is not None and parent.keyword.value in ("device", "map_location")
        if moves or (named and _is_slot(ctx, parent.value)):
            yield call


def _is_slot(ctx: FileContext, device: cst.BaseExpression) -> bool:
    """Whether an argument certainly says where something is put, to torch or to a function of the project."""
    return slot_owner(ctx, device) is not None or project_slot(ctx, device) is not None
