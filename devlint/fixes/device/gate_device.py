"""The device of the tests of a module: defined once, below its imports, where the gates of its tests ask, too."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import reads_named
from devlint.analysis.names.scopes import scopes
from devlint.core.diagnostic import Edit
from devlint.core.record import Record
from devlint.fixes.device.anchors.placement import preamble, runs_before
from devlint.fixes.device.anchors.variable_naming import NAMES
from devlint.fixes.device.choice import define_device
from devlint.fixes.device.resolver import resolve_device
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
    return _of_project(ctx, at) if ctx.target.kind == "project" else _of_module(ctx, at)


def _of_project(ctx: FileContext, at: cst.CSTNode) -> GateDevice | None:
    own, torch = resolve_device(ctx, at), torch_name(ctx, at)
    if own is None or torch is None:
        return None
    bound = scopes(ctx).module.bindings.get("torch", [])
    if torch[1] and bound and all(one.origin == "torch" for one in bound):  # torch is optional, and the tests read it
        torch = "torch", ()
    device = f"{torch[0]}.device({own.expression})"
    return GateDevice(own.expression, device, own.expression, f"{device}.type", (*torch[1], *own.edits))


def _of_module(ctx: FileContext, at: cst.CSTNode) -> GateDevice | None:
    """A new device, where the module itself has torch for certain."""
    anchor = preamble(ctx)
    torch = torch_name(ctx, anchor.statement, anchor.after) if anchor is not None else None
    if anchor is None or torch is None or torch[1] or not runs_before(ctx, anchor, at):
        return None
    free = [name for name in NAMES if _is_free(ctx, name)]
    choice = define_device(ctx, anchor, at, ctx.target.device_expression(torch[0]), names=free)
    if choice is None:
        return None
    name, kind = choice.expression, f"{choice.expression}.type"
    return GateDevice(name, name, kind, kind, choice.edits, f"{torch[0]}.device({kind}, 0)")


def _is_free(ctx: FileContext, name: str) -> bool:
    """Whether a name means nothing in any scope of the file, so that it may stand anywhere in it."""
    return not reads_named(ctx, name) and all(name not in one.bindings for one in scopes(ctx).every())
