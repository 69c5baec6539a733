"""``custom_fwd`` and ``custom_bwd`` of mixed precision: those for CUDA become those that are told a type of device."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.amp import scope_of_import
from devlint.analysis.names.bindings import How, import_alias
from devlint.analysis.names.resolution import attributes_named, origin, reads_named, uses_of
from devlint.analysis.names.scripts import exported_names
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.apis.amp_imports import move_import
from devlint.fixes.device.anchors.placement import preamble
from devlint.fixes.device.choice import define_device
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.first_releases import CUSTOM_FUNCTIONS

_CUSTOM = ("custom_fwd", "custom_bwd")
_OF_CUDA = frozenset(f"torch.cuda.amp.{where}{name}" for where in ("", "autocast_mode.") for name in _CUSTOM)
_CAVEAT = "they take effect in mixed precision on other accelerators, and on the CPU, too"
_NAMES = ("device_type", "amp_device_type")


@fact
def custom_decorators(ctx: FileContext) -> list[cst.BaseExpression]:
    """Where methods are decorated with what is for CUDA alone, in a project for any accelerator."""
    if ctx.target.kind != "accelerator" or ctx.target.torch_min_version < CUSTOM_FUNCTIONS:
        return []
    named = [one for name in _CUSTOM for one in (*attributes_named(ctx, name), *reads_named(ctx, name))]
    return [one for one in named if origin(ctx, one) in _OF_CUDA and _decorator(ctx, one) is not None]


@fact
def custom_fix(ctx: FileContext) -> Fix | None:
    """The fix of all of them, with their imports; None where a name is used otherwise, too."""
    anchor, found = preamble(ctx), custom_decorators(ctx)
    torch = torch_name(ctx, anchor.statement, anchor.after) if anchor is not None else None
    if anchor is None or torch is None or anchor.scope.parent is not None:
        return None
    kind = f'({torch[0]}.accelerator.current_accelerator() or {torch[0]}.device("cpu")).type'
    choice = define_device(ctx, anchor, found[0], kind, torch[1], names=_NAMES)
    if choice is None:
        return None
    made: list[Edit | None] = [*choice.edits]
    for node in found:
        made += _told(ctx, node, choice.expression)
        if isinstance(node, cst.Attribute):
            made.append(edits.replace_outer(ctx, node, f"{torch[0]}.amp.{node.attr.value}"))
    made += _imports(ctx, [one for one in found if isinstance(one, cst.Name)])
    return edits.as_fix(f"Tell them the type of the accelerator, `{choice.expression}`", made, _CAVEAT)


def _decorator(ctx: FileContext, node: cst.CSTNode) -> cst.Decorator | None:
    """The decorator that a name is, or is called by."""
    parent = ctx.tree.parent(node)
    whole = ctx.tree.parent(parent) if isinstance(parent, cst.Call) and parent.func is node else parent
    return whole if isinstance(whole, cst.Decorator) else None


def _told(ctx: FileContext, node: cst.BaseExpression, kind: str) -> list[Edit | None]:
    """The edits that give a decorator its type of device."""
    call = ctx.tree.parent(node)
    if not isinstance(call, cst.Call):
        return [edits.insert_after(ctx, node, f"(device_type={kind})")]
    if not call.args:
        return [edits.replace_arguments(ctx, call, f"device_type={kind}")]
    named = all(one.keyword is not None for one in call.args)
    return [edits.insert_before_argument(ctx, call.args[0], f"device_type={kind}, ")] if named else [None]


def _imports(ctx: FileContext, names: list[cst.Name]) -> list[Edit | None]:
    """The edits that import names from torch.amp; None where one is used otherwise, or by other files."""
    moved: dict[cst.ImportFrom, list[cst.ImportAlias]] = {}
    known = {id(one) for one in names}
    for node in {one.value: one for one in names}.values():
        scope = scope_of_import(ctx, node)
        if scope is None or any(id(one) not in known for one in uses_of(ctx, scope, node.value)):
            return [None]
        statement = next(one.node for one in scope.bindings[node.value] if one.how is How.IMPORT)
        alias = import_alias(statement, node.value) if isinstance(statement, cst.ImportFrom) else None
        if alias is None or not isinstance(statement, cst.ImportFrom) or node.value in exported_names(ctx):
            return [None]
        moved.setdefault(statement, []).append(alias)
    made: list[Edit | None] = []
    for statement, aliases in moved.items():
        made += move_import(ctx, statement, aliases) or [None]
    return made
