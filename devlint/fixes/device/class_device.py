"""A device of its own for each instance of a class: ``self.device``, defined at the start of ``__init__``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import libcst as cst

from devlint.analysis.names.classes import class_of, is_module, method_of, methods_named, self_name
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.torchscript import mentions_torchscript
from devlint.analysis.owners.before_placement import run_by_base
from devlint.analysis.owners.free_attribute import is_free
from devlint.analysis.owners.initializers import body_of_init, initialized_base, initializes_base
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.overrides import may_have_device, may_skip_init
from devlint.core.diagnostic import Edit
from devlint.fixes.device.anchors.flag_anchors import asks_too_early
from devlint.fixes.device.anchors.instance_flag_anchor import family_of, may_be_saved
from devlint.fixes.device.anchors.placement import Anchor, function_start
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.shared.shared_function import shared_call
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
    owners = [_owner(ctx, one.body) for one in users if class_device(ctx, one.body, users) is not None]
    classes = {id(one) for one in owners} if not mentions_torchscript(ctx) else ()
    return len(users) - len(owners) + len(classes)


def _shared(
    ctx: FileContext, at: cst.CSTNode, device: str, imports: tuple[Edit, ...], users: Collection[cst.FunctionDef]
) -> tuple[str, tuple[Edit, ...]]:
    """The device, or a call of the function that gives it to functions of the module, and what is written for it."""
    owners = [_owner(ctx, one.body) for one in users]
    counted = Counter(map(id, owners))
    outside = any(one is None or counted[id(one)] == 1 for one in owners)
    call = shared_call(ctx, at, device, outside) if not imports and not mentions_torchscript(ctx) else None
    return call or (device, imports)


def _owner(ctx: FileContext, at: cst.CSTNode) -> cst.ClassDef | None:
    """The class around a place, or the base of it in this file whose ``__init__`` all of them begin with."""
    owner = class_of(ctx, at)
    base = initialized_base(ctx, owner) if owner is not None else None
    while owner is not None and base is not None:
        owner, base = base, initialized_base(ctx, base)
    return owner


def _anchor(ctx: FileContext, at: cst.CSTNode, users: Collection[cst.FunctionDef]) -> Anchor | None:
    """The start of ``__init__``.

    None for an nn.Module, which is moved as a whole, and where an instance may be made without this ``__init__``, as is
    one that was pickled before.
    """
    definition, top, method = class_of(ctx, at), _owner(ctx, at), method_of(ctx, at)
    instance = self_name(method) if method is not None else None
    if definition is None or top is None or method is None or instance is None or is_module(ctx, definition):
        return None
    using = [one for one in users if _owner(ctx, one.body) is top and self_name(one) == instance]
    owner = top if any(class_of(ctx, one.body) is not definition for one in using) else definition
    family, table, project = family_of(ctx, owner), scopes(ctx), project_around(ctx)
    init = next(iter(methods_named(ctx, owner, "__init__")), None)
    if init is None or len(using) < 2 or self_name(init) != instance or not isinstance(init.body, cst.IndentedBlock):
        return None
    others = [one for one in family if one is not owner and methods_named(ctx, one, "__init__")]
    if any(_owner(ctx, one.body) is not top for one in others) or not is_free(ctx, family):
        return None
    if table.binder(instance, at) is not table.opened_by(method) or _is_before_base(ctx, method, owner, at):
        return None
    if any(initializes_base(one) for one in body_of_init(init)):
        if any(one.name.value in run_by_base(ctx, owner) for one in using):
            return None
    names = [one.name.value for one in family]
    if any(may_skip_init(project, one) or may_have_device(project, one) for one in names) or may_be_saved(ctx, family):
        return None
    return function_start(ctx, init, at if method is init else init.body.body[-1])


def _is_before_base(ctx: FileContext, method: cst.FunctionDef, owner: cst.ClassDef, at: cst.CSTNode) -> bool:
    """Whether a place is in what an heir's ``__init__`` gives to that of its base."""
    if method.name.value != "__init__" or class_of(ctx, at) is owner:
        return False
    return any(ctx.tree.is_around(one, at) for one in body_of_init(method)[:1])
