"""Devices that the guard of a place asks: that of a tensor with ``is_cuda``, or one whose type it compares."""

from __future__ import annotations

from itertools import islice

import libcst as cst

from devlint.analysis.guards.guards import guards_of
from devlint.analysis.transfers.queried_tensors import guarding_device, guarding_tensor
from devlint.fixes.device.choice import DeviceChoice, device_of_tensor
from devlint.syntax.file_context import FileContext


def of_guarding_tensor(ctx: FileContext, at: cst.CSTNode) -> DeviceChoice | None:
    """``x.device`` where ``x.is_cuda`` guards the place."""
    guard = next(guards_of(ctx, at), None)
    queried = guarding_tensor(ctx, guard, at, part=True) if guard is not None else None
    return device_of_tensor(ctx, queried) if queried is not None else None


def of_guarding_device(ctx: FileContext, at: cst.CSTNode) -> DeviceChoice | None:
    """``x.device`` where its type guards the place; not where a test that is skipped without CUDA asserts it."""
    guard, outer = (*islice(guards_of(ctx, at), 2), None, None)[:2]
    if guard is not None and isinstance(guard.owner, cst.Assert) and outer is not None:
        return None
    device = guarding_device(ctx, guard, at) if guard is not None else None
    text = ctx.text_of(device) if device is not None else ""
    if device is None or "\n" in text:
        return None
    comparison = next(one for one in ctx.tree.ancestors(device) if isinstance(one, cst.Comparison))
    return DeviceChoice(text, condition=ctx.text_of(comparison))
