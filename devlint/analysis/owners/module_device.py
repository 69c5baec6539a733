"""The device of an nn.Module: of a tensor that its method is given, or of its own parameters."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import libcst as cst

from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, instance_name, is_module, method_of, methods_named, self_name
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import bindings, origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.before_placement import runs_before_move
from devlint.analysis.owners.module_layers import is_only_handed_on, layers_of_tensors, places_layers, weight_made
from devlint.analysis.tensors.tensor_values import is_tensor_input, leaves_device
from devlint.syntax.file_context import FileContext
from devlint.torch_api.moves import KEEPS_MODULE, MOVES, MOVES_ANYWHERE, are_conversion

_CHOICES = (cst.IfExp, cst.BooleanOperation, cst.BaseComp, cst.Lambda)
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
    if found is None:
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
        if any(
            one.how not in (How.PARAMETER, How.ASSIGN) or leaves_device(ctx, one.value) for one in scope.bindings[name]
        ):
            continue
        if _is_input(ctx, parameter, method, instance) and _is_given(ctx, parameter, method, at):
            if not moves_parameter(ctx, name, method) and not _moves_parameter_itself(ctx, name, at):
                return f"{name}.device"
    return None


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
            if _only_converts(ctx, call):
                continue
            if any(isinstance(one, cst.Name) and one.value == name for one in ctx.tree.below(call.func.value)):
                if not _only_asks_size(ctx, name, call.func.value):
                    return True
    return False


def _only_converts(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a move only names a type: ``x.to(dtype)``, ``x.to(torch.float16)``."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "to":
        return False
    given = [ctx.text_of(arg.value) for arg in call.args if arg.keyword is None]
    return are_conversion(given, [arg.keyword.value for arg in call.args if arg.keyword is not None])


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
    if found is None or _moves_module(ctx, found[1], found[2]) or _is_kept(ctx, at, found[1], found[2]):
        return None
    definition, _, instance = found
    if _moves_new_object(ctx, at) or _moves_part(ctx, at, instance) or places_layers(ctx, definition):
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


def _moves_module(ctx: FileContext, method: cst.FunctionDef, instance: str) -> bool:
    """Whether a method moves the module or a part of it, so that its weights may not be where they will be."""
    moved = _moved_parts(ctx, method, instance, MOVES_ANYWHERE)
    return any(name == instance or isinstance(ctx.tree.parent(last), cst.Expr) for name, last in moved)


def places_itself(ctx: FileContext, method: cst.FunctionDef, instance: str) -> bool:
    """Whether a method moves the instance or a part of it for good, so that its device may not be the program's before.

    ``self.net.cuda().eval()`` and ``self.net = self.net.cuda()`` do.
    """
    for name, last in _moved_parts(ctx, method, instance, MOVES):
        parent = ctx.tree.parent(last)
        if name == instance or isinstance(parent, cst.Expr):
            return True
        if isinstance(parent, cst.Assign) and method.name.value != "forward":
            if any(dotted_name(one.target) == name for one in parent.targets):
                return True
    return False


def _moved_parts(
    ctx: FileContext, method: cst.FunctionDef, instance: str, moves: Collection[str]
) -> Iterator[tuple[str, cst.CSTNode]]:
    """What a method moves of the instance, each with the last call on it: ``eval`` of ``self.net.cuda().eval()``."""
    for call in ctx.tree.below(method.body):
        if (
            not isinstance(call, cst.Call)
            or not isinstance(call.func, cst.Attribute)
            or call.func.attr.value not in moves
        ):
            continue
        moved = dotted_name(same_module(call.func.value)) or ""
        if moved.partition(".")[0] == instance and not _only_converts(ctx, call):
            yield moved, _end_of_chain(ctx, call)


def same_module(node: cst.BaseExpression) -> cst.BaseExpression:
    """The module that methods are called on which give it back: ``net`` of ``net.half().eval()``."""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in KEEPS_MODULE:
        node = node.func.value
    return node


def _end_of_chain(ctx: FileContext, call: cst.CSTNode) -> cst.CSTNode:
    """The last of the methods that are called on the result of a call."""
    attribute = ctx.tree.parent(call)
    method = ctx.tree.parent(attribute) if isinstance(attribute, cst.Attribute) else None
    return _end_of_chain(ctx, method) if isinstance(method, cst.Call) and method.func is attribute else call
