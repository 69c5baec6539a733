"""``device_type = torch.device(device).type``: a name for the type of a device that may be a string."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import How
from devlint.analysis.names.resolution import targets_named
from devlint.analysis.names.scopes import scopes
from devlint.fixes.device.anchors.first_use import first_use, near_use
from devlint.fixes.device.anchors.placement import Anchor, runs_before
from devlint.fixes.device.choice import DeviceChoice, define_device
from devlint.fixes.torch_import import torch_name
from devlint.syntax.file_context import FileContext

_NAMES = ("device_type", "torch_device_type")


def type_name(ctx: FileContext, device: str, at: cst.CSTNode) -> DeviceChoice | None:
    """A name for the type of ``device`` at ``at``, and the line that defines it once for its function."""
    anchor = _anchor(ctx, device, at)
    torch = torch_name(ctx, anchor.statement, anchor.after) if anchor is not None else None
    if anchor is None or torch is None:
        return None
    return define_device(ctx, anchor, at, f"{torch[0]}.device({device}).type", torch[1], names=_NAMES)


def _anchor(ctx: FileContext, device: str, at: cst.CSTNode) -> Anchor | None:
    """The place above the first use of CUDA in a function, below the only line by which it binds the device, if any."""
    function, root = scopes(ctx).function_of(at), device.partition(".")[0]
    own = scopes(ctx).opened_by(function) if function is not None else None
    if function is None or own is None or root in own.declared_global | own.declared_nonlocal:
        return None
    if "." in device and any(scopes(ctx).function_of(one) is function for one in targets_named(ctx, device)):
        return None
    bound = own.bindings.get(root, [])
    if all(isinstance(one.node, cst.Param) for one in bound):
        return first_use(ctx, function, at)
    if len(bound) > 1 or bound[0].how is not How.ASSIGN:
        return None
    line = next((one for one in ctx.tree.ancestors(bound[0].node) if isinstance(one, cst.SimpleStatementLine)), None)
    below = Anchor(own, line) if line is not None else None
    return near_use(ctx, below, at) if below is not None and runs_before(ctx, below, at) else None
