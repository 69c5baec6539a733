"""Whether a parameter of a module's method that is a tensor is certainly given one, and not None."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, classes_named, method_of, methods_named, self_name
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import bindings, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.module_layers import is_only_handed_on, layers_of_tensors
from devlint.analysis.slots.given.given_devices import given_to
from devlint.analysis.tensors.tensor_values import attribute_values, may_be_given_none
from devlint.syntax.file_context import FileContext

_CHOICES = (cst.IfExp, cst.BooleanOperation, cst.BaseComp, cst.Lambda)
_EXITS = (cst.Return, cst.Raise, cst.Break, cst.Continue)


def receives_value(ctx: FileContext, parameter: cst.Param, method: cst.FunctionDef, at: cst.CSTNode) -> bool:
    """Whether a parameter is certainly no None at a place: by its annotation, or by a use whenever the place runs.

    What is handed on, ``self.layer(x)``, may be None where the method, or one that it is handed to, asks for that, or
    where a caller gives None.
    """
    if parameter.annotation is not None:
        return not is_only_handed_on(ctx, method, parameter) and not _is_given_none(ctx, parameter, method)
    scope, name = scopes(ctx).opened_by(method), parameter.name.value
    handed_on = False
    for use in uses_of(ctx, scope, name):
        arg = ctx.tree.parent(use)
        if not (isinstance(arg, cst.Arg) or _needs_value(ctx, use)) or not _runs_with(ctx, use, at, method):
            continue
        if all(one.how is How.PARAMETER for one in may_reach(ctx, scope, scope.bindings[name], use)):
            if not isinstance(arg, cst.Arg):
                return True
            handed_on = handed_on or not _is_handed_to_who_asks(ctx, arg)
    return handed_on and not _may_be_left_out(ctx, parameter, method)


def _needs_value(ctx: FileContext, use: cst.CSTNode) -> bool:
    """Whether a use fails with None: ``x.shape``, ``x[0]``, ``x + 1``."""
    parent = ctx.tree.parent(use)
    if isinstance(parent, (cst.Attribute, cst.Subscript)):
        return parent.value is use
    return isinstance(parent, cst.BinaryOperation)


def _may_be_left_out(ctx: FileContext, parameter: cst.Param, function: cst.FunctionDef) -> bool:
    """Whether a function asks whether it is given a parameter at all, or a call gives None."""
    name = parameter.name.value
    if may_be_given_none(ctx, parameter) or any(dotted_name(one) == name for one in _truths(ctx, function)):
        return True
    return _is_given_none(ctx, parameter, function)


def _is_given_none(ctx: FileContext, parameter: cst.Param, function: cst.FunctionDef) -> bool:
    """Whether a call in the project gives None to a parameter."""
    if function.name.value == "forward":  # which nobody calls by that name
        return False
    return any(isinstance(one, ast.Constant) and one.value is None for _, one in given_to(ctx, function, parameter))


def _truths(ctx: FileContext, function: cst.FunctionDef) -> Iterator[cst.BaseExpression]:
    """What a function asks whether it is true, which no tensor with several elements can tell."""
    for one in ctx.tree.below(function.body):
        if isinstance(one, (cst.If, cst.IfExp)):
            yield one.test
        elif isinstance(one, cst.BooleanOperation):
            yield one.left
        elif isinstance(one, cst.UnaryOperation) and isinstance(one.operator, cst.Not):
            yield one.expression


def _is_handed_to_who_asks(ctx: FileContext, arg: cst.Arg) -> bool:
    """Whether an argument is one of a method of this class, or a function of this file, that may do without it."""
    call = ctx.tree.parent(arg)
    if not isinstance(call, cst.Call) or arg.star:
        return False
    for function in _called(ctx, call):
        plain = [*function.params.posonly_params, *function.params.params]
        is_bound = isinstance(call.func, cst.Attribute) and self_name(function) is not None
        position = next(index for index, one in enumerate(call.args) if one is arg) + is_bound
        every = [*plain, *function.params.kwonly_params]
        keyword = arg.keyword.value if arg.keyword is not None else None
        found = [one for one in every if one.name.value == keyword] if keyword else plain[position : position + 1]
        if any(may_be_given_none(ctx, one) for one in found):
            return True
    return False


def _called(ctx: FileContext, call: cst.Call) -> list[cst.FunctionDef]:
    """The functions of this file that a call may be of: ``step(x)``, ``self.step(x)``, of a module ``self.net(x)``."""
    if isinstance(call.func, cst.Name):
        nodes = [one.node for one in bindings(ctx, call.func.value, call.func)[1]]
        return [one for one in nodes if isinstance(one, cst.FunctionDef)]
    owner, _, called = (dotted_name(call.func) or "").partition(".")
    method, definition = method_of(ctx, call), class_of(ctx, call)
    if method is None or definition is None or owner != self_name(method) or not isinstance(call.func, cst.Attribute):
        return []
    own = list(methods_named(ctx, definition, called))
    made = [one.func for one in attribute_values(ctx, call.func) if isinstance(one, cst.Call)] if not own else []
    modules = classes_named(ctx, [dotted_name(one) or "" for one in made])
    return own or [one for module in modules for one in methods_named(ctx, module, "forward")]


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


def uses_in_layers(ctx: FileContext, name: str, method: cst.FunctionDef, instance: str) -> Iterator[cst.Name]:
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
