"""The device of a tensor that the body of a ``with`` computes with: the best answer to where that body runs."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.devices.module_device import is_moved
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.module_structure import class_of, is_module, method_of
from devlint.analysis.names.reaching_definitions import certainly_bound, may_reach
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.fixes.device.choice import DeviceChoice
from devlint.syntax.file_context import FileContext

_METHODS = frozenset(
    "size dim unsqueeze unsqueeze_ squeeze_ permute contiguous expand expand_as view_as type_as new_zeros new_ones "
    "new_full new_tensor new_empty index_select masked_fill masked_fill_ detach bmm softmax log_softmax sigmoid tanh "
    "norm numel chunk narrow scatter scatter_ gather matmul".split()
)
"""What tensors have, and neither arrays nor modules do."""
_TAKE_TENSORS = ("torch.nn.functional.",)
_TENSOR_FUNCTIONS = frozenset(
    f"torch.{name}"
    for name in "cat stack matmul bmm einsum exp log softmax sigmoid view_as_complex norm abs sum".split()
)
_MAKE_TENSORS = frozenset({"torch.cat", "torch.stack", "torch.matmul", "torch.bmm"})


def region_device(ctx: FileContext, at: cst.CSTNode, plain_functions: bool) -> DeviceChoice | None:
    """``x.device`` for a tensor in the body of the ``with`` that holds ``at``, in a method of an nn.Module.

    With ``plain_functions`` in any function that is handed the tensor.
    """
    region = next((one for one in ctx.tree.ancestors(at) if isinstance(one, cst.With)), None)
    function = scopes(ctx).function_of(at)
    if (
        region is None
        or function is None
        or not any(one is at for item in region.items for one in ctx.tree.below(item))
    ):
        return None
    definition, method = class_of(ctx, at), method_of(ctx, at)
    in_module = definition is not None and method is function and is_module(ctx, definition)
    if method is not None and method.name.value == "__init__" or not (in_module or plain_functions):
        return None
    for name in dict.fromkeys(_tensors(ctx, region, function)):
        if not is_moved(ctx, name.value, function) and _is_the_same(ctx, name, region, at):
            return DeviceChoice(f"{name.value}.device")
    return None


def _tensors(ctx: FileContext, region: cst.With, function: cst.FunctionDef) -> Iterator[cst.Name]:
    """The names in a body that are certainly tensors there, in source order."""
    for node in ctx.tree.below(region.body):
        if not isinstance(node, cst.Name):
            continue
        scope = scopes(ctx).binder(node.value, node)
        if scope is None or scope.node is not function:
            continue
        if _is_used_as_tensor(ctx, node) or any(_is_made_tensor(ctx, one.node) for one in scope.bindings[node.value]):
            yield node


def _is_used_as_tensor(ctx: FileContext, name: cst.Name) -> bool:
    parent = ctx.tree.parent(name)
    if isinstance(parent, cst.Attribute) and parent.value is name:
        call = ctx.tree.parent(parent)
        return isinstance(call, cst.Call) and call.func is parent and parent.attr.value in _METHODS
    while isinstance(parent, (cst.Element, cst.List, cst.Tuple, cst.BinaryOperation)):
        parent = ctx.tree.parent(parent)
    call = ctx.tree.parent(parent) if isinstance(parent, cst.Arg) else None
    if not isinstance(call, cst.Call) or call.args[0] is not parent:
        return False
    called = origin(ctx, call.func) or ""
    return called.startswith(_TAKE_TENSORS) or called in _TENSOR_FUNCTIONS


def _is_made_tensor(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a binding makes a tensor: ``x: Tensor`` or ``x = torch.cat(...)``."""
    if isinstance(node, cst.Param):
        annotation = node.annotation.annotation if node.annotation is not None else None
        return annotation is not None and (
            origin(ctx, annotation) == "torch.Tensor" or dotted_name(annotation) == "Tensor"
        )
    value: cst.BaseExpression | None = node.value if isinstance(node, cst.Assign) else None
    while isinstance(value, cst.Subscript):
        value = value.value
    return isinstance(value, cst.Call) and (origin(ctx, value.func) or "") in _MAKE_TENSORS


def _is_the_same(ctx: FileContext, name: cst.Name, region: cst.With, at: cst.CSTNode) -> bool:
    """Whether a name that is a tensor in the body is the same tensor, or another one, at ``at``."""
    scope = scopes(ctx).binder(name.value, at)
    if scope is None or not certainly_bound(ctx, name.value, scope, at):
        return False
    known = [one for one in scope.bindings[name.value] if one.how in (How.PARAMETER, How.ASSIGN)]
    if len(known) != len(scope.bindings[name.value]):
        return False
    if not _is_used_as_tensor(ctx, name):
        return all(_is_made_tensor(ctx, one.node) for one in may_reach(ctx, scope, known, at))
    inside = {id(one) for one in ctx.tree.below(region.body)}
    before = [one for one in known if id(one.node) in inside and ctx.span(one.node).end < ctx.span(name).start]
    return not before
