"""Calls of torch.accelerator that fail without an accelerator, and the test that guards them."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.accelerator_members import accelerator_member
from devlint.analysis.guards.guards import has_accelerator
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.exception_handling import is_caught
from devlint.analysis.names.resolution import is_none, is_torch
from devlint.core.diagnostic import Edit
from devlint.fixes.torch_import import torch_name
from devlint.syntax.file_context import FileContext
from devlint.torch_api.accelerator_api import FAILS_WITHOUT_DEVICE


def fails_without_device(ctx: FileContext, call: cst.CSTNode) -> bool:
    """Whether a call runs, and fails, without an accelerator: no test guards it, and nothing catches the error."""
    if not isinstance(call, cst.Call):
        return False
    member = accelerator_member(ctx, call.func)
    if member == "device_index":
        is_harmless = not isinstance(ctx.tree.parent(call), cst.WithItem) or is_none(_only_argument(call))
    else:
        is_harmless = member not in FAILS_WITHOUT_DEVICE
    return not is_harmless and not may_run_without_accelerator(ctx, call)


def may_run_without_accelerator(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` runs only where there is an accelerator, or its error is caught."""
    return has_accelerator(ctx, node) or is_caught(ctx, node, "RuntimeError")


def _only_argument(call: cst.Call) -> cst.BaseExpression | None:
    return call.args[0].value if len(call.args) == 1 else None


def availability_test(ctx: FileContext, function: cst.BaseExpression) -> tuple[str, tuple[Edit, ...]] | None:
    """``torch.accelerator.is_available()`` as a file that has ``function`` calls it, with the import it needs."""
    owner = function.value if isinstance(function, cst.Attribute) else None
    if owner is not None and is_torch(ctx, owner, "accelerator"):
        return f"{dotted_name(owner)}.is_available()", ()
    torch = torch_name(ctx, function)
    return (f"{torch[0]}.accelerator.is_available()", torch[1]) if torch is not None else None
