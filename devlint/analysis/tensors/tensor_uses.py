"""What shows by its use that a name is a tensor: a method of it, or a function of torch that is given it."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import attributes_named, bindings, origin
from devlint.syntax.file_context import FileContext
from devlint.torch_api.tensor_functions import CASTS, FUNCTIONAL, INPUT_METHODS, OPERATIONS, TENSOR_METHODS
from devlint.torch_api.tensor_operands import LISTS

_SEQUENCES = (cst.List, cst.Tuple)
_TAKE_OTHERS = LISTS | {"torch.einsum", "torch.pow", "torch.remainder", "torch.normal"}
"""Operations whose first argument is a list, a text, or perhaps a number."""
_ASK_FOR_SEVERAL = frozenset({"as_tuple", "need_weights", "return_indices"})
"""Keywords by which an operation is asked for a tuple."""


def is_used_as_tensor(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a method that only tensors have is called on a name here, or a function of torch that takes them.

    No module has parts such as ``x[:, 1:]``, and no array ``float()``.
    """
    parent = ctx.tree.parent(name)
    if isinstance(parent, cst.Subscript) and parent.value is name and len(parent.slice) > 1:
        method = ctx.tree.parent(parent)
        is_called = isinstance(method, cst.Attribute) and isinstance(ctx.tree.parent(method), cst.Call)
        is_part = is_called and any(isinstance(one.slice, cst.Slice) for one in parent.slice)
        return is_part and isinstance(method, cst.Attribute) and method.attr.value in (CASTS | TENSOR_METHODS)
    if isinstance(parent, cst.Attribute) and parent.value is name:
        call = ctx.tree.parent(parent)
        return isinstance(call, cst.Call) and call.func is parent and parent.attr.value in TENSOR_METHODS
    return _is_given_to_torch(ctx, name)


def has_input_method(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a method is called on a name here that shows that a parameter of a module's method is a tensor."""
    method = ctx.tree.parent(name)
    if not isinstance(method, cst.Attribute) or method.value is not name:
        return False
    call = ctx.tree.parent(method)
    return isinstance(call, cst.Call) and call.func is method and method.attr.value in INPUT_METHODS


def _is_given_to_torch(ctx: FileContext, name: cst.Name) -> bool:
    """Whether an operation of torch is given a name, or a sum or product of it and a number, or a list that has it.

    ``torch.stack(x)`` takes a list or a tuple, which ``x`` is then, and ``torch.exp(k * x)`` a number for ``k``.
    """
    node: cst.CSTNode = name
    parent, is_listed = ctx.tree.parent(name), False
    while isinstance(parent, (cst.Element, *_SEQUENCES, cst.BinaryOperation)):
        if isinstance(parent, cst.BinaryOperation) and not (is_listed or _is_beside_number(parent, node)):
            return False
        is_listed = is_listed or isinstance(parent, _SEQUENCES)
        node, parent = parent, ctx.tree.parent(parent)
    call = ctx.tree.parent(parent) if isinstance(parent, cst.Arg) else None
    if not isinstance(call, cst.Call) or call.args[0] is not parent or not _is_first(call.args[0]):
        return False
    called = origin(ctx, call.func) or ""
    return _is_operation(called) and (called in LISTS if is_listed else called not in _TAKE_OTHERS)


def _is_first(arg: cst.Arg) -> bool:
    """Whether an argument is what an operation computes with, and not ``dim=x``, ``*x``."""
    return not arg.star and (arg.keyword is None or arg.keyword.value in ("input", "tensors"))


def _is_beside_number(node: cst.BinaryOperation, side: cst.CSTNode) -> bool:
    """Whether the other side of an operation is a number that the text has, ``1 - x``, so that this one is none."""
    other = node.left if node.right is side else node.right
    return isinstance(other, (cst.Integer, cst.Float))


def is_differentiated(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a name that is asked for gradients, as tensors and modules are, is what something is derived by."""
    arg = ctx.tree.parent(name)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call) or len(call.args) < 2 or call.args[1] is not arg or arg.keyword is not None:
        return False
    if origin(ctx, call.func) != "torch.autograd.grad":
        return False
    owner = bindings(ctx, name.value, name)[0]
    asked = (one.value for one in attributes_named(ctx, "requires_grad_") if isinstance(one.value, cst.Name))
    return any(one.value == name.value and bindings(ctx, name.value, one)[0] is owner for one in asked)


def is_result_of_tensors(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` is what a function of torch makes of other tensors, or a part of it."""
    is_part = isinstance(node, cst.Subscript)
    while isinstance(node, cst.Subscript):
        node = node.value
    called = (origin(ctx, node.func) or "") if isinstance(node, cst.Call) else ""
    return _is_operation(called) and (is_part or not _may_give_several(called, node))


def _may_give_several(called: str, node: cst.CSTNode) -> bool:
    """Whether an operation may give a tuple: ``torch.where(mask)``, ``F.max_pool2d(x, 2, return_indices=True)``."""
    args = node.args if isinstance(node, cst.Call) else ()
    if any(one.keyword is not None and one.keyword.value in _ASK_FOR_SEVERAL for one in args):
        return True
    return called.endswith(("_with_indices", "_forward")) or (called == "torch.where" and len(args) == 1)


def _is_operation(called: str) -> bool:
    return called in OPERATIONS or called.startswith(FUNCTIONAL)
