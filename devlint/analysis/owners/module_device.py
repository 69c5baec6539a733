"""The device of an nn.Module: of a tensor that its method is given, or of its own parameters."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.guards.changing_flags import is_set_by_name, is_target
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import (
    bases,
    class_of,
    instance_name,
    is_module,
    method_of,
    methods_named,
    self_name,
)
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import attributes_named, bindings, origin, uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.owners.before_placement import runs_before_move
from devlint.analysis.owners.given_tensors import receives_value, uses_in_layers
from devlint.analysis.owners.module_layers import (
    layers_of_tensors,
    places_layers,
    places_some_layers,
    stays_tensor,
    weight_made,
)
from devlint.analysis.owners.moved_parts import (
    is_in_parts,
    moved_attributes,
    moves_module,
    moves_results,
    names_no_device,
    same_module,
)
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_by_instances, set_from_outside
from devlint.analysis.project.classes import inherits
from devlint.analysis.tensors.module_meetings import meets_module
from devlint.analysis.tensors.tensor_uses import has_input_method, is_used_as_tensor
from devlint.analysis.tensors.tensor_values import is_tensor_input, leaves_device
from devlint.syntax.file_context import FileContext
from devlint.torch_api.moves import MOVES

_MOST_STEPS = 12


def _module_method(ctx: FileContext, at: cst.CSTNode) -> tuple[cst.ClassDef, cst.FunctionDef, str] | None:
    """The nn.Module, method and name of the instance around ``at``, unless that never meets what the module has there.

    Nor is the module where it will be before it is moved.
    """
    definition, method = class_of(ctx, at), method_of(ctx, at)
    instance = instance_name(ctx, definition, method) if definition is not None and method is not None else None
    if definition is None or method is None or instance is None or not is_module(ctx, definition):
        return None
    if runs_before_move(ctx, definition, method) or not meets_module(ctx, at):
        return None
    return definition, method, instance


def input_device(ctx: FileContext, at: cst.CSTNode) -> str | None:
    """``x.device`` for a tensor parameter that is passed to a part of the module and not moved by the method."""
    found = _module_method(ctx, at)
    if found is None or places_some_layers(ctx, found[0]) or is_in_parts(ctx, found[0]) or moves_results(ctx, found[1]):
        return None
    _, method, instance = found
    table = scopes(ctx)
    scope = table.opened_by(method)
    named = {one.value for one in ctx.tree.below(at) if isinstance(one, cst.Name)}
    parameters = [*method.params.posonly_params, *method.params.params]
    for parameter in sorted(parameters, key=lambda one: one.name.value not in named):
        name = parameter.name.value
        if name == instance or table.binder(name, at) is not scope or parameter.default is not None:
            continue
        if not _stays_tensor(ctx, parameter, method, at, instance):
            continue
        if _is_input(ctx, parameter, method, instance) and receives_value(ctx, parameter, method, at):
            if not moves_parameter(ctx, name, method) and not _moves_parameter_itself(ctx, name, at):
                return f"{name}.device"
    return None


def _stays_tensor(
    ctx: FileContext, parameter: cst.Param, method: cst.FunctionDef, at: cst.CSTNode, instance: str
) -> bool:
    """Whether a parameter that is a tensor is one at a place, by all that may have given it another value before.

    Where it is given one only further down, ``x = torch.stack(x)``, what is done with that one says nothing.
    """
    name = parameter.name.value
    scope, found = bindings(ctx, name, at)
    plain = (one for one in found if one.how in (How.PARAMETER, How.ASSIGN) and not leaves_device(ctx, one.value))
    if scope is None or len([*plain]) < len(found):
        return False
    definition = class_of(ctx, at)
    layers = layers_of_tensors(ctx, definition) if definition is not None else frozenset[str]()
    others = [one for one in found if one.how is not How.PARAMETER]
    if parameter.annotation is not None or not others:
        return True
    reaching = [one for one in may_reach(ctx, scope, found, at) if one.how is not How.PARAMETER]
    if reaching and all(stays_tensor(ctx, one, instance, layers) for one in reaching):
        return True
    in_layers = {id(one) for one in uses_in_layers(ctx, name, method, instance)} if not reaching else ()
    return any(
        id(use) in in_layers or is_used_as_tensor(ctx, use) or (not reaching and has_input_method(ctx, use))
        for use in _uses_of_the_same(ctx, scope, name, at)
    )


def _uses_of_the_same(ctx: FileContext, scope: Scope, name: str, at: cst.CSTNode) -> Iterator[cst.Name]:
    """The uses of a name, at a place or elsewhere in the function, where it has the value that it has there."""
    found = scope.bindings[name]
    reaching = {id(one) for one in may_reach(ctx, scope, found, at)}
    for use in uses_of(ctx, scope, name):
        if {id(one) for one in may_reach(ctx, scope, found, use)} == reaching:
            yield use


def _is_input(ctx: FileContext, parameter: cst.Param, method: cst.FunctionDef, instance: str) -> bool:
    """Whether a parameter is certainly a tensor, and passed to a part of the module."""
    name = parameter.name.value
    if is_tensor_input(ctx, parameter, method) and _is_passed_to_module(ctx, name, method, instance):
        return True
    return parameter.annotation is None and any(True for _ in uses_in_layers(ctx, name, method, instance))


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
    """Whether ``name`` stands in ``receiver`` only as ``name.size(...)``, ``name.shape`` or ``len(name)``."""
    for one in ctx.tree.below(receiver):
        if isinstance(one, cst.Name) and one.value == name:
            parent = ctx.tree.parent(one)
            call = ctx.tree.parent(parent) if isinstance(parent, cst.Arg) else None
            if isinstance(call, cst.Call) and dotted_name(call.func) == "len":
                continue
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
    lines = (one for one in init.body.body if isinstance(one, cst.SimpleStatementLine))
    made = [weight_made(ctx, small, definition) for one in lines for small in one.body]
    weights = [one for one in made if one is not None]
    if not moved_attributes(ctx, definition).isdisjoint(one.partition(".")[0] for one in weights):
        return None  # it may be on the CPU, for want of a move
    kept = (one for one in weights if not _may_be_replaced(ctx, one, definition))
    return next((f"{instance}.{one}.device" for one in kept), None)


def _may_be_replaced(ctx: FileContext, weight: str, definition: cst.ClassDef) -> bool:
    """Whether what has a weight gets another value: ``net.fc = nn.Identity()``, or one in a class that inherits."""
    project, attribute, name = project_around(ctx), weight.partition(".")[0], definition.name.value
    by_heirs = set_by_instances(project, attribute) or ()
    if set_from_outside(project, attribute) or is_set_by_name(ctx, attribute):
        return True
    targets = [one for one in attributes_named(ctx, attribute) if is_target(ctx, one)]
    outside = (one for one in targets if not ctx.tree.is_around(definition, one))
    return any(_may_be_of_heir(ctx, one, name) for one in outside) or any(
        inherits(project, one.in_class, one.path, name) for one in by_heirs
    )


def _may_be_of_heir(ctx: FileContext, attribute: cst.Attribute, name: str) -> bool:
    """Whether an attribute may be of an instance of the class ``name``, or of one that inherits from it."""
    method, around = method_of(ctx, attribute), class_of(ctx, attribute)
    is_own = method is not None and dotted_name(attribute.value) == self_name(method)
    return not is_own or around is None or name in bases(ctx, around)


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
