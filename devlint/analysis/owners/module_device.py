"""The device of an nn.Module: of a tensor that its method is given, or of its own parameters."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import (
    class_of,
    instance_name,
    is_module,
    method_of,
    methods_named,
    self_name,
)
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import bindings, origin, uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.owners.before_placement import runs_before_move
from devlint.analysis.owners.module_layers import (
    is_only_handed_on,
    layers_of_tensors,
    places_layers,
    places_some_layers,
    stays_tensor,
    weight_made,
)
from devlint.analysis.owners.moved_parts import is_in_parts, moves_module, moves_results, names_no_device, same_module
from devlint.analysis.tensors.tensor_values import is_tensor_input, is_used_as_tensor, leaves_device
from devlint.syntax.file_context import FileContext
from devlint.torch_api.moves import MOVES

_CHOICES = (cst.IfExp, cst.BooleanOperation, cst.BaseComp, cst.Lambda)
_MOST_STEPS = 12
_EXITS = (cst.Return, cst.Raise, cst.Break, cst.Continue)


def _module_method(ctx: FileContext, at: cst.CSTNode) -> tuple[cst.ClassDef, cst.FunctionDef, str] | None:
    """The nn.Module, method and name of the instance around ``at``, unless the module may still be incomplete."""
    definition, method = class_of(ctx, at), method_of(ctx, at)
    instance = instance_name(ctx, definition, method) if definition is not None and method is not None else None
    if definition is None or method is None or instance is None or not is_module(ctx, definition):
        return None
    return None if runs_before_move(ctx, definition, method) else (definition, method, instance)


def input_device(ctx: FileContext, at: cst.CSTNode) -> str | None:
    """``x.device`` for a tensor parameter that is passed to a part of the module and not moved by the method."""
    found = _module_method(ctx, at)
    if found is None or places_some_layers(ctx, found[0]) or is_in_parts(ctx, found[0]) or moves_results(ctx, found[1]):
        return None
    definition, method, instance = found
    table = scopes(ctx)
    scope = table.opened_by(method)
    named = {one.value for one in ctx.tree.below(at) if isinstance(one, cst.Name)}
    parameters = [*method.params.posonly_params, *method.params.params]
    for parameter in sorted(parameters, key=lambda one: one.name.value not in named):
        name = parameter.name.value
        if name == instance or table.binder(name, at) is not scope or parameter.default is not None:
            continue
        if not _stays_tensor(ctx, parameter, definition, at, instance):
            continue
        if _is_input(ctx, parameter, method, instance) and _is_given(ctx, parameter, method, at):
            if not moves_parameter(ctx, name, method) and not _moves_parameter_itself(ctx, name, at):
                return f"{name}.device"
    return None


def _stays_tensor(
    ctx: FileContext, parameter: cst.Param, definition: cst.ClassDef, at: cst.CSTNode, instance: str
) -> bool:
    """Whether a parameter that is a tensor is one at a place, by all that may have given it another value before."""
    name = parameter.name.value
    scope, found = bindings(ctx, name, at)
    plain = (one for one in found if one.how in (How.PARAMETER, How.ASSIGN) and not leaves_device(ctx, one.value))
    if scope is None or len([*plain]) < len(found):
        return False
    layers, others = layers_of_tensors(ctx, definition), [one for one in found if one.how is not How.PARAMETER]
    if parameter.annotation is not None or not others:
        return True
    reaching = (one for one in may_reach(ctx, scope, found, at) if one.how is not How.PARAMETER)
    return all(stays_tensor(ctx, one, instance, layers) for one in reaching) or _is_used_as_tensor(ctx, scope, name, at)


def _is_used_as_tensor(ctx: FileContext, scope: Scope, name: str, at: cst.CSTNode) -> bool:
    """Whether the function uses as a tensor what a name stands for at a place, there or elsewhere."""
    found = scope.bindings[name]
    reaching = {id(one) for one in may_reach(ctx, scope, found, at)}
    return any(
        is_used_as_tensor(ctx, use) and {id(one) for one in may_reach(ctx, scope, found, use)} == reaching
        for use in uses_of(ctx, scope, name)
    )


def _is_input(ctx: FileContext, parameter: cst.Param, method: cst.FunctionDef, instance: str) -> bool:
    """Whether a parameter is certainly a tensor, and passed to a part of the module."""
    name = parameter.name.value
    if is_tensor_input(ctx, parameter, method) and _is_passed_to_module(ctx, name, method, instance):
        return True
    return parameter.annotation is None and any(True for _ in _uses_in_layers(ctx, name, method, instance))


def _is_given(ctx: FileContext, parameter: cst.Param, method: cst.FunctionDef, at: cst.CSTNode) -> bool:
    """Whether a parameter is certainly no None at a place: by its annotation, or by a use whenever the place runs."""
    if parameter.annotation is not None:
        return not is_only_handed_on(ctx, method, parameter)
    scope, name = scopes(ctx).opened_by(method), parameter.name.value
    for use in uses_of(ctx, scope, name):
        if _needs_value(ctx, use) and _runs_with(ctx, use, at, method):
            if all(one.how is How.PARAMETER for one in may_reach(ctx, scope, scope.bindings[name], use)):
                return True
    return False


def _needs_value(ctx: FileContext, use: cst.CSTNode) -> bool:
    """Whether a use fails with None: ``x.shape``, ``x[0]``, ``x + 1``, ``self.layer(x)``."""
    parent = ctx.tree.parent(use)
    if isinstance(parent, (cst.Attribute, cst.Subscript)):
        return parent.value is use
    return isinstance(parent, (cst.Arg, cst.BinaryOperation))


def _runs_with(ctx: FileContext, use: cst.CSTNode, at: cst.CSTNode, method: cst.FunctionDef) -> bool:
    """Whether an expression is evaluated whenever a place in the same method is reached, before or after it."""
    around = {id(at), *(id(one) for one in ctx.tree.ancestors(at))}
    for child, parent in ctx.tree.path_up(use):
        if id(child) in around:
            break
        is_test = isinstance(parent, (cst.If, cst.IfExp, cst.While)) and parent.test is child
        if isinstance(parent, (cst.BaseCompoundStatement, *_CHOICES)) and not is_test:
            if not isinstance(parent, cst.With):
                return False
    first, last = ctx.span(at).end, ctx.span(use).start
    exits = (one for one in ctx.tree.below(method.body) if isinstance(one, _EXITS))
    return last < first or not any(
        first <= ctx.span(one).end and ctx.span(one).start < last and not ctx.tree.is_around(one, use) for one in exits
    )


def _uses_in_layers(ctx: FileContext, name: str, method: cst.FunctionDef, instance: str) -> Iterator[cst.Name]:
    """The uses of a parameter as it was given, as the input of a layer that takes nothing but tensors."""
    scope, definition = scopes(ctx).opened_by(method), class_of(ctx, method.body)
    layers = layers_of_tensors(ctx, definition) if definition is not None else frozenset()
    for use in uses_of(ctx, scope, name) if layers else ():
        arg = ctx.tree.parent(use)
        call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
        if not isinstance(call, cst.Call) or call.args[0] is not arg or arg.keyword is not None or arg.star:
            continue
        owner, _, attribute = (dotted_name(call.func) or "").partition(".")
        if owner == instance and attribute in layers and scopes(ctx).scope_of(use) is scope:
            if all(one.how is How.PARAMETER for one in may_reach(ctx, scope, scope.bindings[name], use)):
                yield use


def _is_passed_to_module(ctx: FileContext, name: str, method: cst.FunctionDef, instance: str) -> bool:
    """Whether a parameter is passed to a part of the module: there it must be on the module's device."""
    for call in ctx.tree.below(method.body):
        if isinstance(call, cst.Call) and (dotted_name(call.func) or "").startswith(f"{instance}."):
            given = [index for index, arg in enumerate(call.args) if dotted_name(arg.value) == name]
            if given and not any(_is_moved_by(ctx, call, instance, index) for index in given):
                return True
    return False


