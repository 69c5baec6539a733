"""Whether what is made of a tensor certainly has dimensions, so that no number could stand in its place."""

from __future__ import annotations

from typing import TypeGuard

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin
from devlint.analysis.tensors.shared_devices import is_literal_number, sorted_tensor
from devlint.syntax.call_arguments import keyword_argument, positional_argument
from devlint.syntax.file_context import FileContext
from devlint.torch_api.tensor_operands import ARITHMETIC, allows_number
from devlint.torch_api.tensor_places import is_loss

_REDUCTIONS = frozenset("sum mean squeeze argmax argmin norm dot prod max min amax amin std var".split())

_ALONG = frozenset("softmax log_softmax cumsum cumprod flip sort".split())
"""What works along a dimension and keeps it."""
_SHAPES = frozenset("view reshape expand repeat".split())
_SIZED = frozenset("bmm flatten mm nonzero unsqueeze".split())
_ORDERS = frozenset("permute transpose".split())

_ROWS = frozenset(
    f"torch.{name}" for name in "ByteTensor IntTensor LongTensor arange cuda.LongTensor randperm triu_indices".split()
)
"""What makes tensors with dimensions, whatever it is given."""
_OF_TWO = frozenset("atan2 fmod pow remainder".split())
_OF_TWO_FUNCTIONS = frozenset(f"torch.{name}" for name in _OF_TWO)
"""What takes two tensors as well, besides arithmetic."""
_OF_DATA = frozenset({"torch.tensor", "torch.as_tensor"})


