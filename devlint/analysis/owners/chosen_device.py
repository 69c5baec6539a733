"""Devices that may be the CPU by choice: ``self.device`` that ``__init__`` chooses, ``model.device`` of a parameter."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.devices.used_devices import names_used_as_device
from devlint.analysis.devices.which_device import DeviceValue, may_be_none
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, method_of, methods_named, self_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.device_attributes import is_read_above
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_options

_MOVES = frozenset({"cuda", "cpu", "to", "device"})


def chosen_device(ctx: FileContext, at: cst.CSTNode) -> tuple[str, DeviceValue] | None:
    """``self.device`` where ``__init__`` of the class has certainly given it a device, whichever, before ``at``."""
    definition, method = class_of(ctx, at), method_of(ctx, at)
    instance = self_name(method) if method is not None else None
    init = next(iter(methods_named(ctx, definition, "__init__")), None) if definition is not None else None
    if method is None or instance is None or init is None or init is method or self_name(init) != instance:
        return None
    scope = scopes(ctx).opened_by(method)
    if scopes(ctx).binder(instance, at) is not scope or len(scope.bindings[instance]) > 1:
        return None
    expression = f"{instance}.device"
    targets = [one for one in targets_named(ctx, expression) if class_of(ctx, one) is definition]
    assigns = [ctx.tree.parent(one) for one in targets]
    outside = set_from_outside(project_around(ctx), "device")
    if outside is None or any(not holds_options(one.owner.rpartition(".")[2]) for one in outside):
        return None
    if any(method_of(ctx, one) is not init for one in targets):
        return None
    values = [device_value(ctx, one.value) for one in assigns if isinstance(one, cst.Assign)]
    known = [one for one in values if one is not None and not may_be_none(one) and not one.caveat]
    if not known or len(known) < len(targets) or not _is_set_before(ctx, init, method, expression):
        return None
    kinds = {one.is_string for one in known}
    return expression, DeviceValue(kinds.pop() if len(kinds) == 1 else None)


def parameter_device(ctx: FileContext, at: cst.CSTNode) -> str | None:
    """``model.device`` of a parameter that a function does not move, and to which it moves something above ``at``."""
    function = scopes(ctx).function_of(at)
    scope = scopes(ctx).opened_by(function) if function is not None else None
    if function is None or scope is None:
        return None
    names = [one for one in names_used_as_device(ctx) if one.endswith(".device") and one.count(".") == 1]
    read = [one for one in names if is_read_above(ctx, one, at, function)]
    root = read[0].partition(".")[0] if len(read) == 1 else ""
    if [one.how for one in scope.bindings.get(root, ())] != [How.PARAMETER] or scopes(ctx).binder(
        root, at
    ) is not scope:
        return None
    calls = (one.func for one in ctx.tree.below(function) if isinstance(one, cst.Call))
    moves = (one.value for one in calls if isinstance(one, cst.Attribute) and one.attr.value in _MOVES)
    return read[0] if all((dotted_name(one) or "").partition(".")[0] != root for one in moves) else None


def _is_set_before(ctx: FileContext, init: cst.FunctionDef, method: cst.FunctionDef, expression: str) -> bool:
    """Whether a statement of ``__init__`` gives an attribute a value in every case, above all that names a method."""
    for statement in statements(init.body):
        if _sets(statement, expression):
            return True
        names = (one.value for one in ctx.tree.below(statement) if isinstance(one, cst.Name))
        if method.name.value in names or _leaves(ctx, statement):
            return False
    return False


def _leaves(ctx: FileContext, statement: cst.CSTNode) -> bool:
    return any(isinstance(one, cst.Return) for one in ctx.tree.below(statement))


def _sets(statement: cst.CSTNode, expression: str) -> bool:
    """Whether a statement gives an attribute a value, or raises an error, in every case."""
    if isinstance(statement, cst.SimpleStatementLine):
        given = [target for one in statement.body if isinstance(one, cst.Assign) for target in one.targets]
        return any(dotted_name(one.target) == expression for one in given)
    if not isinstance(statement, cst.If) or statement.orelse is None:
        return False
    other = statement.orelse
    branches = [statement.body, other.body if isinstance(other, cst.Else) else other]
    return all(_sets_or_raises(one, expression) for one in branches)


def _sets_or_raises(branch: cst.CSTNode, expression: str) -> bool:
    if isinstance(branch, cst.If):
        return _sets(branch, expression)
    lines = statements(branch)
    return any(_sets(one, expression) for one in lines) or bool(lines) and _raises(lines[-1])


def _raises(line: cst.CSTNode) -> bool:
    return isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[-1], cst.Raise)
