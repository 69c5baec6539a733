"""The device expression that a project is configured with: ``device = "torch_device"``, and its import."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import How
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.scopes import scopes
from devlint.core.diagnostic import Edit
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.project_imports import project_imports
from devlint.syntax.file_context import FileContext


def configured_device(ctx: FileContext, at: cst.CSTNode) -> DeviceChoice | None:
    """The project's own expression; None where its name is unknown, or means something else than its import."""
    device, line, name = ctx.target.device, ctx.target.device_import, ctx.target.device_name
    if device is None:
        return None
    owner = scopes(ctx).binder(name, at)
    edits: tuple[Edit, ...] | None = ()
    if line is not None:
        taken = owner is not None and any(one.how is not How.IMPORT for one in owner.bindings[name])
        edits = None if taken else project_imports(ctx, [line])
    elif not (scopes(ctx).star_import if owner is None else certainly_bound(ctx, name, owner, at)):
        return None
    return DeviceChoice(device, edits, is_string=None) if edits is not None else None
