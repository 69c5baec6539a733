"""Device slots of the project's own functions: arguments that only say where something is put."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, is_overridden, method_of, self_name
from devlint.analysis.names.resolution import making_call, origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.classes import method_of_class
from devlint.analysis.project.device_parameters import GivenDevice, parameter_at, placed_in_call
from devlint.analysis.project.module import Definition
from devlint.analysis.project.overrides import classes_with_method, may_inherit
from devlint.analysis.slots.certain_placements import surely_places
from devlint.analysis.tensors.tensor_values import attribute_values
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_device


def called_definition(ctx: FileContext, function: cst.BaseExpression) -> Definition | None:
    """The function, class or method of the project that is called, in whichever file it is."""
    named = _named(ctx, function)
    return _method(ctx, function) if named is None and isinstance(function, cst.Attribute) else named


def _named(ctx: FileContext, function: cst.BaseExpression) -> Definition | None:
    """What a file's import or a name of its module stands for."""
    imported = origin(ctx, function)
    if imported is not None:
        return project_around(ctx).imported(imported)
    table = scopes(ctx)
    if not isinstance(function, cst.Name) or table.binder(function.value, function) is not table.module:
        return None
    return _of_own_module(ctx, function.value)


def _of_own_module(ctx: FileContext, name: str) -> Definition | None:
    module = own_module(ctx)
    if module is None or len(module.bindings.get(name, ())) != 1:
        return None
    return project_around(ctx).index.resolve(module, name)


def _method(ctx: FileContext, function: cst.Attribute) -> Definition | None:
    """The method of the instance itself, of its only base, or of an instance that the file makes: a project's class."""
    name = function.attr.value
    definition, method = class_of(ctx, function), method_of(ctx, function)
    if definition is not None and isinstance(function.value, cst.Call) and dotted_name(function.value.func) == "super":
        owner = _named(ctx, definition.bases[0].value) if len(definition.bases) == 1 else None
    elif definition is not None and method is not None and dotted_name(function.value) == self_name(method):
        is_sole = ctx.tree.parent(definition) is ctx.module and not _may_be_overridden(ctx, definition, name)
        owner = _of_own_module(ctx, definition.name.value) if is_sole else None
    else:
        made = maker(ctx, function.value)
        owner = _named(ctx, made) if made is not None else None
    if owner is None or not isinstance(owner.node, ast.ClassDef):
        return None
    return method_of_class(project_around(ctx).index, owner, name)


def _may_be_overridden(ctx: FileContext, definition: cst.ClassDef, method: str) -> bool:
    """Whether a class that inherits from one of this file may have another method of this name."""
    if is_overridden(ctx, definition, method):
        return True
    project = project_around(ctx)
    return may_inherit(project, classes_with_method(project, method), definition.name.value)


def maker(ctx: FileContext, receiver: cst.CSTNode) -> cst.BaseExpression | None:
    """What is called to make an expression, here or as the only value of a name, or of ``self.x`` in its class."""
    values = attribute_values(ctx, receiver) if isinstance(receiver, cst.Attribute) else [receiver]
    made = making_call(ctx, values[0]) if len(values) == 1 else None
    return made.func if made is not None else None


def _is_configured(ctx: FileContext, call: cst.Call, keyword: str | None, position: int) -> bool:
    """Whether the configuration says that an argument of a call is a device."""
    if not ctx.target.slots:
        return False
    names = [origin(ctx, call.func), dotted_name(call.func)]
    made = maker(ctx, call.func.value) if isinstance(call.func, cst.Attribute) else None
    if made is not None and isinstance(call.func, cst.Attribute):
        names.append(f"{origin(ctx, made) or dotted_name(made)}.{call.func.attr.value}")
    meant = [one for one in ctx.target.slots if any(map(one.is_called, names))]
    return any(keyword == one.parameter if keyword is not None else position == one.position for one in meant)


class ProjectSlot(Record, eq=False):
    """The device slot of a call of the project's own function, or of one that the configuration names."""

    call: cst.Call
    as_string: bool
    """Whether only another string can be given in place of a string: the callee does more with it than to place."""


def project_slot(ctx: FileContext, node: cst.CSTNode) -> ProjectSlot | None:
    """The device slot in which a value stands: of a function of the project, or of one that is configured."""
    arg = ctx.tree.parent(node)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call) or not isinstance(arg, cst.Arg) or arg.star:
        return None
    keyword = arg.keyword.value if arg.keyword is not None else None
    position = next(at for at, one in enumerate(call.args) if one is arg)
    if keyword is None and any(one.star for one in call.args[:position]):
        return None
    if _is_configured(ctx, call, keyword, position):
        return ProjectSlot(call, False)
    if keyword is not None and not holds_device(keyword):
        return None
    definition = called_definition(ctx, call.func)
    if definition is None:
        return None
    for given in (GivenDevice.DEVICE, GivenDevice.STRING):
        if placed_in_call(project_around(ctx).index, definition, keyword, position, given):
            return ProjectSlot(call, given is GivenDevice.STRING)
    index = project_around(ctx).index
    name = keyword if keyword is not None else parameter_at(index, definition, position)
    is_sure = name is not None and holds_device(name) and surely_places(index, definition, name)
    return ProjectSlot(call, as_string=True) if is_sure else None