def keeps_size(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether an expression has dimensions if the tensor that it is made of has."""
    if isinstance(node, cst.Subscript):
        return sorted_tensor(ctx, node) is not None or any(isinstance(one.slice, cst.Slice) for one in node.slice)
    if not isinstance(node, cst.Call) or leaves_dimensions(ctx, node):
        return True
    return _called(node) not in _REDUCTIONS and not is_loss(_called(node))


def is_as_large(ctx: FileContext, made: cst.Call, tensor: cst.BaseExpression) -> bool:
    """Whether what a call makes has the size of a tensor: ``torch.randn(x.size())``, ``torch.zeros_like(x)``.

    That has dimensions: nobody makes a number of its own for a number.
    """
    text = ctx.text_of(tensor).removesuffix(".data")
    for arg in (one for one in ctx.tree.below(made) if isinstance(one, cst.Arg)):
        call, value = ctx.tree.parent(arg), arg.value
        if isinstance(value, cst.Call) and not value.args and _called(value) == "size":
            value = value.func
        if isinstance(value, cst.Attribute) and value.attr.value in ("size", "shape"):
            value = value.value
        elif not isinstance(call, cst.Call) or not _called(call).endswith("_like") or not _is_input(call, arg):
            continue
        if ctx.text_of(value).removesuffix(".data") == text:
            return True
    return False


def _is_input(call: cst.Call, arg: cst.Arg) -> bool:
    """Whether an argument is the tensor of ``torch.full_like(x, fill_value=y)``, and no number."""
    return arg.keyword.value == "input" if arg.keyword is not None else arg is call.args[0]


def makes_dimensions(ctx: FileContext, made: cst.BaseExpression) -> bool:
    """Whether a call makes, or moves, a tensor that certainly has dimensions: ``torch.LongTensor(ids).cuda()``."""
    node = made
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and origin(ctx, node.func) is None:
        if gives_dimensions(ctx, node):
            return True
        if not keeps_size(ctx, node):
            return False
        node = node.func.value
    called = origin(ctx, node.func) if isinstance(node, cst.Call) else None
    if called in _ROWS or gives_dimensions(ctx, node):
        return True
    first = positional_argument(node, 0) if isinstance(node, cst.Call) and called in _OF_DATA else None
    return first is not None and isinstance(first.value, (cst.List, cst.Tuple, cst.ListComp))


def are_in_one_statement(ctx: FileContext, one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Whether two expressions are evaluated by the same line."""
    lines = [
        next((up for up in ctx.tree.ancestors(node) if isinstance(up, cst.BaseSmallStatement)), None)
        for node in (one, other)
    ]
    return lines[0] is lines[1] is not None


def gives_dimensions(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether a result has dimensions, whatever it is made of: ``x.view(-1)``, ``x.nonzero()``, ``torch.cat(xs)``."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return False
    if node.func.attr.value in ("cat", "stack"):
        return origin(ctx, node.func) is not None
    if node.func.attr.value in _SHAPES:
        sizes = [one.value for one in node.args if one.keyword is None and not one.star]
        sizes = [part.value for part in sizes[0].elements] if _is_list(sizes) else sizes
        return len(sizes) > 1 or any(isinstance(one, (cst.Integer, cst.UnaryOperation)) for one in sizes)
    return node.func.attr.value in _SIZED or _orders_several(node)


def is_beside_another(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether a call takes two tensors, of which one may be without dimensions and elsewhere: ``x.mul(y)``."""
    if not isinstance(node, cst.Call):
        return False
    called = origin(ctx, node.func)
    if called is not None:
        takes_number = called in _OF_TWO_FUNCTIONS or allows_number(called, 0, None)
        return bool(takes_number) and sum(not is_literal_number(one.value) for one in node.args) > 1
    method = _called(node)
    is_of_two = method in _OF_TWO or (method in ARITHMETIC and not method.endswith("_"))
    return is_of_two and any(not is_literal_number(one.value) for one in node.args)


def _orders_several(call: cst.Call) -> bool:
    """Whether a call gives the dimensions of a tensor another order: ``x.permute(0, 2, 1)``, ``x.transpose(1, 2)``."""
    if _called(call) not in _ORDERS or not isinstance(call.func, cst.Attribute):
        return False
    dims = [_dimension(one.value) for one in call.args if one.keyword is None]
    return max((one for one in dims if one is not None), default=0) > 1


def _is_list(values: list[cst.BaseExpression]) -> TypeGuard[list[cst.Tuple | cst.List]]:
    """Whether a single value is a list or a tuple, as it is written."""
    return len(values) == 1 and isinstance(values[0], (cst.Tuple, cst.List))


def leaves_dimensions(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether a result has dimensions, since what it is made of has: ``x.sum(1)`` keeps the first one.

    A tensor that has no such dimension is an error.
    """
    if not isinstance(node, cst.Call) or _called(node) not in _REDUCTIONS | _ALONG:
        return False
    dims = _dimensions(ctx, node)
    return max(dims, default=0) > (1 if _called(node) in _ALONG else len(dims))


def asked_dimension(ctx: FileContext, call: cst.Call) -> cst.BaseExpression | None:
    """The tensor that certainly has dimensions, since a call works along one: ``x`` of ``softmax(x, 1)``."""
    if _orders_several(call) and origin(ctx, call.func) is None:
        return call.func.value if isinstance(call.func, cst.Attribute) else None
    if _called(call) not in _REDUCTIONS | _ALONG or max(_dimensions(ctx, call), default=0) < 2:
        return None
    if origin(ctx, call.func) is None:
        return call.func.value if isinstance(call.func, cst.Attribute) else None
    first = positional_argument(call, 0)
    return first.value if first is not None else None


def _dimensions(ctx: FileContext, call: cst.Call) -> list[int]:
    """For each dimension that a call works along, how many a tensor has that has it; none where one is not known."""
    at = 0 if origin(ctx, call.func) is None else 1
    given = keyword_argument(call, "dim") or (positional_argument(call, at) if _called(call) != "norm" else None)
    dims = [_dimension(one) for one in _parts(given.value)] if given is not None else []
    return [one for one in dims if one is not None] if None not in dims else []


def _parts(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """``0`` and ``1`` of ``(0, 1)``."""
    return [one.value for one in node.elements] if isinstance(node, (cst.Tuple, cst.List)) else [node]


def _dimension(node: cst.BaseExpression) -> int | None:
    """How many dimensions a tensor has at least that has this one."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        return node.expression.evaluated_value if isinstance(node.expression, cst.Integer) else None
    return node.evaluated_value + 1 if isinstance(node, cst.Integer) else None


def _called(call: cst.Call) -> str:
    """The last part of the name of what is called."""
    if isinstance(call.func, cst.Attribute):
        return call.func.attr.value
    return (dotted_name(call.func) or "").rpartition(".")[2]
