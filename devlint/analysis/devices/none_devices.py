"""Whether a device that a program names may be None: ``x.cuda(None)`` moves to a GPU, ``x.to(None)`` moves nothing."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.device_values import MAY_BE_NONE, may_be_none, value_of
from devlint.analysis.devices.named_devices import option_caveat, scope_value
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.module_structure import class_of
from devlint.analysis.names.resolution import is_none, says_given, targets_named
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext


def absence(ctx: FileContext, node: cst.BaseExpression) -> str | None:
    """Why ``node``, which names a device, may be None; None where nothing says so."""
    name = dotted_name(node)
    if name is None or _is_given(ctx, name, node):
        return None
    if isinstance(node, cst.Name):
        scope = scopes(ctx).binder(name, node)
        value = scope_value(ctx, scope, name, node) if scope is not None else None
        return value.caveat if value is not None and may_be_none(value) else None
    if any(_is_absent(ctx, value) for value in _assigned(ctx, name, node)):
        return f"`{name}` {MAY_BE_NONE}, and nothing moves then"
    return option_caveat(ctx, name)


def _is_given(ctx: FileContext, name: str, at: cst.BaseExpression) -> bool:
    """Whether a test around ``at`` says that the device is not None: ``if device is not None:``."""
    return any(
        isinstance(parent, (cst.If, cst.IfExp))
        and child is not parent.test
        and says_given(parent.test, name, child is parent.body)
        for child, parent in ctx.tree.path_up(at)
    )


def _assigned(ctx: FileContext, name: str, at: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The values that the file gives to ``args.device``, or the class around ``at`` to ``self.device``."""
    assigns = [ctx.tree.parent(target) for target in targets_named(ctx, name)]
    assigns += [one for one in ctx.tree.of_type(cst.AnnAssign) if dotted_name(one.target) == name]
    owner = class_of(ctx, at) if name.startswith("self.") else None
    here = [one for one in assigns if one is not None and (owner is None or class_of(ctx, one) is owner)]
    return [one.value for one in here if isinstance(one, (cst.Assign, cst.AnnAssign)) and one.value is not None]


def _is_absent(ctx: FileContext, value: cst.BaseExpression) -> bool:
    device = value_of(ctx, value)
    return is_none(value) or (device is not None and may_be_none(device))
