"""Parameters that are none once they are moved: ``self.x = nn.Parameter(...).cuda()`` keeps a plain tensor."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.tensors.tensor_values import is_parameter
from devlint.syntax.file_context import FileContext


def becomes_parameter(ctx: FileContext, move: cst.Call) -> str | None:
    """What an instance keeps that is a plain tensor on CUDA, and would be one of its parameters on the CPU.

    There the parameter itself is given back. One without gradients would not be trained either way.
    """
    statement = ctx.tree.parent(move)
    if (
        not isinstance(move, cst.Call)
        or not isinstance(move.func, cst.Attribute)
        or not is_parameter(ctx, move.func.value)
    ):
        return None
    target = statement.targets[0].target if isinstance(statement, cst.Assign) else None
    if not isinstance(target, cst.Attribute) or class_of(ctx, move) is None or _is_fixed(move.func.value):
        return None
    return f"`{ctx.one_line_of(target)}` is no parameter on CUDA, and would be one on the CPU"


def _is_fixed(made: cst.BaseExpression) -> bool:
    """Whether a parameter is made with ``requires_grad=False``."""
    args = made.args if isinstance(made, cst.Call) else ()
    named = [one.value for one in args if one.keyword is not None and one.keyword.value == "requires_grad"]
    return any(dotted_name(one) == "False" for one in (*named, *(one.value for one in args[1:2])))
