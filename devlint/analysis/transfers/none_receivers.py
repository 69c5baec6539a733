"""Whether what is moved may be None: without CUDA, ``if use_cuda: self.model.cuda()`` does nothing then."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import libcst as cst

from devlint.analysis.devices.none_devices import assigned_values, is_tested_for_none
from devlint.analysis.guards.guards import is_guarded
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.control_flow import exits, index_in, statements
from devlint.analysis.names.reaching_definitions import is_used_anyway, may_reach
from devlint.analysis.names.resolution import attributes_named, bindings, implies_not_none, is_none, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.tensors.none_values import may_bind_none, may_give_none
from devlint.syntax.file_context import FileContext


def receiver_may_be_none(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether the file gives a name or attribute None, asks nothing about it, and could go on without it."""
    name = dotted_name(receiver)
    if name is None or is_tested_for_none(ctx, name, receiver):
        return False
    if isinstance(receiver, cst.Name):
        found = _may_name_none(ctx, receiver) or _is_left_out_above(ctx, receiver)
    else:
        values = [one for one in _given(ctx, name, receiver) if _is_or_names_none(ctx, one)]
        found = bool(values) and not _is_given_later(ctx, name, receiver, values)
        found = found and not _is_given_above(ctx, name, receiver)
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


def _is_left_out_above(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a parameter may be None, since a line of the function says what to do where it is not: no ``else``."""
    scope, found = bindings(ctx, name.value, name)
    if scope is None or not any(one.how is How.PARAMETER for one in found):
        return False
    for use in uses_of(ctx, scope, name.value):
        test = ctx.tree.parent(use)
        choice = ctx.tree.parent(test) if isinstance(test, cst.Comparison) else None
        if isinstance(choice, cst.If) and choice.test is test and choice.orelse is None:
            if implies_not_none(test, name.value) and not exits(choice.body):
                return True
    return False


def _is_given_later(ctx: FileContext, name: str, at: cst.BaseExpression, nothing: Sequence[cst.BaseExpression]) -> bool:
    """Whether ``self.hidden`` is only None from ``__init__`` until another method gives it a value, as it always does.

    Whoever moves it with CUDA has called that method, and nothing asks whether somebody has.
    """
    if not name.startswith("self.") or any(not is_none(one) or not _is_in_init(ctx, one) for one in nothing):
        return False
    others = [one for one in assigned_values(ctx, name, at) if one not in nothing and not _is_in_init(ctx, one)]
    made = (one for one in others if name not in ctx.text_of(one) and scopes(ctx).function_of(one) is not None)
    return any(not is_guarded(ctx, one) for one in made) and not _is_asked_for(ctx, name)


def _is_given_above(ctx: FileContext, name: str, at: cst.BaseExpression) -> bool:
    """Whether one of the assignments right above a move, or the test around it, gives an attribute what is not None."""
    for child, parent in ctx.tree.path_up(at):
        index = index_in(ctx, parent, child) if isinstance(parent, cst.IndentedBlock) else None
        above = statements(parent)[:index] if index is not None else ()
        small = [one.body[0] if isinstance(one, cst.SimpleStatementLine) else None for one in reversed(above)]
        for one in takewhile(lambda one: isinstance(one, cst.Assign), small):
            if isinstance(one, cst.Assign) and any(dotted_name(target.target) == name for target in one.targets):
                return not _is_or_names_none(ctx, one.value)
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
