"""Whether what runs in the body of a ``with`` is put on a device that the instance was given.

Such a device may be another one: that of a store of activations, beside a model that is elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.guards.changing_flags import is_target
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, is_module, method_of
from devlint.analysis.names.resolution import bindings, origin, targets_named
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext


def is_apart_from(ctx: FileContext, device: str, at: cst.CSTNode) -> bool:
    """Whether nothing in the body of the ``with`` around ``at`` is put on ``device`` by the class.

    A module's own device is where it is.
    """
    region = _region(ctx, at)
    definition = class_of(ctx, at)
    if region is None or (definition is not None and is_module(ctx, definition)):
        return False
    beside = {device} | {name for one in _placing(ctx, device, at, definition) for name in _beside(ctx, one, at)}
    return not any(dotted_name(one) in beside for one in ctx.tree.below(region.body))


def _region(ctx: FileContext, at: cst.CSTNode) -> cst.With | None:
    """The ``with`` that a context manager is made for, directly or by a name that it gets above."""
    line = next((one for one in ctx.tree.ancestors(at) if isinstance(one, (cst.With, cst.Assign))), None)
    if not isinstance(line, cst.Assign):
        return line
    name, function = dotted_name(line.targets[0].target), scopes(ctx).function_of(at)
    below = (one for one in ctx.tree.of_type(cst.With) if scopes(ctx).function_of(one) is function)
    return next((one for one in below if any(dotted_name(item.item) == name for item in one.items)), None)


def _placing(ctx: FileContext, device: str, at: cst.CSTNode, definition: cst.ClassDef | None) -> Iterator[cst.CSTNode]:
    """The uses of a device in the class whose instance has it, and those of the parameter that it is made from."""
    given = {(name.value, method_of(ctx, name)) for name in _given(ctx, device, definition)}
    for one in ctx.tree.below(definition if definition is not None else ctx.module):
        if dotted_name(one) == device and not ctx.tree.is_around(one, at):
            yield one
        elif isinstance(one, cst.Name) and (one.value, method_of(ctx, one)) in given:
            yield one


def _given(ctx: FileContext, device: str, definition: cst.ClassDef | None) -> Iterator[cst.Name]:
    """The parameters in what an instance keeps as its device: ``self.device = torch.device(device)``."""
    for target in targets_named(ctx, device):
        assign = ctx.tree.parent(target)
        if isinstance(assign, cst.Assign) and class_of(ctx, assign) is definition:
            names = (one for one in ctx.tree.below(assign.value) if isinstance(one, cst.Name))
            yield from (one for one in names if _is_parameter(ctx, one))


def _is_parameter(ctx: FileContext, name: cst.Name) -> bool:
    _, found = bindings(ctx, name.value, name)
    return [one.how for one in found] == [How.PARAMETER]


def _beside(ctx: FileContext, use: cst.CSTNode, at: cst.CSTNode) -> Iterator[str]:
    """What a line puts on a device, and what it calls the result: in the same function, or of the same instance."""
    line = next((one for one in ctx.tree.ancestors(use) if isinstance(one, cst.BaseSmallStatement)), None)
    call = next((one for one in ctx.tree.ancestors(use) if isinstance(one, cst.Call)), None)
    found = [one for one in ctx.tree.below(line) if is_target(ctx, one)] if line is not None else []
    if call is not None:
        moves = isinstance(call.func, cst.Attribute) and call.func.attr.value == "to"
        found += (
            [] if moves or (origin(ctx, call.func) or "").startswith("torch.") else [one.value for one in call.args]
        )
        found += [call.func.value] if isinstance(call.func, cst.Attribute) else []
    is_here = method_of(ctx, use) is method_of(ctx, at)
    for name in map(dotted_name, found):
        if name is not None and (is_here or "." in name):
            yield name
