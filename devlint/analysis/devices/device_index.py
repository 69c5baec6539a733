"""Expressions that are the number of a card: ``1``, ``local_rank``, ``args.gpu``, ``gpus[0]``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.resolution import bindings, is_none
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import CARD_CALLS, CARD_LIST, CARD_NAME


def is_index(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression is the number of a card: ``1``, ``local_rank``, ``args.gpu``, ``gpus[0]``, ``rank % 2``."""
    if isinstance(node, cst.Integer):
        return True
    if isinstance(node, cst.Name):
        return _name_is_index(ctx, node)
    if isinstance(node, cst.Attribute):
        return CARD_NAME.match(node.attr.value) is not None
    if isinstance(node, cst.Subscript):
        name = (dotted_name(node.value) or "").rpartition(".")[2]
        return len(node.slice) == 1 and CARD_LIST.match(name) is not None
    if isinstance(node, cst.Call):
        name = node.func.attr.value if isinstance(node.func, cst.Attribute) else (dotted_name(node.func) or "")
        return name in CARD_CALLS
    if isinstance(node, cst.BinaryOperation):
        sides = (node.left, node.right)
        return not any(isinstance(one, cst.BaseString) for one in sides) and any(is_index(ctx, one) for one in sides)
    return False


def _name_is_index(ctx: FileContext, name: cst.Name) -> bool:
    """A name that is bound to numbers, or is called like one and is bound to nothing else that is known."""
    _, found = bindings(ctx, name.value, name)
    values = [binding.value for binding in found if binding.value is not None]
    if any(binding.how is How.LOOP and _counts(binding.node) for binding in found):
        return True
    known = [one for one in values if not isinstance(one, cst.Name) and not is_none(one)]
    if known and all(is_index(ctx, one) for one in known):
        return True
    if any(isinstance(one, (cst.SimpleString, cst.FormattedString, cst.List)) or _is_device(one) for one in values):
        return False
    return CARD_NAME.match(name.value) is not None


def _is_device(node: cst.CSTNode) -> bool:
    """Whether a value is the result of ``….device(…)``."""
    return isinstance(node, cst.Call) and (dotted_name(node.func) or "").rpartition(".")[2] == "device"


def _counts(loop: cst.CSTNode) -> bool:
    """Whether a loop runs over ``range(…)``."""
    over = loop.iter if isinstance(loop, (cst.For, cst.CompFor)) else None
    target = loop.target if isinstance(loop, (cst.For, cst.CompFor)) else None
    return isinstance(over, cst.Call) and dotted_name(over.func) == "range" and isinstance(target, cst.Name)
