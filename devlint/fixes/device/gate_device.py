"""The device of the tests of a module: defined once, below its imports, where the gates of its tests ask, too."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import reads_named
from devlint.analysis.names.scopes import scopes
from devlint.core.diagnostic import Edit
from devlint.core.record import Record
from devlint.fixes.device.choice import DeviceChoice, define_device
from devlint.fixes.device.placement import preamble
from devlint.fixes.device.resolver import resolve_device
from devlint.fixes.device.variable_naming import NAMES
from devlint.fixes.torch_import import torch_name
from devlint.syntax.file_context import FileContext


class GateDevice(Record):
    """What stands for the accelerator in tests that run where there is one."""

    expression: str
    """The device where torch takes one."""
    device: str
    """The same as a ``torch.device``."""
    string: str
    """The same as a string."""
    type: str
    """The type of the device."""
    edits: tuple[Edit, ...] = ()
    first_card: str | None = None
    """The device with the index 0, where that can be written."""


def gate_device(ctx: FileContext, at: cst.CSTNode) -> GateDevice | None:
    """The device of the tests in ``at``: the project's own, or one that is defined for the module."""
    torch = torch_name(ctx, at)
    bound = scopes(ctx).module.bindings.get("torch", [])
    is_optional = torch is not None and bool(torch[1]) and bool(bound) and all(one.origin == "torch" for one in bound)
    if torch is None or (is_optional and ctx.target.kind != "project"):
        return None
    if is_optional:  # the tests read it as the module binds it
        torch = "torch", ()
    if ctx.target.kind == "project":
        own = resolve_device(ctx, at)
        if own is None:
            return None
        device = f"{torch[0]}.device({own.expression})"
        return GateDevice(own.expression, device, own.expression, f"{device}.type", (*torch[1], *own.edits))
    choice = _for_module(ctx, at, torch[0])
    if choice is None:
        return None
    name = choice.expression
    return GateDevice(
        name, name, f"{name}.type", f"{name}.type", (*torch[1], *choice.edits), f"{torch[0]}.device({name}.type, 0)"
    )


def _for_module(ctx: FileContext, at: cst.CSTNode, torch: str) -> DeviceChoice | None:
    anchor = preamble(ctx)
    if anchor is None:
        return None
    free = [name for name in NAMES if _is_free(ctx, name)]
    return define_device(ctx, anchor, at, ctx.target.device_expression(torch), names=free)


def _is_free(ctx: FileContext, name: str) -> bool:
    """Whether a name means nothing in any scope of the file, so that it may stand anywhere in it."""
    return not reads_named(ctx, name) and all(name not in one.bindings for one in scopes(ctx).every())
