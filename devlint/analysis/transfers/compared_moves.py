"""Moves that a comparison of devices saves: ``if x.device != torch.device("cuda"): x = x.to(torch.device("cuda"))``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.syntax.file_context import FileContext


def compared_device(ctx: FileContext, call: cst.Call, device: cst.BaseExpression) -> cst.BaseExpression | None:
    """The same device in the test of an ``if`` that does nothing but ``x = x.to(device)`` where ``x`` is elsewhere."""
    assign = ctx.tree.parent(call)
    owner = next((one for one in ctx.tree.ancestors(call) if isinstance(one, cst.If)), None)
    if not isinstance(assign, cst.Assign) or owner is None or owner.orelse is not None:
        return None
    lines = statements(owner.body)
    inside = [small for one in lines for small in statements(one) or [one]]
    if inside != [assign] or not isinstance(owner.test, cst.Comparison) or len(owner.test.comparisons) != 1:
        return None
    compared = owner.test.comparisons[0]
    moved = dotted_name(call.func.value) if isinstance(call.func, cst.Attribute) else None
    if moved is None or [dotted_name(one.target) for one in assign.targets] != [moved]:
        return None
    if not isinstance(compared.operator, cst.NotEqual) or dotted_name(owner.test.left) != f"{moved}.device":
        return None
    literal = cuda_literal(ctx, compared.comparator)
    same = ctx.text_of(compared.comparator) == ctx.text_of(device)
    return compared.comparator if literal is not None and same else None
