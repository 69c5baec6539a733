"""Which of the tensors that were seen on the device a function has at hand where it makes another."""

from __future__ import annotations

import re
from collections.abc import Iterable

import libcst as cst

from devlint.analysis.names.bindings import How
from devlint.analysis.names.classes import method_of, self_name
from devlint.analysis.names.control_flow import block_path, statements
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.core.diagnostic import Location
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.python_ast import has_same_tree

_CHOICES = (cst.IfExp, cst.BooleanOperation, cst.BaseComp, cst.Lambda)
"""What does not evaluate all that it holds."""
_CHANGES = (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.Del, cst.Element, cst.CompFor)
"""What may give an attribute or element another value."""


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
        read = None if name.isidentifier() else _part_read_next(ctx, name, at, function)
        if read is not None:
            return read
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


def _part_read_next(ctx: FileContext, name: str, at: cst.CSTNode, function: cst.FunctionDef) -> str | None:
    """``batch["x"]`` or ``batch.x`` as it is written, if it is read in any case before ``batch`` may change."""
    root = re.split(r"\W", name, maxsplit=1)[0]
    method = method_of(ctx, at)
    if (method is not None and root == self_name(method)) or not _is_local(ctx, root, at, function):
        return None
    blocks = [one for one in block_path(ctx, at, function) if isinstance(one[0], cst.IndentedBlock)]
    block, index = blocks[-1] if blocks else (function, 0)
    for statement in statements(block)[index:]:
        if not isinstance(statement, cst.SimpleStatementLine):
            return None
        inside = list(ctx.tree.below(statement))
        names = (one for one in inside if isinstance(one, cst.Name) and one.value == root)
        if not all(_only_reads_part(ctx, one) for one in names):
            return None
        parts = (one for one in inside if isinstance(one, (cst.Attribute, cst.Subscript)))
        read = next((one for one in parts if has_same_tree(ctx.text_of(one), name)), None)
        if read is not None:
            is_certain = not any(isinstance(one, _CHOICES) for one in ctx.tree.ancestors(read))
            text = ctx.text_of(read)
            return text if is_certain and not _is_asked_for_none(ctx, text, function) else None
    return None


def _only_reads_part(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a variable stands there for one of its attributes or elements, which is neither called nor changed."""
    part = ctx.tree.parent(name)
    if not isinstance(part, (cst.Attribute, cst.Subscript)) or part.value is not name:
        return isinstance(part, cst.Param)
    return not isinstance(ctx.tree.parent(part), _CHANGES) and not _is_called(ctx, part)


def _is_called(ctx: FileContext, node: cst.CSTNode) -> bool:
    call = ctx.tree.parent(node)
    return isinstance(call, cst.Call) and call.func is node


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
