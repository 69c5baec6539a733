"""Whether an expression is certainly a tensor."""

from __future__ import annotations

import libcst as cst

from devlint.context import FileContext
from devlint.facts.bindings import Binding, How, dotted_name
from devlint.facts.names import bindings, origin
from devlint.facts.reaching import reaching
from devlint.facts.scopes import Scope

_DEPTH = 5
_MAKERS = frozenset(
    "zeros ones empty full rand randn randint randperm normal arange linspace logspace eye tensor as_tensor "
    "from_numpy zeros_like ones_like empty_like full_like rand_like randn_like randint_like cat stack hstack vstack "
    "where matmul mm bmm einsum tril triu diag flatten squeeze unsqueeze clamp exp log sqrt abs add sub mul div "
    "sigmoid tanh relu softmax sum mean FloatTensor LongTensor IntTensor ByteTensor BoolTensor DoubleTensor "
    "HalfTensor Tensor nn.Parameter nn.parameter.Parameter autograd.Variable cuda.FloatTensor cuda.LongTensor".split()
)
_KEPT = frozenset(
    "cuda cpu to float half double long int bool byte bfloat16 view reshape permute transpose t unsqueeze squeeze "
    "contiguous detach clone expand expand_as repeat flatten sum mean matmul mm bmm new_zeros new_ones new_empty "
    "new_full new_tensor masked_fill index_select gather clamp exp log sqrt abs add sub mul div softmax sigmoid tanh "
    "type_as requires_grad_ zero_ fill_ normal_ uniform_ view_as narrow pin_memory".split()
)
"""Methods of a tensor that give a tensor."""
_ONLY_TORCH = frozenset(
    "unsqueeze unsqueeze_ squeeze_ contiguous is_contiguous masked_fill masked_fill_ new_zeros new_ones new_empty "
    "new_full new_tensor expand_as view_as type_as numel requires_grad_ index_select zero_ copy_ fill_ normal_ "
    "uniform_ data_ptr storage_offset scatter_ scatter_add_ index_add_ index_copy_ is_floating_point".split()
)
"""Methods that tensors have, and arrays of other libraries do not."""
_PARTS = frozenset({"data", "T", "mT"})
_PARAMETERS = frozenset({"weight", "bias"})
"""Attributes of modules that nobody asks for a device unless they are tensors."""
_TYPES = frozenset(
    {"torch.Tensor", "torch.FloatTensor", "torch.LongTensor", "torch.autograd.Variable", "torch.nn.Parameter"}
)


def is_tensor(ctx: FileContext, node: cst.CSTNode, depth: int = _DEPTH) -> bool:
    """Whether ``node`` is a tensor as far as the file proves, or says by an annotation."""
    if depth == 0:
        return False
    if isinstance(node, cst.Call):
        return _call(ctx, node, depth - 1)
    if isinstance(node, cst.Attribute):
        part = node.attr.value in _PARTS and is_tensor(ctx, node.value, depth - 1)
        return part or node.attr.value in _PARAMETERS
    if isinstance(node, cst.Subscript):
        return is_tensor(ctx, node.value, depth - 1)
    if isinstance(node, cst.BinaryOperation):
        return is_tensor(ctx, node.left, depth - 1) or is_tensor(ctx, node.right, depth - 1)
    if isinstance(node, cst.IfExp):
        return is_tensor(ctx, node.body, depth - 1) and is_tensor(ctx, node.orelse, depth - 1)
    return isinstance(node, cst.Name) and _name(ctx, node, depth - 1)


def _call(ctx: FileContext, call: cst.Call, depth: int) -> bool:
    called = origin(ctx, call.func)
    if called is not None:
        return called.startswith("torch.") and called[len("torch.") :] in _MAKERS
    if isinstance(call.func, cst.Attribute):
        return call.func.attr.value in _KEPT and is_tensor(ctx, call.func.value, depth)
    return _is_next_parameter(ctx, call)


def _is_next_parameter(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call is ``next(model.parameters())``."""
    if not isinstance(call.func, cst.Name) or call.func.value != "next" or not call.args:
        return False
    return not bindings(ctx, "next", call)[1] and _gives_parameters(call.args[0].value)


def _gives_parameters(node: cst.CSTNode) -> bool:
    """Whether an expression is ``model.parameters()`` or ``model.buffers()``, perhaps through ``iter``."""
    if not isinstance(node, cst.Call):
        return False
    if dotted_name(node.func) == "iter" and len(node.args) == 1:
        return _gives_parameters(node.args[0].value)
    return isinstance(node.func, cst.Attribute) and node.func.attr.value in ("parameters", "buffers")


def _name(ctx: FileContext, name: cst.Name, depth: int) -> bool:
    found = reaching(ctx, name)
    scope, _ = bindings(ctx, name.value, name)
    if not found or scope is None:
        return False
    evident = _is_used_as_tensor(ctx, name.value, scope)
    return all(_bound(ctx, one, evident, depth) for one in found)


def _bound(ctx: FileContext, binding: Binding, evident: bool, depth: int) -> bool:
    node, value = binding.node, binding.value
    if binding.how is How.ASSIGN and value is not None:
        opaque = isinstance(value, (cst.Call, cst.Subscript, cst.Attribute)) and evident
        return opaque or is_tensor(ctx, value, depth)
    if binding.how is How.PARAMETER and isinstance(node, cst.Param) and not node.star:
        if node.annotation is not None:
            return origin(ctx, node.annotation.annotation) in _TYPES
        return evident and node.default is None
    if binding.how is How.LOOP and isinstance(node, (cst.For, cst.CompFor)) and isinstance(node.target, cst.Name):
        return evident or _gives_parameters(node.iter)
    if binding.how is How.AUGMENTED:
        return evident
    return evident and binding.how in (How.UNPACK, How.LOOP)


def _is_used_as_tensor(ctx: FileContext, name: str, scope: Scope) -> bool:
    """Whether the scope of a name calls a method of it that only tensors have."""
    return (id(scope.node), name) in ctx.fact(_used_as_tensors)


def _used_as_tensors(ctx: FileContext) -> frozenset[tuple[int, str]]:
    found = set()
    for call in ctx.tree.of_type(cst.Call):
        function = call.func
        if isinstance(function, cst.Attribute) and function.attr.value in _ONLY_TORCH:
            owner = function.value
            scope = bindings(ctx, owner.value, owner)[0] if isinstance(owner, cst.Name) else None
            if scope is not None and isinstance(owner, cst.Name) and owner.value not in ("self", "cls"):
                found.add((id(scope.node), owner.value))
    return frozenset(found)
