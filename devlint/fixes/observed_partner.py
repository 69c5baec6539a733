"""Which of the tensors that were seen on the device a function has at hand where it makes another."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from devlint.analysis.names.bindings import How
from devlint.analysis.names.classes import method_of, self_name
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.core.diagnostic import Location
from devlint.syntax.file_context import FileContext


def partner_at_hand(ctx: FileContext, at: cst.CSTNode, partners: Iterable[tuple[str, int]]) -> str | None:
    """The first of some variables, each with a row of its function, that is certainly a tensor on its device at ``at``.

    It must be one value all the while, and none that is None in other calls.
    """
    function = scopes(ctx).function_of(at)
    if function is None:
        return None
    for name, row in partners:
        if _function_at(ctx, row) is not function:
            continue
        if _is_local(ctx, name, at, function) if name.isidentifier() else _is_attribute(ctx, name, at):
            return name
    return None


def _function_at(ctx: FileContext, row: int) -> cst.FunctionDef | None:
    """The innermost function that a row of the file belongs to."""
    at = ctx.source.offset(Location(row, 1))
    found = None
    for one in ctx.tree.of_type(cst.FunctionDef):  # those outside come first
        span = ctx.span(one)
        if ctx.source.location(span.start).row <= row and at < span.end:
            found = one
    return found


def _is_local(ctx: FileContext, name: str, at: cst.CSTNode, function: cst.FunctionDef) -> bool:
    """Whether a variable of a function is given one value only, before ``at``, that nothing here takes for None."""
    scope = scopes(ctx).binder(name, at)
    if scope is None or scope.node is not function or len(scope.bindings[name]) != 1:
        return False
    (binding,) = scope.bindings[name]
    if binding.how is How.PARAMETER:
        parameter = binding.node
        if isinstance(parameter, cst.Param) and parameter.default is not None:
            return False
    return certainly_bound(ctx, name, scope, at) and not _is_asked_for_none(ctx, name, function)


def _is_attribute(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether a variable is an attribute of the instance that ``__init__`` alone gives values, none of them None."""
    method = method_of(ctx, at)
    owner, _, attribute = name.partition(".")
    if method is None or owner != self_name(method) or not attribute.isidentifier():
        return False
    values = bound_values(ctx, name, at)
    makers = [method_of(ctx, one) for one in values]
    is_made_first = all(one is not None and one.name.value == "__init__" and one is not method for one in makers)
    is_none = any(ctx.text_of(one) == "None" for one in values)
    return bool(values) and is_made_first and not is_none and not _is_asked_for_none(ctx, name, method)


def _is_asked_for_none(ctx: FileContext, name: str, function: cst.FunctionDef) -> bool:
    """Whether a function compares a variable, or asks for its type."""
    for one in ctx.tree.below(function):
        if isinstance(one, cst.Comparison) and isinstance(one.comparisons[0].operator, (cst.Is, cst.IsNot)):
            if ctx.text_of(one.left) == name:
                return True
        elif isinstance(one, cst.Call) and ctx.text_of(one.func) == "isinstance" and one.args:
            if ctx.text_of(one.args[0].value) == name:
                return True
    return False
