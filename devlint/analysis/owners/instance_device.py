"""The device that an instance keeps: ``self.device``."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.devices.used_devices import is_asked_otherwise
from devlint.analysis.devices.which_device import DeviceValue
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import (
    bases,
    class_of,
    classes_named,
    has_device_by_base,
    instance_name,
    is_module,
    method_of,
    methods_named,
    self_name,
)
from devlint.analysis.names.control_flow import statements_above
from devlint.analysis.names.old_lightning import is_for_old_lightning
from devlint.analysis.names.resolution import attributes_named, targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.before_placement import runs_before_move, runs_where_init_moved
from devlint.analysis.owners.device_attributes import is_read_above
from devlint.analysis.owners.device_properties import (
    device_properties,
    is_device_of_parameter,
    is_no_gpu,
    may_give_device,
)
from devlint.analysis.owners.early_methods import may_return, may_run_first, names_before
from devlint.analysis.owners.inherited_device import ALL_METHODS, inherited_device
from devlint.analysis.owners.initializers import initializes_base
from devlint.analysis.owners.kept_options import device_of_kept_options
from devlint.analysis.owners.moved_parts import places_itself
from devlint.analysis.owners.steady_device import keeps_device
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_by_instances, set_from_outside
from devlint.analysis.project.classes import imported_family, inherits
from devlint.analysis.slots.kept_devices import assigns, device_set_in, kept_device
from devlint.analysis.tensors.module_meetings import meets_module
from devlint.syntax.file_context import FileContext, fact_of
from devlint.torch_api.device_naming import LIGHTNING, holds_options


def instance_device(ctx: FileContext, at: cst.CSTNode) -> tuple[str, DeviceValue] | None:
    """``self.device`` where the class, or a known base of it, has one at ``at``."""
    definition, method = class_of(ctx, at), method_of(ctx, at)
    instance = instance_name(ctx, definition, method) if definition is not None and method is not None else None
    if definition is None or method is None or instance is None or _rebinds(ctx, method, instance, at):
        return None
    if method.name.value == "device":
        return None
    expression = f"{instance}.device"
    of_class = (one for one in attributes_named(ctx, "device") if class_of(ctx, one) is definition)
    if any(is_asked_otherwise(ctx, one) for one in of_class if dotted_name(one) == expression):
        return None
    is_placed = _is_placed(ctx, definition, method, instance)
    own = [definition, *classes_named(ctx, bases(ctx, definition))]
    if device_properties(ctx, own):
        of_parameter = is_device_of_parameter(ctx, own)
        if not is_placed or not may_give_device(ctx, own):
            return None
        if is_module(ctx, definition) and not is_read_above(ctx, expression, at, method):
            if (of_parameter and not _has_parts(ctx, own)) or not meets_module(ctx, at):
                return None
        return expression, DeviceValue(False if of_parameter else None)
    if has_device_by_base(ctx, definition) and method.name.value != "__init__":
        is_moved = is_placed and not runs_where_init_moved(ctx, definition, method)
        return (expression, DeviceValue(False)) if is_moved else None
    return (
        _kept_from_init(ctx, definition, method, at, expression)
        or _assigned_above(ctx, definition, method, at, expression)
        or _set_by_another_method(ctx, definition, method, at, expression)
        or _inherited(ctx, definition, method, at, expression)
        or device_of_kept_options(ctx, definition, instance, at)
    )


def _has_parts(ctx: FileContext, family: Sequence[cst.ClassDef]) -> bool:
    """Whether a module makes parts, so that it has a first parameter; others may give them to it."""
    inits = [init for owner in family for init in methods_named(ctx, owner, "__init__")]
    assigns = (one for init in inits for one in ctx.tree.below(init.body) if isinstance(one, cst.Assign))
    made = (one for one in assigns if isinstance(one.value, cst.Call))
    return not inits or any(isinstance(one.targets[0].target, cst.Attribute) for one in made)


def _is_placed(ctx: FileContext, definition: cst.ClassDef, method: cst.FunctionDef, instance: str) -> bool:
    """Whether an instance that is asked for its device is where it will be: not in what ``__init__`` does or calls."""
    return not runs_before_move(ctx, definition, method) and not places_itself(ctx, method, instance)


def _inherited(
    ctx: FileContext, definition: cst.ClassDef, method: cst.FunctionDef, at: cst.CSTNode, expression: str
) -> tuple[str, DeviceValue] | None:
    """``self.device`` of a base in another file of the project, where ``__init__`` of that base has run at ``at``."""
    family = [definition, *classes_named(ctx, bases(ctx, definition))]
    if any(_assigned(ctx, owner, expression) or methods_named(ctx, owner, "device") for owner in family):
        return None
    if not is_read_above(ctx, expression, at, method) and not keeps_device(ctx, definition):
        return None
    families = [imported_family(project_around(ctx), name) for name in bases(ctx, definition)]
    found = next((one for one in (inherited_device(two) for two in families if two is not None) if one), None)
    if found is None or (not found.by_property and not found.early.isdisjoint((method.name.value, ALL_METHODS))):
        return None
    others = [name for two in families if two is not None for name in two.others]
    if found.by_property and any(name.endswith(LIGHTNING) for name in others) and is_for_old_lightning(ctx):
        return None
    instance = expression.partition(".")[0]
    if found.by_property and not _is_placed(ctx, definition, method, instance):
        return None
    for init in (one for owner in family for one in methods_named(ctx, owner, "__init__")):
        call, used_before = _base_call(ctx, init)
        if call is None or (init is method and ctx.span(call).end > ctx.span(at).start):
            return None
        if method.name.value in used_before:
            return None
    known = found.device
    replaced = found.giver is not None and any(methods_named(ctx, owner, found.giver) for owner in family)
    is_string = None if replaced else known.is_string
    is_certain = found.flag and not replaced and _is_kept(ctx, definition, family, f"{instance}.{found.flag}")
    condition = f"{instance}.{found.flag}" if is_certain else None
    if found.by_flag and not is_certain:
        return None
    return expression, DeviceValue(is_string, index=known.index, condition=condition)


def _is_kept(ctx: FileContext, definition: cst.ClassDef, family: Sequence[cst.ClassDef], dotted: str) -> bool:
    """Whether an attribute that a base in another file sets has that value in an instance for good."""
    project, attribute = project_around(ctx), dotted.rpartition(".")[2]
    outside = set_from_outside(project, attribute)
    if outside is None or any(_assigned(ctx, owner, dotted) for owner in family):
        return False
    if not all(one.of_parsed or holds_options(one.owner.rpartition(".")[2]) for one in outside):
        return False
    others = set_by_instances(project, attribute)
    name = definition.name.value
    return others is not None and not any(inherits(project, one.in_class, one.path, name) for one in others)


def _rebinds(ctx: FileContext, method: cst.FunctionDef, instance: str, at: cst.CSTNode) -> bool:
    """Whether the name of the instance may stand for something else at ``at``."""
    scope = scopes(ctx).opened_by(method)
    return scopes(ctx).binder(instance, at) is not scope or len(scope.bindings[instance]) > 1


def _kept_from_init(
    ctx: FileContext, definition: cst.ClassDef, method: cst.FunctionDef, at: cst.CSTNode, expression: str
) -> tuple[str, DeviceValue] | None:
    """``self.device`` that ``__init__`` sets, where the method reads it anyway, or every instance keeps it."""
    found = _assigned_in_init(ctx, definition, method, at, expression)
    if found is None or method.name.value == "__init__" or is_read_above(ctx, expression, at, method):
        return found
    return found if keeps_device(ctx, definition) else None


def _assigned_in_init(
    ctx: FileContext, definition: cst.ClassDef, method: cst.FunctionDef, at: cst.CSTNode, expression: str
) -> tuple[str, DeviceValue] | None:
    """``self.device`` that ``__init__``, or one it calls first, sets: before ``at``, or before it calls the method."""
    family = [definition, *(one for one in classes_named(ctx, bases(ctx, definition)) if one is not definition)]
    called_before: set[str] = set()
    for index, owner in enumerate(family):
        init = next(iter(methods_named(ctx, owner, "__init__")), None)
        if init is None:
            continue
        if not isinstance(init.body, cst.IndentedBlock):
            return None
        statement, value, early = _device_in(ctx, init)
        if statement is None and not _assigned(ctx, owner, expression):
            statement, early = _base_call(ctx, init)
        if statement is None or (init is method and ctx.span(statement).end > ctx.span(at).start):
            return None
        called_before |= early
        if value is not None:
            setters = family if index else [definition]
            given = (one for setter in setters for one in _assigned(ctx, setter, expression))
            if any(is_no_gpu(ctx, one) and not ctx.tree.is_around(statement, one) for one in given):
                return None
            return None if may_run_first(ctx, definition, method, called_before) else (expression, value)
    return None


def _base_call(ctx: FileContext, init: cst.FunctionDef) -> tuple[cst.CSTNode | None, frozenset[str]]:
    """The statement of an ``__init__`` that calls that of a base, and the names used before."""
    for index, statement in enumerate(init.body.body):
        if initializes_base(statement):
            return statement, names_before(ctx, init, init.body.body[:index])
    return None, frozenset()


def _assigned_above(
    ctx: FileContext, definition: cst.ClassDef, method: cst.FunctionDef, at: cst.CSTNode, expression: str
) -> tuple[str, DeviceValue] | None:
    """``self.device`` where the method itself gives it a device above ``at``, and nothing else in the class another."""
    targets = [one for one in targets_named(ctx, expression) if class_of(ctx, one) is definition]
    lines = statements_above(ctx, at, method)
    smalls = [small for line in lines if isinstance(line, cst.SimpleStatementLine) for small in line.body]
    given = [one.value for one in smalls if isinstance(one, cst.Assign) and assigns(one, expression)]
    if len(given) != 1 or len(targets) != 1 or scopes(ctx).function_of(at) is not method:
        return None
    value = kept_device(ctx, expression, given[0])
    return (expression, value) if value is not None else None


def _set_by_another_method(
    ctx: FileContext, definition: cst.ClassDef, method: cst.FunctionDef, at: cst.CSTNode, expression: str
) -> tuple[str, DeviceValue] | None:
    """``self.device`` that one other method alone gives a device, where this one reads it before ``at``."""
    targets = [one for one in targets_named(ctx, expression) if class_of(ctx, one) is definition]
    assign = ctx.tree.parent(targets[0]) if len(targets) == 1 else None
    setter = scopes(ctx).function_of(assign) if isinstance(assign, cst.Assign) else None
    if (
        not isinstance(assign, cst.Assign)
        or setter in (None, method)
        or not is_read_above(ctx, expression, at, method, or_with=True)
    ):
        return None
    value = kept_device(ctx, expression, assign.value)
    return (expression, value) if value is not None else None


_Init = tuple[cst.CSTNode | None, DeviceValue | None, frozenset[str]]


@fact_of
def _device_in(ctx: FileContext, init: cst.FunctionDef) -> _Init:
    """What first gives ``self.device`` a value at the top of an ``__init__``, the value, and the names used before."""
    nothing: _Init = (None, None, frozenset())
    name = f"{self_name(init)}.device"
    for index, statement in enumerate(init.body.body):
        found = device_set_in(ctx, statement, name)
        if found is not None:
            above = init.body.body[:index]
            is_certain = found[1] is not None and not may_return(ctx, above)
            return (*found, names_before(ctx, init, above)) if is_certain else nothing
    return nothing


def _assigned(ctx: FileContext, definition: cst.ClassDef, expression: str) -> list[cst.BaseExpression]:
    """Every value that the methods of a class give to the attribute."""
    targets = targets_named(ctx, expression)
    inside = (one for one in targets if any(up is definition for up in ctx.tree.ancestors(one)))
    assigns = dict.fromkeys(ctx.tree.parent(one) for one in inside)
    return [one.value for one in assigns if isinstance(one, cst.Assign)]
