"""Flags with which a program stops where there is no CUDA."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.cuda_flags import Condition, as_condition
from devlint.analysis.guards.implications import torch_says_cuda
from devlint.analysis.names.control_flow import exits, statements
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext


def is_refused_without_cuda(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> bool:
    """Whether the program stops where a flag asks for CUDA and there is none, below what gives the flag its value."""
    names, table = {one.partition(".")[0] for one in condition.names}, scopes(ctx)
    owners = [table.binder(one, at) for one in names]
    for stop in ctx.tree.of_type(cst.If):
        test, scope = stop.test, table.scope_of(stop)
        block = scope.node.body if isinstance(scope.node, cst.FunctionDef) else scope.node
        if any(one is not scope for one in owners) or ctx.tree.parent(stop) is not block:
            continue
        if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
            flag, stops = test.left, [(stop, test.right)]
        else:
            flag, stops = test, [(one, one.test) for one in statements(stop.body) if isinstance(one, cst.If)]
        asked = as_condition(ctx, flag, True)
        if asked is not None and asked.text == condition.text:
            if any(exits(one.body) and torch_says_cuda(ctx, answer, False) for one, answer in stops):
                return True
    return False
