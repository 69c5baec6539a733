"""Whether what stands around a call of torch.cuda keeps it CUDA's own, so that it cannot change alone."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.vendor_chains import asks_for_others, beside_other_accelerator
from devlint.analysis.guards.availability_flow import has_own_test
from devlint.analysis.names.resolution import origin
from devlint.syntax.file_context import FileContext

_ENTERED = frozenset({"torch.cuda.device", "torch.cuda.stream"})


def has_counterparts(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether other accelerators have code of their own for what is done at ``node``.

    It may be in another branch, or in an ``if`` of its own: ``if HAS_CUDA: …`` and then ``if HAS_XPU: …``.
    """
    if beside_other_accelerator(ctx, node):
        return True
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, (cst.IndentedBlock, cst.Module)) and isinstance(child, cst.If):
            if asks_for_others(ctx, parent):
                return True
        elif isinstance(parent, cst.FunctionDef):
            return False
    return False


def is_kept_for_cuda(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a test of a device's type, or CUDA's own ``with``, is around ``node`` and changes first."""
    if has_own_test(ctx, node):
        return True
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, cst.With) and child is parent.body:
            items = (one.item.body if isinstance(one.item, cst.IfExp) else one.item for one in parent.items)
            entered = (one.func for one in items if isinstance(one, cst.Call))
            if any(origin(ctx, one) in _ENTERED for one in entered):
                return True
        elif isinstance(parent, cst.FunctionDef):
            return False
    return False
