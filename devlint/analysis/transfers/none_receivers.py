"""Whether what is moved may be None: without CUDA, ``if use_cuda: self.model.cuda()`` does nothing then."""

from __future__ import annotations

from itertools import takewhile

import libcst as cst

from devlint.analysis.devices.none_devices import assigned_values, is_tested_for_none
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import block_path, statements
from devlint.analysis.names.reaching_definitions import reaching_definitions
from devlint.analysis.names.resolution import implies_not_none, is_none
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext

_CHOICES = (cst.IfExp, cst.BooleanOperation, cst.Lambda, cst.CompFor)


def receiver_may_be_none(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether the file gives a name or attribute None, asks nothing about it, and could go on without it."""
    name = dotted_name(receiver)
    if name is None or is_tested_for_none(ctx, name, receiver):
        return False
    if isinstance(receiver, cst.Name):
        found = _may_name_none(ctx, receiver)
    else:
        found = any(_is_or_names_none(ctx, one) for one in assigned_values(ctx, name, receiver))
    return found and not _is_used_anyway(ctx, name, receiver)


def _is_or_names_none(ctx: FileContext, value: cst.BaseExpression) -> bool:
    return is_none(value) or (isinstance(value, cst.Name) and _may_name_none(ctx, value))


def _may_name_none(ctx: FileContext, name: cst.Name) -> bool:
    return any(is_none(one.value) for one in reaching_definitions(ctx, name))


def _is_used_anyway(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether the code around ``at`` does without None anyway.

    It asks above, ``if x is None: …``, or it would fail: the blocks that hold it use an attribute of the name.
    """
    top = scopes(ctx).function_of(at) or ctx.tree.module
    for block, index in block_path(ctx, at, top):
        for place, statement in enumerate(statements(block)):
            if place < index and isinstance(statement, cst.If) and implies_not_none(statement.test, name, holds=False):
                return True
            if place != index and isinstance(statement, cst.SimpleStatementLine) and _uses(ctx, name, statement):
                return True
    return False


def _uses(ctx: FileContext, name: str, statement: cst.CSTNode) -> bool:
    """Whether a statement reads an attribute or an item of a name, or calls it, whenever it runs."""
    for node in ctx.tree.below(statement):
        used = node.value if isinstance(node, (cst.Attribute, cst.Subscript)) else None
        used = node.func if isinstance(node, cst.Call) else used
        if used is None or dotted_name(used) != name:
            continue
        around = takewhile(lambda one: one is not statement, ctx.tree.ancestors(node))
        if not any(isinstance(one, _CHOICES) for one in around):
            return True
    return False
