"""The tensors that a value is made of, on whose device it certainly is, through lines and operations on two tensors."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import Binding, How
from devlint.analysis.names.reaching_definitions import reaching_definitions
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.tensors.dimensions import gives_dimensions, is_beside_another, keeps_size, leaves_dimensions
from devlint.analysis.tensors.given_names import name_at_last, tensor_below
from devlint.analysis.tensors.shared_devices import SORTS, Operand, compares_elements, is_literal_number, tensor_of_two
from devlint.analysis.tensors.tensor_sources import is_made_of_itself
from devlint.syntax.call_arguments import keyword_argument
from devlint.syntax.comparisons import compared_values
from devlint.syntax.file_context import FileContext
from devlint.torch_api.tensor_makers import MAKE_LIKE
from devlint.torch_api.tensor_operands import LISTS

_STEPS = 24
_LOOPS = (cst.For, cst.While)
_MAY_REDUCE = frozenset("all any einsum inner logsumexp matmul tensordot trace".split())
"""What may give a tensor without dimensions for one that has some."""
_Part = tuple[cst.BaseExpression, bool]
"""What a value is made of, and whether it is only there if it has dimensions."""


def tensors_behind(ctx: FileContext, operand: Operand, scope: Scope) -> Iterator[Operand]:
    """The variables that an operand is made of and is certainly on the device of, nearest first.

    One that stands beside another tensor has to have dimensions: one without may be somewhere else.
    """
    waiting: list[_Part] = [(operand.expression, operand.needs_size)]
    for _ in range(_STEPS):
        if not waiting:
            return
        node, needs_size = waiting.pop(0)
        if not isinstance(node, cst.Name):
            waiting += _parts(ctx, scope, node, needs_size)
        elif scopes(ctx).binder(node.value, node) is scope:
            yield Operand(node, needs_size=needs_size)
            waiting += _above(ctx, node, needs_size)


def is_same_at(ctx: FileContext, scope: Scope, name: str, one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Whether a name of a function stands at two places for what is on one device, whenever both run in a row."""
    first, last = sorted((one, other), key=lambda node: ctx.span(node).start)
    loops = [up for up in ctx.tree.ancestors(last) if isinstance(up, _LOOPS) and not ctx.tree.is_around(up, first)]
    here, there = (
        next((up for up in ctx.tree.ancestors(node) if isinstance(up, cst.BaseSmallStatement)), None)
        for node in (first, last)
    )
    start, end = ctx.span(first if here is None or here is there else here).start, ctx.span(last).start
    for binding in scope.bindings[name]:
        is_between = start <= ctx.span(binding.node).start < end and binding.node is not there
        if not is_between and not any(ctx.tree.is_around(loop, binding.node) for loop in loops):
            continue
        if binding.how is not How.DELETE and not is_made_of_itself(ctx, binding, name):
            return False
    return True


def keeps_one_device(ctx: FileContext, scope: Scope, name: str, met: cst.Call) -> bool:
    """Whether all values of a name are on one device: its first, what is made of it, and what it meets."""
    first, *others = scope.bindings[name]
    if first.how not in (How.PARAMETER, How.ASSIGN, How.UNPACK, How.LOOP):
        return False
    is_result = name_at_last(ctx, met) == name
    return all(
        one.how is How.DELETE
        or is_made_of_itself(ctx, one, name)
        or (is_result and one.value is not None and ctx.tree.is_around(one.value, met))
        for one in others
    )


def _above(ctx: FileContext, name: cst.Name, needs_size: bool) -> list[_Part]:
    """What a name is given in a line above that runs whenever the name is read after it."""
    found = reaching_definitions(ctx, name)
    value = found[0].value if len(found) == 1 and _is_above(ctx, found[0], name) else None
    if value is None or found[0].how is How.ASSIGN:
        return [(value, needs_size)] if value is not None else []
    both = tensor_of_two(ctx, value) if found[0].how is How.UNPACK else None
    is_sized = leaves_dimensions(ctx, value)
    is_kept = is_sized or not needs_size or tensor_of_two(ctx, value, SORTS) is not None
    return [(both, needs_size and not is_sized)] if both is not None and is_kept else []


def _is_above(ctx: FileContext, binding: Binding, name: cst.Name) -> bool:
    line = ctx.tree.parent(binding.node)
    block = ctx.tree.parent(line) if line is not None else None
    is_before = ctx.span(binding.node).start < ctx.span(name).start
    return is_before and block is not None and ctx.tree.is_around(block, name)


def _parts(ctx: FileContext, scope: Scope, node: cst.BaseExpression, needs_size: bool) -> list[_Part]:
    """What an expression is made of and is on the device of, and whether that is only so if it has dimensions."""
    if isinstance(node, cst.Comparison):
        return _sides(compared_values(node), needs_size) if compares_elements(node) else []
    if isinstance(node, cst.BinaryOperation):
        if isinstance(node.operator, cst.MatrixMultiply):
            return [] if needs_size else [(node.left, False), (node.right, False)]
        return _sides([node.left, node.right], needs_size)
    first = node.args[0] if isinstance(node, cst.Call) and node.args else None
    called = origin(ctx, node.func) or "" if isinstance(node, cst.Call) else ""
    if isinstance(node, cst.Call) and first is not None and called in LISTS:
        values = first.value.elements if isinstance(first.value, (cst.List, cst.Tuple)) else ()
        return [(one.value, False) for one in values if isinstance(one, cst.Element)]
    if isinstance(node, cst.Call) and first is not None and called.removeprefix("torch.") in MAKE_LIKE:
        is_there = first.keyword is None and keyword_argument(node, "device") is None
        return [(first.value, needs_size)] if is_there else []
    below = tensor_below(ctx, scope, node) if not _is_of_tuple(scope, node) else None
    is_sized = gives_dimensions(ctx, node) or leaves_dimensions(ctx, node)
    if below is None or (needs_size and not is_sized and not _keeps_size(ctx, node)):
        return []
    return [(below, is_beside_another(ctx, node) or (needs_size and not is_sized))]


def _is_of_tuple(scope: Scope, node: cst.BaseExpression) -> bool:
    """Whether an expression may be part of a tuple, as its name has several values: ``x = x[0]``."""
    if not isinstance(node, cst.Subscript) or not isinstance(node.value, cst.Name) or len(node.slice) > 1:
        return False
    return isinstance(node.slice[0].slice, cst.Index) and len(scope.bindings.get(node.value.value, ())) != 1


def _keeps_size(ctx: FileContext, node: cst.BaseExpression) -> bool:
    function = node.func if isinstance(node, cst.Call) else None
    is_product = isinstance(function, cst.Attribute) and function.attr.value in _MAY_REDUCE
    return keeps_size(ctx, node) and not is_product


def _sides(values: list[cst.BaseExpression], needs_size: bool) -> list[_Part]:
    """Both sides of an operation, or the one that is no number."""
    sides = [one for one in values if not is_literal_number(one)]
    return [(one, needs_size or len(sides) > 1) for one in sides]
