"""The device that an instance keeps: ``self.device``."""

from __future__ import annotations

from typing import Optional

import libcst as cst

from devlint.context import FileContext
from devlint.facts.bindings import dotted_name
from devlint.facts.device_values import (
    DeviceValue,
    value_of,
)
from devlint.facts.modules import class_of, has_device_by_base, method_of, methods, self_name
from devlint.facts.scopes import scopes


def instance_device(ctx: FileContext, at: cst.CSTNode) -> Optional[tuple[str, DeviceValue]]:
    """``self.device`` where the class, or a known base of it, has one at ``at``."""
    definition, method = class_of(ctx, at), method_of(ctx, at)
    instance = self_name(method) if method is not None else None
    if definition is None or method is None or instance is None or _rebinds(ctx, method, instance, at):
        return None
    if method.name.value == "device":
        return None
    expression = f"{instance}.device"
    if has_device_by_base(ctx, definition) and method.name.value != "__init__":
        return expression, DeviceValue(False)
    if any(one.name.value == "device" and one.decorators for one in methods(definition)):
        return (expression, DeviceValue(None)) if method.name.value != "__init__" else None
    return _assigned_in_init(ctx, definition, method, at, expression)


def _rebinds(ctx: FileContext, method: cst.FunctionDef, instance: str, at: cst.CSTNode) -> bool:
    return scopes(ctx).binder(instance, at) is not scopes(ctx).opened_by(method)


def _assigned_in_init(
    ctx: FileContext, definition: cst.ClassDef, method: cst.FunctionDef, at: cst.CSTNode, expression: str
) -> Optional[tuple[str, DeviceValue]]:
    """``self.device`` where ``__init__`` gives it a device at its top level, before ``at`` or before calling it."""
    init = next((one for one in methods(definition) if one.name.value == "__init__"), None)
    if init is None or not isinstance(init.body, cst.IndentedBlock):
        return None
    name = f"{self_name(init)}.device"
    for index, statement in enumerate(init.body.body):
        if not isinstance(statement, cst.SimpleStatementLine):
            continue
        for small in statement.body:
            if isinstance(small, (cst.Assign, cst.AnnAssign)) and _assigns(small, name) and small.value is not None:
                value = value_of(ctx, small.value)
                if value is None or not value.cuda or value.caveat:
                    return None
                early = {
                    one.value
                    for before in init.body.body[:index]
                    for one in ctx.tree.below(before)
                    if isinstance(one, cst.Name)
                }
                late = method is init and ctx.span(small).end > ctx.span(at).start
                return None if late or method.name.value in early else (expression, value)
    return None


def _assigns(statement: cst.CSTNode, name: str) -> bool:
    if isinstance(statement, cst.Assign):
        return any(dotted_name(one.target) == name for one in statement.targets)
    return isinstance(statement, cst.AnnAssign) and dotted_name(statement.target) == name
