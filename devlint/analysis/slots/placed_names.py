"""Names of devices that are not called like one: ``cudaid = f"cuda:{i}"``, and then ``torch.device(cudaid)``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import torch_device_of, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.slots.device_arguments import slot_owner
from devlint.syntax.file_context import FileContext


def places_by_name(ctx: FileContext, assign: cst.Assign) -> bool:
    """Whether the program puts something where the name that it assigns says, which has no other value."""
    target = assign.targets[0].target
    scope = scopes(ctx).binder(target.value, target) if isinstance(target, cst.Name) else None
    if scope is None or not isinstance(target, cst.Name) or len(assign.targets) != 1:
        return False
    if scope.is_class or len(scope.bindings[target.value]) != 1:
        return False
    return any(slot_owner(ctx, use) or torch_device_of(ctx, use) for use in uses_of(ctx, scope, target.value))
