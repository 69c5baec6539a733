"""Moves that a comparison of devices saves: ``if x.device != torch.device("cuda"): x = x.to(torch.device("cuda"))``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.syntax.file_context import FileContext


def compared_device(ctx: FileContext, call: cst.Call, device: cst.BaseExpression) -> cst.BaseExpression | None:
    """The same device in the test of an ``if`` that does nothing but ``x = x.to(device)`` where ``x`` is elsewhere.

    The test may ask for more: ``if isinstance(x, torch.Tensor) and x.device != device:``.
    """
    assign = ctx.tree.parent(call)
    owner = next((one for one in ctx.tree.ancestors(call) if isinstance(one, cst.If)), None)
    if not isinstance(assign, cst.Assign) or owner is None or owner.orelse is not None:
        return None
    lines = statements(owner.body)
    inside = [small for one in lines for small in statements(one) or [one]]
    found = _comparison(owner.test)
    if inside != [assign] or found is None:
        return None
    compared = found.comparisons[0]
    moved = dotted_name(call.func.value) if isinstance(call.func, cst.Attribute) else None
    if moved is None or [dotted_name(one.target) for one in assign.targets] != [moved]:
        return None
    if dotted_name(found.left) != f"{moved}.device":
        return None
    literal = cuda_literal(ctx, compared.comparator)
    same = ctx.text_of(compared.comparator) == ctx.text_of(device)
    return compared.comparator if literal is not None and same else None


def _comparison(test: cst.BaseExpression) -> cst.Comparison | None:
    """The one comparison by ``!=`` of two values that must hold for a test to do so."""
    if isinstance(test, cst.BooleanOperation):
        sides = [_comparison(one) for one in (test.left, test.right)] if isinstance(test.operator, cst.And) else []
        found = [one for one in sides if one is not None]
        return found[0] if len(found) == 1 else None
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return None
    return test if isinstance(test.comparisons[0].operator, cst.NotEqual) else None