def _is_moved_by(ctx: FileContext, call: cst.Call, instance: str, index: int) -> bool:
    """Whether a call is of a method of the class that moves this argument, which may then be on another device."""
    owner, _, called = (dotted_name(call.func) or "").partition(".")
    definition = class_of(ctx, call) if owner == instance else None
    for method in methods_named(ctx, definition, called) if definition is not None else ():
        parameters = [*method.params.posonly_params, *method.params.params][self_name(method) is not None :]
        keyword = call.args[index].keyword
        named = keyword.value if keyword is not None else None
        if named is None and index < len(parameters):
            named = parameters[index].name.value
        if named is None or moves_parameter(ctx, named, method):
            return True
    return False


def moves_parameter(ctx: FileContext, name: str, method: cst.FunctionDef) -> bool:
    """Whether the method moves a parameter, which may then arrive on another device."""
    for call in ctx.tree.below(method.body):
        if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and call.func.attr.value in MOVES:
            if names_no_device(ctx, call):
                continue
            if any(isinstance(one, cst.Name) and one.value == name for one in ctx.tree.below(call.func.value)):
                if not _only_asks_size(ctx, name, call.func.value):
                    return True
    return False


def _only_asks_size(ctx: FileContext, name: str, receiver: cst.CSTNode) -> bool:
    """Whether ``name`` stands in ``receiver`` only as ``name.size(...)`` or ``name.shape``."""
    for one in ctx.tree.below(receiver):
        if isinstance(one, cst.Name) and one.value == name:
            parent = ctx.tree.parent(one)
            if not (isinstance(parent, cst.Attribute) and parent.attr.value in ("size", "shape", "dim", "numel")):
                return False
    return True


