"""The device of the options that an instance keeps: ``self.args.device``, where its class uses it as one."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.option_devices import option_caveat
from devlint.analysis.devices.used_devices import names_used_as_device
from devlint.analysis.devices.which_device import DeviceValue
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, methods_named
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import attributes_named, targets_named
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_options, is_plainly_device


def device_of_kept_options(
    ctx: FileContext, definition: cst.ClassDef, instance: str, at: cst.CSTNode
) -> tuple[str, DeviceValue] | None:
    """``self.args.device`` at ``at``, where ``__init__`` keeps the options and the file sets no device of theirs."""
    for dotted in sorted(names_used_as_device(ctx)):
        owner, _, device = dotted.rpartition(".")
        root, _, options = owner.partition(".")
        if root != instance or "." in options or not holds_options(options) or not is_plainly_device(device):
            continue
        if targets_named(ctx, dotted):
            continue
        reads = (one for one in attributes_named(ctx, device) if dotted_name(one) == dotted)
        if any(class_of(ctx, one) is definition for one in reads) and _is_kept(ctx, definition, owner, at):
            return dotted, DeviceValue(None, caveat=option_caveat(ctx, dotted))
    return None


def _is_kept(ctx: FileContext, definition: cst.ClassDef, owner: str, at: cst.CSTNode) -> bool:
    """Whether one line of ``__init__``, above ``at`` if that is in ``__init__``, too, gives an instance its options."""
    init = next(iter(methods_named(ctx, definition, "__init__")), None)
    above = (ctx.tree.parent(ctx.tree.parent(one) or one) for one in targets_named(ctx, owner))
    lines = [one for one in above if one is not None and class_of(ctx, one) is definition]
    if init is None or len(lines) != 1 or lines[0] not in statements(init.body):
        return False
    return not ctx.tree.is_around(init, at) or ctx.span(lines[0]).end <= ctx.span(at).start
