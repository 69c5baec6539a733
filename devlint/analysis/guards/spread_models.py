"""Models that a method spreads over several cards, and the attribute that says that it has: ``self.model_parallel``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.changing_flags import is_set_by_name, is_target
from devlint.analysis.guards.conditions import COUNTS
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import method_of, self_name
from devlint.analysis.names.resolution import attributes_named, origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.syntax.file_context import FileContext, fact

_CARD = "cuda:"


def says_spread(ctx: FileContext, flag: cst.CSTNode) -> bool:
    """Whether an attribute of an instance is True only after a method has put parts of it on cards by their numbers."""
    method, dotted = method_of(ctx, flag), dotted_name(flag)
    if method is None or dotted is None or dotted.count(".") != 1 or dotted.partition(".")[0] != self_name(method):
        return False
    attribute = dotted.partition(".")[2]
    targets = [one for one in attributes_named(ctx, attribute) if is_target(ctx, one)]
    switches = {id(one): _switch(ctx, one) for one in targets}
    on = [one for one in targets if switches[id(one)] is True]
    if not on or None in switches.values() or is_set_by_name(ctx, attribute):
        return False
    spreading = {id(one) for one in _spreading(ctx)}
    return all(id(scopes(ctx).function_of(one)) in spreading for one in on)


def spreads_model(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` is in a method that spreads a model over cards: without them nobody calls it."""
    function = scopes(ctx).function_of(node)
    return any(one is function for one in _spreading(ctx))


@fact
def _spreading(ctx: FileContext) -> list[cst.FunctionDef]:
    """The methods that put something on cards by their numbers, or count the cards, and then switch a flag on."""
    found = []
    for assign in ctx.tree.of_type(cst.Assign):
        method, dotted = method_of(ctx, assign), dotted_name(assign.targets[0].target)
        is_on = len(assign.targets) == 1 and dotted_name(assign.value) == "True" and dotted is not None
        if not is_on or method is None or method.name.value == "__init__" or method in found:
            continue
        if (dotted or "").partition(".")[0] == self_name(method) and any(
            _numbers_card(ctx, node) for node in ctx.tree.below(method)
        ):
            found.append(method)
    return found


def _numbers_card(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression is ``"cuda:" + str(k)``, ``f"cuda:{k}"`` or ``range(torch.cuda.device_count())``."""
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.operator, cst.Add) and string_value(node.left) == _CARD
    if isinstance(node, cst.FormattedString):
        first = node.parts[0] if len(node.parts) == 2 else None
        return isinstance(first, cst.FormattedStringText) and first.value == _CARD
    if not isinstance(node, cst.Call) or dotted_name(node.func) != "range" or len(node.args) != 1:
        return False
    count = node.args[0].value
    return isinstance(count, cst.Call) and origin(ctx, count.func) in COUNTS


def _switch(ctx: FileContext, target: cst.CSTNode) -> bool | None:
    """The constant, True or False, that a statement gives a target; None where it is something else."""
    assign = ctx.tree.parent(ctx.tree.parent(target) or target)
    value = dotted_name(assign.value) if isinstance(assign, cst.Assign) else None
    return {"True": True, "False": False}.get(value or "")
