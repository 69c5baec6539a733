"""Cards that a program takes by the number for which it hides all others: the only one left has the number 0."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.device_index_uses import device_index_uses
from devlint.analysis.cuda.literal_roles import LiteralRole, literal_uses
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import is_torch
from devlint.analysis.names.string_literals import string_value
from devlint.syntax.file_context import FileContext


def hides_chosen_card(ctx: FileContext, name: cst.CSTNode) -> bool:
    """Whether a file gives a variable the number of a card that it takes as well: ``torch.cuda.set_device(int(gpu))``.

    That works as long as the variable, whose ``name`` is misspelled, hides no card.
    """
    assign = next((one for one in ctx.tree.ancestors(name) if isinstance(one, cst.Assign)), None)
    if assign is None or not any(ctx.tree.is_around(one, name) for one in assign.targets):
        return False
    number = _number(ctx, assign.value)
    calls = (one for one in ctx.tree.of_type(cst.Call) if one.args and is_torch(ctx, one.func, "cuda.set_device"))
    taken = {_number(ctx, one.args[0].value) for one in calls}
    literals = [one.literal for one in device_index_uses(ctx)]
    literals += [one.literal for one in literal_uses(ctx, *LiteralRole)]
    return number != "0" and number in taken.union(one.index or "" for one in literals)


def _number(ctx: FileContext, value: cst.BaseExpression) -> str:
    """How a number is written, without what makes it a text or a whole number."""
    while isinstance(value, cst.Call) and dotted_name(value.func) in ("int", "str") and len(value.args) == 1:
        value = value.args[0].value
    return string_value(value) or ctx.text_of(value)
