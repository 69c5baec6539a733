"""Whether what is moved may be None: without CUDA, ``if use_cuda: self.model.cuda()`` does nothing then."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import libcst as cst

from devlint.analysis.devices.none_devices import assigned_values, is_tested_for_none
from devlint.analysis.guards.guards import is_guarded
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.control_flow import index_in, statements, stops
from devlint.analysis.names.reaching_definitions import is_used_anyway, may_reach
from devlint.analysis.names.resolution import attributes_named, bindings, implies_not_none, is_none, targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.tensors.none_values import may_bind_none, may_give_none
from devlint.analysis.tensors.tensor_values import may_be_given_none
from devlint.syntax.file_context import FileContext


def receiver_may_be_none(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether the file gives a name or attribute None, asks nothing about it, and could go on without it."""
    name = dotted_name(receiver)
    if name is None or is_tested_for_none(ctx, name, receiver):
        return False
    if isinstance(receiver, cst.Name):
        found = _may_name_none(ctx, receiver) or _is_parameter_asked_for(ctx, receiver)
    else:
        values = [one for one in _given(ctx, name, receiver) if _is_or_names_none(ctx, one)]
        found = bool(values) and not _is_given_later(ctx, name, receiver, values)
        is_asked = _is_attribute_asked_for(ctx, name, receiver)
        found = (found or is_asked) and not _is_given_above(ctx, name, receiver, is_asked)
    return found and not is_used_anyway(ctx, name, receiver)


def _given(ctx: FileContext, name: str, at: cst.BaseExpression) -> list[cst.BaseExpression]:
    """What the file gives to an attribute, also in the body of the class, or as a field of a class of its own."""
    found, attribute = assigned_values(ctx, name, at), name.rpartition(".")[2]
    own = class_of(ctx, at) if name.startswith("self.") else None
    for one in ctx.tree.of_type(cst.ClassDef) if own is None else (own,):
        bound = scopes(ctx).opened_by(one).bindings.get(attribute, ())
        found += [two.value for two in bound if two.value is not None and (own is one or _is_field(ctx, two.value))]
    return found


