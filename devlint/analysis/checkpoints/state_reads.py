"""Where a variable is read that may hold a state, or one of its tensors, and what takes one by ``copy_``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.reaching_definitions import reaching_definitions, reaching_values
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext

COPIES = frozenset("dict list sorted tuple OrderedDict collections.OrderedDict copy.copy copy.deepcopy".split())
"""What makes another collection of the same values."""
_TAKES = ("copy_", "state_dict")


def reads_of(ctx: FileContext, name: cst.Name) -> list[cst.Name]:
    """The reads of a variable, without where it is given a value, and without other loops over it."""
    scope = scopes(ctx).binder(name.value, name)
    uses = uses_of(ctx, scope, name.value)
    loops = [one for use in uses if (one := _loop_that_gives(ctx, use)) is not None]
    others = [one for one in loops if not ctx.tree.is_around(one, name)]
    reads = [one for one in uses if not _is_given(ctx, one)]
    return [one for one in reads if not any(ctx.tree.is_around(loop.body, one) for loop in others)]


def may_have(ctx: FileContext, use: cst.Name, name: cst.Name) -> bool:
    """Whether a variable may have at ``use`` what ``name`` is given, and not only another value."""
    if ctx.tree.is_around(ctx.tree.parent(ctx.tree.parent(name) or name) or name, use):
        return any(isinstance(one, (cst.For, cst.While)) for one in ctx.tree.ancestors(name))
    found = reaching_definitions(ctx, use)
    return len(found) != 1 or ctx.tree.is_around(found[0].node, name)


def method_looped_over(loop: cst.For | cst.CompFor) -> str | None:
    """The method whose values a loop is given, whatever collects them: ``items`` of ``list(state.items())``."""
    node: cst.BaseExpression = loop.iter
    while isinstance(node, cst.Call) and dotted_name(node.func) in COPIES and node.args:
        node = node.args[0].value
    return node.func.attr.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else None


def _loop_that_gives(ctx: FileContext, use: cst.Name) -> cst.For | None:
    """The loop that a use is the variable of."""
    up = next((one for one in ctx.tree.ancestors(use) if not isinstance(one, (cst.Element, cst.Tuple))), None)
    return up if isinstance(up, cst.For) and _is_given(ctx, use) else None


def _is_given(ctx: FileContext, use: cst.Name) -> bool:
    for child, parent in ctx.tree.path_up(use):
        if isinstance(parent, (cst.For, cst.CompFor)):
            return parent.target is child
        if not isinstance(parent, (cst.Element, cst.Tuple, cst.List)):
            return isinstance(parent, cst.AssignTarget) or (
                isinstance(parent, cst.AnnAssign) and parent.target is child
            )
    return False


def is_copied_into(ctx: FileContext, taker: cst.BaseExpression) -> bool:
    """Whether what takes a state is a tensor of which ``copy_`` is called, or gave it by ``state_dict``."""
    method = ctx.tree.parent(taker)
    return isinstance(method, cst.Attribute) and method.attr.value in _TAKES


def owner_of_tensor(ctx: FileContext, tensor: cst.BaseExpression) -> cst.BaseExpression:
    """The module of whose state a tensor is: ``net`` of ``net.state_dict()[key]``; else the tensor itself."""
    state = tensor.value if isinstance(tensor, cst.Subscript) else None
    if isinstance(state, cst.Name):
        values = reaching_values(ctx, state.value, state)
        state = values[0] if len(values) == 1 else None
    method = state.func if isinstance(state, cst.Call) else None
    is_own = isinstance(method, cst.Attribute) and method.attr.value == "state_dict"
    return method.value if is_own and isinstance(method, cst.Attribute) else tensor
