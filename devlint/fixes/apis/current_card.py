"""``torch.cuda.current_device()`` as a value: what it may be where there is no CUDA."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.devices.device_arguments import device_slot
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.conditional_device import needs_parentheses
from devlint.fixes.device.resolver import may_ask_for_cuda
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext

_PRINTS = frozenset("print debug info warning error".split())


def current_card_fix(ctx: FileContext, call: cst.Call) -> Fix | None:
    """The CPU, or card 0, in the place of the current card; None where that may be used for something else."""
    uses = _uses(ctx, call)
    found = [_use(ctx, one) for one in uses or ()]
    if not found or None in found or not may_ask_for_cuda(ctx, call):
        return None
    torch = torch_name(ctx, call)
    other = edits.fit_quotes(ctx, call, '"cpu"') if "slot" in found else "0"
    if torch is None or other is None:
        return None
    text = f" if {torch[0]}.cuda.is_available() else {other}"
    made: list[Edit | None] = [edits.insert_after(ctx, call, text), *torch[1]]
    if needs_parentheses(ctx, call):
        made[:1] = [edits.insert_before(ctx, call, "("), edits.insert_after(ctx, call, f"{text})")]
    return edits.as_fix("Fall back to the CPU where there is no CUDA", made)


def _uses(ctx: FileContext, call: cst.Call) -> list[cst.BaseExpression] | None:
    """Where the value goes: the call itself, or all reads of the only name that it is given."""
    statement = ctx.tree.parent(call)
    if not isinstance(statement, cst.Assign):
        return [call]
    target = statement.targets[0].target if len(statement.targets) == 1 else None
    scope = scopes(ctx).binder(target.value, target) if isinstance(target, cst.Name) else None
    if scope is None or not isinstance(target, cst.Name) or not scope.is_function:
        return None
    bound = scope.bindings[target.value]
    if len(bound) != 1 or bound[0].how is not How.ASSIGN:
        return None
    return [one for one in uses_of(ctx, scope, target.value) if one is not target]


def _use(ctx: FileContext, node: cst.BaseExpression) -> str | None:
    """What a value is used for: the ``slot`` of a device, the ``number`` of a card, or to be ``printed``."""
    for child, parent in ctx.tree.path_up(node):
        written = isinstance(parent, (cst.Call, cst.FormattedString, cst.BinaryOperation))
        literal = cuda_literal(ctx, parent) if written else None
        if literal is not None and literal.index == ctx.text_of(node) and not literal.is_number:
            return "number"
        if isinstance(parent, cst.Call) and isinstance(child, cst.Arg):
            move = cuda_move(ctx, parent)
            if child.value is node and (device_slot(ctx, parent) is child or (move and move.device is child)):
                return "slot" if move is None else "number"
            name = (dotted_name(parent.func) or "").rpartition(".")[2]
            return "printed" if name in _PRINTS else None
        if isinstance(parent, (cst.BaseStatement, cst.BaseSmallStatement)):
            return None
    return None