def _is_field(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether a value is the default of a field: ``mask: Tensor = None``."""
    return isinstance(ctx.tree.parent(value), cst.AnnAssign)


def _is_parameter_asked_for(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a parameter may be None, since its function asks whether it is."""
    scope, found = bindings(ctx, name.value, name)
    if scope is None or scope is not scopes(ctx).scope_of(name):
        return False
    given = [one.node for one in may_reach(ctx, scope, found, name) if one.how is How.PARAMETER]
    return any(isinstance(one, cst.Param) and may_be_given_none(ctx, one) for one in given)


def _is_attribute_asked_for(ctx: FileContext, name: str, at: cst.BaseExpression) -> bool:
    """Whether a class keeps a parameter in ``self.x``, and asks whether it is there, other than to give it a value."""
    owner = class_of(ctx, at) if name.startswith("self.") else None
    if owner is None or not any(_is_parameter(ctx, one) for one in assigned_values(ctx, name, at)):
        return False
    uses = [one for one in attributes_named(ctx, name.rpartition(".")[2]) if dotted_name(one) == name]
    asked = [_question(ctx, one) for one in uses if class_of(ctx, one) is owner]
    return any(one is not None and not _is_answered(ctx, one, name) for one in asked)


def _is_parameter(ctx: FileContext, value: cst.BaseExpression) -> bool:
    found = bindings(ctx, value.value, value)[1] if isinstance(value, cst.Name) else []
    return any(one.how is How.PARAMETER for one in found)


def _question(ctx: FileContext, node: cst.CSTNode) -> cst.CSTNode | None:
    """The test that asks whether something is there: ``x is None``, ``not x``, ``x`` itself."""
    above = ctx.tree.parent(node)
    if isinstance(above, cst.Comparison) and above.left is node and is_none(above.comparisons[0].comparator):
        return above
    if isinstance(above, (cst.If, cst.IfExp)) and above.test is node:
        return node
    return above if isinstance(above, cst.UnaryOperation) and isinstance(above.operator, cst.Not) else None


def _is_answered(ctx: FileContext, test: cst.CSTNode, name: str) -> bool:
    """Whether what a test asks for gets a value where it has none, or the program ends."""
    choice = ctx.tree.parent(test)
    if not isinstance(choice, cst.If) or choice.test is not test or implies_not_none(choice.test, name):
        return isinstance(choice, cst.Assert)
    return stops(choice.body) or any(ctx.tree.is_around(choice.body, one) for one in targets_named(ctx, name))


def _is_given_later(ctx: FileContext, name: str, at: cst.BaseExpression, nothing: Sequence[cst.BaseExpression]) -> bool:
    """Whether ``self.hidden`` is only None from ``__init__`` until another method gives it a value, as it always does.

    Whoever moves it with CUDA has called that method, and nothing asks whether somebody has.
    """
    if not name.startswith("self.") or any(not is_none(one) or not _is_in_init(ctx, one) for one in nothing):
        return False
    others = [one for one in assigned_values(ctx, name, at) if one not in nothing and not _is_in_init(ctx, one)]
    made = (one for one in others if name not in ctx.text_of(one) and scopes(ctx).function_of(one) is not None)
    return any(not is_guarded(ctx, one) for one in made) and not _is_asked_for(ctx, name)


def _is_given_above(ctx: FileContext, name: str, at: cst.BaseExpression, is_asked: bool) -> bool:
    """Whether one of the assignments right above a move, or the test around it, gives an attribute what is not None.

    A parameter may be None where the class asks for that.
    """
    for child, parent in ctx.tree.path_up(at):
        index = index_in(ctx, parent, child) if isinstance(parent, cst.IndentedBlock) else None
        above = statements(parent)[:index] if index is not None else ()
        small = [one.body[0] if isinstance(one, cst.SimpleStatementLine) else None for one in reversed(above)]
        for one in takewhile(lambda one: isinstance(one, cst.Assign), small):
            if isinstance(one, cst.Assign) and any(dotted_name(target.target) == name for target in one.targets):
                may_miss = is_asked and _is_parameter(ctx, one.value)
                return not may_miss and not _is_or_names_none(ctx, one.value)
        if isinstance(parent, (cst.FunctionDef, cst.For, cst.While)) or small:
            return False
    return False


def _is_in_init(ctx: FileContext, node: cst.CSTNode) -> bool:
    function = scopes(ctx).function_of(node)
    return function is not None and function.name.value == "__init__"


def _is_asked_for(ctx: FileContext, name: str) -> bool:
    """Whether anything depends on whether an attribute has a value: ``if self.x is None``, ``self.x or y``."""
    for one in attributes_named(ctx, name.rpartition(".")[2]):
        above = ctx.tree.parent(one)
        if isinstance(above, (cst.Comparison, cst.BooleanOperation, cst.UnaryOperation)):
            return True
        if isinstance(above, (cst.If, cst.IfExp, cst.While, cst.Assert)) and above.test is one:
            return True
        call = ctx.tree.parent(above) if isinstance(above, cst.Arg) else None
        if isinstance(call, cst.Call) and dotted_name(call.func) == "isinstance":
            return True
    return False


def _is_or_names_none(ctx: FileContext, value: cst.BaseExpression) -> bool:
    return may_give_none(ctx, value) or (isinstance(value, cst.Name) and _may_name_none(ctx, value))


def _may_name_none(ctx: FileContext, name: cst.Name) -> bool:
    scope, found = bindings(ctx, name.value, name)
    if scope is not None and scope is scopes(ctx).scope_of(name):
        return any(may_bind_none(ctx, one) for one in may_reach(ctx, scope, found, name))
    return any(may_bind_none(ctx, one) for one in found)