def _moves_parameter_itself(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether what is moved at ``at`` is the parameter itself."""
    receiver = at.func.value if isinstance(at, cst.Call) and isinstance(at.func, cst.Attribute) else at
    named = any(isinstance(one, cst.Name) and one.value == name for one in ctx.tree.below(receiver))
    return named and not _only_asks_size(ctx, name, receiver)


def weight_device(ctx: FileContext, at: cst.CSTNode) -> str | None:
    """The device of a weight that ``__init__`` makes; unlike ``next(self.parameters())`` it exists in replicas, too."""
    found = _module_method(ctx, at)
    if found is None or moves_module(ctx, found[1], found[2]) or _is_kept(ctx, at, found[1], found[2]):
        return None
    definition, _, instance = found
    if _moves_new_object(ctx, at) or _moves_part(ctx, at, instance) or places_layers(ctx, definition):
        return None
    if is_in_parts(ctx, definition) or moves_results(ctx, found[1]):
        return None
    init = next(iter(methods_named(ctx, definition, "__init__")), None)
    if init is None or not isinstance(init.body, cst.IndentedBlock):
        return None
    for statement in init.body.body:
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                attribute = weight_made(ctx, small, definition)
                if attribute is not None:
                    return f"{instance}.{attribute}.device"
    return None


def _is_kept(ctx: FileContext, at: cst.CSTNode, method: cst.FunctionDef, instance: str) -> bool:
    """Whether a method that may run before the module is moved keeps what it makes, which is then not moved with it."""
    assign = next((one for one in ctx.tree.ancestors(at) if isinstance(one, (cst.Assign, cst.AnnAssign))), None)
    if assign is None or method.name.value == "forward":
        return False
    targets = [one.target for one in assign.targets] if isinstance(assign, cst.Assign) else [assign.target]
    names = (dotted_name(part) for one in targets for part in ctx.tree.below(one))
    return any(name is not None and name.startswith(f"{instance}.") for name in names)


def _moves_part(ctx: FileContext, at: cst.CSTNode, instance: str) -> bool:
    """Whether what is moved is kept by the module, such as a parameter that is moved each time for want of a move."""
    moved = at.func.value if isinstance(at, cst.Call) and isinstance(at.func, cst.Attribute) else None
    return moved is not None and (dotted_name(moved) or "").startswith(f"{instance}.")


def _moves_new_object(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether what is moved is an instance that this method makes: a module of its own, whatever holds it later."""
    moved = at.func.value if isinstance(at, cst.Call) and isinstance(at.func, cst.Attribute) else at
    root = same_module(moved) if isinstance(moved, cst.BaseExpression) else None
    values: list[cst.CSTNode | None] = [root]
    if isinstance(root, cst.Name):
        values += [one.value for one in bindings(ctx, root.value, root)[1]]
    return any(isinstance(one, cst.Call) and _makes_instance(ctx, one.func) for one in values)


def _makes_instance(ctx: FileContext, called: cst.BaseExpression) -> bool:
    """Whether what is called looks like a class, and none of torch's tensors."""
    known = origin(ctx, called) or dotted_name(called) or ""
    is_tensor = known.startswith("torch.") and (not known.startswith("torch.nn.") or known.endswith("Parameter"))
    return known.rpartition(".")[2][:1].isupper() and not is_tensor
