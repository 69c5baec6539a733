"""Calls of ``torch.load``, and what the program does with what they load."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.checkpoints.closed_projects import is_closed
from devlint.analysis.checkpoints.given_modules import is_given_modules
from devlint.analysis.checkpoints.made_entries import entries_made
from devlint.analysis.checkpoints.made_modules import copies_as_torch_does, is_made_by_project
from devlint.analysis.checkpoints.own_loads import made_for_part, may_keep_state, nothing_keeps_states
from devlint.analysis.checkpoints.state_flow import takers_of_parameter
from devlint.analysis.checkpoints.state_reads import is_copied_into
from devlint.analysis.checkpoints.used_modules import is_put_on_device, is_used_as_module
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import (
    bases,
    class_of,
    classes_named,
    is_module,
    method_of,
    methods_named,
    self_name,
)
from devlint.analysis.names.reaching_definitions import reaching_values
from devlint.analysis.names.resolution import bindings, origin, uses_of
from devlint.analysis.names.scopes import bound_values
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.classes import defined_method, imported_family
from devlint.analysis.project.overrides import classes_with_method, may_inherit
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.analysis.transfers.to_calls import Transfer, transfer
from devlint.syntax.file_context import FileContext
from devlint.torch_api.module_makers import LOADS_AS_TORCH, MAKES_MODULES
from devlint.torch_api.moves import RETURNS_MODULE

_LOAD = "load_state_dict"
_MOST_CALLS = 3
"""Through how many calls what takes a state is followed."""


def transfer_of_loaded(ctx: FileContext, call: cst.Call) -> Transfer | None:
    """The move of ``torch.load(f).to(device)``."""
    method = ctx.tree.parent(call)
    above = ctx.tree.parent(method) if isinstance(method, cst.Attribute) else None
    return transfer(ctx, above) if isinstance(above, cst.Call) and above.func is method else None


def cuda_move_of_loaded(ctx: FileContext, call: cst.Call) -> cst.Call | None:
    """The call around ``torch.load(f)`` of ``torch.load(f).cuda()``, without a card."""
    method = ctx.tree.parent(call)
    above = ctx.tree.parent(method) if isinstance(method, cst.Attribute) else None
    move = cuda_move(ctx, above) if isinstance(above, cst.Call) and above.func is method else None
    return above if isinstance(above, cst.Call) and move is not None and move.device is None else None


def state_receivers(ctx: FileContext, call: cst.Call) -> list[cst.BaseExpression]:
    """The objects whose ``load_state_dict`` takes what ``call`` loads."""
    name = _name(ctx, call)
    uses = [call, *(_uses(ctx, name) or [] if name is not None else [])]
    return [found for found in (state_receiver(ctx, one) for one in uses) if found is not None]


def state_receiver(ctx: FileContext, node: cst.CSTNode) -> cst.BaseExpression | None:
    """``model`` in ``model.load_state_dict(node["model"])``."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, cst.Subscript) and parent.value is child:
            continue
        if isinstance(parent, cst.Attribute) and parent.attr.value == "state_dict":
            continue
        if isinstance(parent, cst.Call) and parent.func is child and not parent.args:
            continue
        if not isinstance(parent, cst.Arg):
            return None
        taken = ctx.tree.parent(parent)
        if not isinstance(taken, cst.Call) or not isinstance(taken.func, cst.Attribute) or taken.args[0] is not parent:
            return None
        assigns = any(arg.star or (arg.keyword is not None and arg.keyword.value == "assign") for arg in taken.args)
        return taken.func.value if taken.func.attr.value == _LOAD and not assigns else None
    return None


def copies_state(ctx: FileContext, taker: cst.BaseExpression) -> bool:
    """Whether ``taker.load_state_dict`` is that of nn.Module or torch.optim, which copy into existing tensors.

    So it is where every value of ``taker`` is known, or the program uses it as a module and has no other way to load.
    """
    return is_copied_into(ctx, taker) or _is_copier(ctx, taker, _MOST_CALLS)


def _is_copier(ctx: FileContext, taker: cst.BaseExpression, calls: int) -> bool:
    """The same, through so many calls of functions that have it as a parameter."""
    dotted = dotted_name(taker)
    if dotted is None:
        return (
            (isinstance(taker, cst.Call) and _is_torchs(ctx, taker, ""))
            or nothing_keeps_states(ctx)
            or entries_made(ctx, taker, lambda one: _is_torchs(ctx, one, "") or is_made_by_project(ctx, one))
        )
    if _is_known(ctx, taker, dotted) or is_used_as_module(ctx, dotted, taker):
        return True
    if may_keep_state(ctx, taker, dotted):
        return False
    if is_closed(ctx) or _may_be_torchs(ctx, taker, dotted) or _is_always_made(ctx, taker, dotted):
        return True
    if _is_made_as_part(ctx, taker, dotted):
        return True
    return calls > 0 and is_given_modules(ctx, taker, lambda at, given: _is_copier(at, given, calls - 1))


