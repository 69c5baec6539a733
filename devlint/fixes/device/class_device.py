"""A device of its own for each instance of a class: ``self.device``, defined at the start of ``__init__``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import libcst as cst

from devlint.analysis.names.classes import class_of, is_module, method_of, methods, methods_named, self_name
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.torchscript import mentions_torchscript
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.overrides import may_have_device, may_skip_init
from devlint.core.diagnostic import Edit
from devlint.fixes.device.anchors.flag_anchors import asks_too_early
from devlint.fixes.device.anchors.instance_flag_anchor import family_of, is_free
from devlint.fixes.device.anchors.placement import Anchor, function_start
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.shared_function import shared_call
from devlint.fixes.torch_import import torch_name
from devlint.syntax.file_context import FileContext


def class_device(ctx: FileContext, at: cst.CSTNode, users: Collection[cst.FunctionDef]) -> DeviceChoice | None:
    """``self.device`` where several methods of a class are among the functions that need a device (``users``)."""
    anchor, method = _anchor(ctx, at, users), method_of(ctx, at)
    torch = torch_name(ctx, anchor.statement, anchor.after) if anchor is not None else None
    if anchor is None or torch is None or method is None or asks_too_early(ctx, anchor, None):
        return None
    expression = f"{self_name(method)}.device"
    device, written = _shared(ctx, at, ctx.target.device_expression(torch[0]), torch[1], users)
    edit = anchor.insert(ctx, [f"{expression} = {device}"])
    test = ctx.target.available(torch[0])
    return DeviceChoice(expression, (*written, edit), False, test) if edit is not None else None


def places_to_ask(ctx: FileContext, users: Collection[cst.FunctionDef]) -> int:
    """In how many places the functions that need a device (``users``) would ask for it, a class in one for them all."""
    owners = [class_of(ctx, one.body) for one in users if class_device(ctx, one.body, users) is not None]
    classes = {id(one) for one in owners} if not mentions_torchscript(ctx) else ()
    return len(users) - len(owners) + len(classes)


def _shared(
    ctx: FileContext, at: cst.CSTNode, device: str, imports: tuple[Edit, ...], users: Collection[cst.FunctionDef]
) -> tuple[str, tuple[Edit, ...]]:
    """The device, or a call of the function that gives it to functions of the module, and what is written for it."""
    owners = [class_of(ctx, one.body) for one in users]
    counted = Counter(map(id, owners))
    outside = any(one is None or counted[id(one)] == 1 for one in owners)
    call = shared_call(ctx, at, device, outside) if not imports and not mentions_torchscript(ctx) else None
    return call or (device, imports)


def _anchor(ctx: FileContext, at: cst.CSTNode, users: Collection[cst.FunctionDef]) -> Anchor | None:
    """The start of ``__init__``.

    None for an nn.Module, which is moved as a whole, and where an instance may be made without this ``__init__``.
    """
    definition, method = class_of(ctx, at), method_of(ctx, at)
    instance = self_name(method) if method is not None else None
    if definition is None or method is None or instance is None or is_module(ctx, definition):
        return None
    init = next(iter(methods_named(ctx, definition, "__init__")), None)
    using = [one for one in methods(definition) if any(one is user for user in users) and self_name(one) == instance]
    if init is None or len(using) < 2 or self_name(init) != instance or not isinstance(init.body, cst.IndentedBlock):
        return None
    family, table = family_of(ctx, definition), scopes(ctx)
    heirs = [one for one in family if one is not definition and methods_named(ctx, one, "__init__")]
    if heirs or not is_free(ctx, family) or table.binder(instance, at) is not table.opened_by(method):
        return None
    project, name = project_around(ctx), definition.name.value
    if may_skip_init(project, name) or may_have_device(project, name):
        return None
    return function_start(ctx, init, at if method is init else init.body.body[-1])
