"""Whether a device that a program names may be None: ``x.cuda(None)`` moves to a GPU, ``x.to(None)`` moves nothing."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.apis.option_kinds import is_int, is_none_unless_given
from devlint.analysis.devices.device_values import device_value
from devlint.analysis.devices.named_devices import device_in_scope
from devlint.analysis.devices.option_devices import option_caveat
from devlint.analysis.devices.which_device import MAY_BE_NONE, may_be_none
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.program_options import program_options
from devlint.analysis.names.resolution import implies_not_none, is_none, sole_value, targets_named
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.analysis.project.options import OPTIONS
from devlint.analysis.project.searches import search
from devlint.analysis.tensors.none_values import may_give_none
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_options


def none_caveat(ctx: FileContext, node: cst.BaseExpression) -> str | None:
    """Why ``node``, which names a device, may be None; None where nothing says so."""
    name = dotted_name(node)
    if name is None:
        is_missing = isinstance(node, cst.Call) and may_give_none(ctx, node)
        return f"`{ctx.text_of(node)}` {MAY_BE_NONE}, and nothing moves then" if is_missing else None
    if is_tested_for_none(ctx, name, node):
        return None
    if isinstance(node, cst.Name):
        scope = scopes(ctx).binder(name, node)
        value = device_in_scope(ctx, scope, name, node) if scope is not None else None
        if value is not None and may_be_none(value):
            return value.caveat
        values = bound_values(ctx, name, node)
    else:
        values = [node, *assigned_values(ctx, name, node)]
        if any(_may_be_none(ctx, value) for value in values[1:]):
            return f"`{name}` {MAY_BE_NONE}, and nothing moves then"
    is_missing = any(isinstance(value, cst.Call) and may_give_none(ctx, value) for value in values)
    if is_missing or any(_is_left_to_user(ctx, value) for value in values):
        return f"`{name}` {MAY_BE_NONE}, and nothing moves then"
    return option_caveat(ctx, name) if not isinstance(node, cst.Name) else None


def _is_left_to_user(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether a value is an option of another file's parser that is None, or a number, and no device is made of it."""
    owner, _, option = (dotted_name(value) or "").rpartition(".")
    if not holds_options(owner.rpartition(".")[2]) or targets_named(ctx, f"{owner}.{option}"):
        return False
    project = project_around(ctx)
    if any(one.destination == option for one in program_options(ctx)):
        return False
    is_device = any(one.gives_device for one in set_from_outside(project, option) or ())
    options = () if is_device else search(project, OPTIONS, option) or ()
    return any(is_int(one.keywords) or (one.has_dashes and is_none_unless_given(one.keywords)) for one in options)


def is_tested_for_none(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether a test around ``at`` says that a name is not None: ``if device is not None:``."""
    return any(implies_not_none(test, name, holds) for test, holds in _tests_around(ctx, at))


def is_of_missing(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether a test around ``at`` says that what holds a device is not there: in the ``else`` of ``if args:``."""
    parts = name.split(".")
    holders = {".".join(parts[:count]) for count in range(1, len(parts))}
    for test, holds in _tests_around(ctx, at) if holders else ():
        names = holders | {one.value for one in _names(ctx, test) if _stands_for(ctx, one) in holders}
        if any(implies_not_none(test, one, not holds) for one in names):
            return True
    return False


def _tests_around(ctx: FileContext, at: cst.CSTNode) -> Iterator[tuple[cst.BaseExpression, bool]]:
    """The tests of the choices around a place, from the inside out, and whether each holds there."""
    for child, parent in ctx.tree.path_up(at):
        if isinstance(parent, (cst.If, cst.IfExp)) and child is not parent.test:
            yield parent.test, child is parent.body


def _names(ctx: FileContext, test: cst.BaseExpression) -> Iterator[cst.Name]:
    return (one for one in (test, *ctx.tree.below(test)) if isinstance(one, cst.Name))


def _stands_for(ctx: FileContext, name: cst.Name) -> str | None:
    """``self.opt`` for ``args`` of ``args = self.opt``."""
    value = sole_value(ctx, name)
    return dotted_name(value) if value is not None else None


def assigned_values(ctx: FileContext, name: str, at: cst.CSTNode) -> list[cst.BaseExpression]:
    """The values that the file gives to ``args.device``, or the class around ``at`` to ``self.device``."""
    assigns = [ctx.tree.parent(target) for target in targets_named(ctx, name)]
    assigns += [one for one in ctx.tree.of_type(cst.AnnAssign) if dotted_name(one.target) == name]
    owner = class_of(ctx, at) if name.startswith("self.") else None
    here = [one for one in assigns if one is not None and (owner is None or class_of(ctx, one) is owner)]
    return [one.value for one in here if isinstance(one, (cst.Assign, cst.AnnAssign)) and one.value is not None]


def _may_be_none(ctx: FileContext, value: cst.BaseExpression) -> bool:
    device = device_value(ctx, value)
    return is_none(value) or (device is not None and may_be_none(device))