def may_stay_on_cpu(ctx: FileContext, taker: cst.BaseExpression, device: str) -> bool:
    """Whether nothing shows that a module of which nobody sees what made it is on a device, which it may not fit."""
    dotted = dotted_name(taker) or ""
    if _is_known(ctx, taker, dotted) or is_put_on_device(ctx, dotted, taker):
        return False
    beside = f"{dotted.partition('.')[0]}."
    return not (beside in dotted and device.startswith(beside))


def _is_known(ctx: FileContext, taker: cst.BaseExpression, dotted: str) -> bool:
    """Whether all values of what takes a state are torch's own, or of classes that load it as torch's do."""
    definition, method = class_of(ctx, taker), method_of(ctx, taker)
    if definition is not None and method is not None and dotted == self_name(method):
        return _is_plain_module(ctx, definition) and not _may_be_overridden(ctx, definition)
    values = reaching_values(ctx, dotted, taker)
    return bool(values) and all(_is_torchs(ctx, one, dotted) for one in values)


def _may_be_torchs(ctx: FileContext, taker: cst.BaseExpression, dotted: str) -> bool:
    """Whether one value of a name is torch's own, and nothing is called for the others: ``model.optimizer``."""
    values = [(one, _is_torchs(ctx, one, dotted)) for one in bound_values(ctx, dotted, taker)]
    return any(known for _, known in values) and all(known or not isinstance(one, cst.Call) for one, known in values)


def _is_always_made(ctx: FileContext, taker: cst.BaseExpression, dotted: str) -> bool:
    """Whether all values of a name are what functions of the project return, who make modules and optimizers."""
    values = [one for one in bound_values(ctx, dotted, taker) if dotted_name(one) != dotted]
    return bool(values) and all(_is_torchs(ctx, one, dotted) or is_made_by_project(ctx, one) for one in values)


def _is_made_as_part(ctx: FileContext, taker: cst.BaseExpression, dotted: str) -> bool:
    """Whether the class of what it is a part of makes a module or an optimizer for it: ``net.encoder``."""
    made = made_for_part(ctx, dotted, taker)
    return bool(made) and all(one.startswith(MAKES_MODULES) for one in made)


def _is_torchs(ctx: FileContext, value: cst.BaseExpression, itself: str) -> bool:
    if isinstance(value, cst.IfExp):
        return all(_is_torchs(ctx, one, itself) for one in (value.body, value.orelse))
    if not isinstance(value, cst.Call):
        return dotted_name(value) == itself
    made = origin(ctx, value.func) or dotted_name(value.func) or ""
    if made.startswith(LOADS_AS_TORCH):
        return True
    if isinstance(value.func, cst.Attribute) and value.func.attr.value in RETURNS_MODULE:
        inner = value.func.value
        return dotted_name(inner) == itself or _is_torchs(ctx, inner, itself)
    _, found = bindings(ctx, made, value)
    classes = [one.node for one in found if one.how is How.CLASS and isinstance(one.node, cst.ClassDef)]
    if classes:
        return len(classes) == len(found) and all(_is_plain_module(ctx, one) or _hands_on(ctx, one) for one in classes)
    family = imported_family(project_around(ctx), made) if "." in made else None
    return family is not None and copies_as_torch_does(family)


def _is_plain_module(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a class of this file is an nn.Module, and neither it nor a base has its own way to load a state."""
    own = [definition, *classes_named(ctx, bases(ctx, definition))]
    if not is_module(ctx, definition) or any(methods_named(ctx, one, _LOAD) for one in own):
        return False
    families = (imported_family(project_around(ctx), name) for name in bases(ctx, definition) if "." in name)
    return not any(one is not None and defined_method(one, _LOAD) is not None for one in families)


def _hands_on(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a class of this file gives the state that it loads to torch's modules and optimizers, and no more."""
    methods = methods_named(ctx, definition, _LOAD)
    given = [one.name.value for one in methods[0].params.params[1:]] if len(methods) == 1 else []
    takers = takers_of_parameter(ctx, methods[0], given[0]) if len(given) == 1 else []
    return bool(takers) and all(copies_state(ctx, one) for one in takers)


def _may_be_overridden(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a class that inherits from this one may have its own way to load a state."""
    if any(methods_named(ctx, one, _LOAD) for one in ctx.tree.of_type(cst.ClassDef)):
        return True
    project = project_around(ctx)
    return may_inherit(project, classes_with_method(project, _LOAD), definition.name.value)


def _name(ctx: FileContext, call: cst.Call) -> cst.Name | None:
    """``state`` of the statement ``state = torch.load(f)`` or ``state = torch.load(f)["model"]``."""
    statement = ctx.tree.parent(call)
    while isinstance(statement, cst.Subscript):
        statement = ctx.tree.parent(statement)
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0].target
    return target if isinstance(target, cst.Name) else None


def _uses(ctx: FileContext, name: cst.Name) -> list[cst.Name] | None:
    """The reads of a name that is bound once; None where it may be read elsewhere."""
    scope, found = bindings(ctx, name.value, name)
    if scope is None or scope.is_class or sum(one.how is not How.DELETE for one in found) != 1:
        return None
    return [one for one in uses_of(ctx, scope, name.value) if one is not name]
