"""Tensors whose device the program queries: ``x.is_cuda``, ``x.get_device()``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.cuda_literals import CudaLiteral, LiteralKind, cuda_literal
from devlint.analysis.guards.questions import Guard
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import bases, class_of, method_of, self_name
from devlint.analysis.names.resolution import (
    bindings,
    in_torch_device,
    is_torch,
    origin,
    sole_value,
    torch_device_of,
    uses_of,
)
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.slots.device_arguments import slot_owner
from devlint.analysis.tensors.tensor_values import is_tensor
from devlint.syntax.comparisons import joined_parts
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import looks_like_device

_TENSOR_ATTRIBUTES = frozenset("size shape dim dtype is_cuda view data".split())
_OPTIONS = ("arg", "opt", "conf", "cfg", "flag", "hparam", "setting", "param")


def queried_tensor(ctx: FileContext, test: cst.CSTNode) -> cst.BaseExpression | None:
    """``x`` of ``x.is_cuda``; None for a flag of the program's own, or for more than one line."""
    if not isinstance(test, cst.Attribute) or test.attr.value != "is_cuda" or "\n" in ctx.text_of(test):
        return None
    owner = dotted_name(test.value)
    method = method_of(ctx, test)
    if owner is not None and method is not None and owner == self_name(method):
        return None
    parts = (owner or "").rpartition(".")[2].lower().split("_")
    options = any(part.startswith(_OPTIONS) for part in parts)  # not a target
    own = options and not is_tensor(ctx, test.value) and not (owner or "").lower().startswith("param")
    imported = origin(ctx, test.value) is not None
    return None if own or imported or dotted_name(test) in ctx.fact(_set_flags) else test.value


def guarding_tensor(ctx: FileContext, guard: Guard, at: cst.CSTNode, part: bool = False) -> cst.BaseExpression | None:
    """The tensor whose ``is_cuda`` a guard tests, if its names are the same ones ``at`` the guarded code.

    It may be a ``part`` of the test, as in ``x.is_contiguous() and x.is_cuda``.
    """
    test, holds = guard.test, guard.holds
    while isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        test, holds = test.expression, not holds
    asked = _queried_part if part else queried_tensor
    tensor = asked(ctx, test) if holds else None
    return tensor if tensor is not None and _means_the_same(ctx, tensor, at) else None


def guarding_device(ctx: FileContext, guard: Guard, at: cst.CSTNode) -> cst.BaseExpression | None:
    """``x.device`` or ``device`` where a guard says that its type is ``"cuda"``, if it means the same in the code.

    The guard may be a name for that, ``use_gpu = device.type == "cuda"``, of a device that has no other value.
    """
    test = sole_value(ctx, guard.test) if isinstance(guard.test, cst.Name) else guard.test
    if test is None or not guard.holds:
        return None
    asked = next(filter(None, map(_asked_device, joined_parts(test, cst.And))), None)
    is_steady = test is guard.test or (isinstance(asked, cst.Name) and sole_value(ctx, asked) is not None)
    return asked if asked is not None and is_steady and _means_the_same(ctx, asked, at) else None


def _asked_device(test: cst.BaseExpression) -> cst.BaseExpression | None:
    """The device that a test asks for its type."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) > 1 or dotted_name(test.left) is None:
        return None
    asked, other = test.left, test.comparisons[0]
    if not isinstance(other.operator, cst.Equal) or string_value(other.comparator) != "cuda":
        return None
    device = asked.value if isinstance(asked, cst.Attribute) and asked.attr.value == "type" else None
    name = (dotted_name(device) or "") if device is not None else ""
    return device if looks_like_device(name.rpartition(".")[2].lstrip("_")) else None


def _means_the_same(ctx: FileContext, node: cst.BaseExpression, at: cst.CSTNode) -> bool:
    """Whether the names of an expression are the same ones at another place."""
    binder = scopes(ctx).binder
    names = (one for one in (node, *ctx.tree.below(node)) if isinstance(one, cst.Name))
    return all(binder(one.value, one) is binder(one.value, at) for one in names)


def _queried_part(ctx: FileContext, test: cst.BaseExpression) -> cst.BaseExpression | None:
    """The tensor that a test, or the first such part of ``x.is_contiguous() and x.is_cuda``, asks."""
    return next(filter(None, (queried_tensor(ctx, one) for one in joined_parts(test, cst.And))), None)


def is_input_of_kernel(ctx: FileContext, call: cst.Call) -> bool:
    """Whether ``x.cuda()`` stands below ``if not x.is_cuda:`` in an autograd function: its kernels are CUDA's."""
    definition = class_of(ctx, call)
    if definition is None or "torch.autograd.Function" not in bases(ctx, definition):
        return False
    test = next((one.test for one in ctx.tree.ancestors(call) if isinstance(one, cst.If)), None)
    if not isinstance(test, cst.UnaryOperation) or not isinstance(test.operator, cst.Not):
        return False
    tensor, receiver = queried_tensor(ctx, test.expression), getattr(call.func, "value", None)
    return tensor is not None and receiver is not None and dotted_name(tensor) == dotted_name(receiver)


def _set_flags(ctx: FileContext) -> frozenset[str]:
    """Attributes called ``is_cuda`` that the file assigns to."""
    targets = (one.target for one in ctx.tree.of_type(cst.AssignTarget))
    found = (dotted_name(one) for one in targets if isinstance(one, cst.Attribute) and one.attr.value == "is_cuda")
    return frozenset(one for one in found if one is not None)


def get_device_tensor(ctx: FileContext, node: cst.CSTNode) -> cst.BaseExpression | None:
    """``x`` of ``x.get_device()`` where that is certainly a tensor."""
    function = node.func if isinstance(node, cst.Call) and not node.args else None
    if not isinstance(function, cst.Attribute) or function.attr.value != "get_device" or "\n" in ctx.text_of(node):
        return None
    known = is_tensor(ctx, function.value) or dotted_name(function.value) in ctx.fact(_like_tensors)
    return function.value if known else None


def _like_tensors(ctx: FileContext) -> frozenset[str]:
    """Names whose size or dtype the file reads: if they have a ``get_device()`` too, they are tensors."""
    found = (dotted_name(one.value) for one in ctx.tree.of_type(cst.Attribute) if one.attr.value in _TENSOR_ATTRIBUTES)
    return frozenset(one for one in found if one is not None and one not in ("self", "cls"))


def literal_tensor(ctx: FileContext, literal: CudaLiteral) -> str | None:
    """The tensor whose device a literal names; None where its ``get_device()`` may be the program's own."""
    owner = literal.queried_tensor
    if owner is None or owner in ctx.fact(_like_tensors):
        return owner
    _, found = bindings(ctx, owner.partition(".")[0].partition("[")[0], literal.node)
    if owner in ("self", "cls") or any(one.how is How.IMPORT for one in found):
        return None
    return None if owner in ctx.fact(_called) or "def get_device(" in ctx.source.text else owner


def _called(ctx: FileContext) -> frozenset[str]:
    """Names that the file calls, which no tensor can be."""
    return frozenset(filter(None, (dotted_name(one.func) for one in ctx.tree.of_type(cst.Call))))


def choosing_tensor(ctx: FileContext, node: cst.IfExp) -> cst.BaseExpression | None:
    """``x`` of ``"cuda" if x.is_cuda else "cpu"``, of the same with torch.device, and of the same turned round."""
    test = node.test
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return _choosing(ctx, test.expression, node.orelse, node.body)
    return _choosing(ctx, test, node.body, node.orelse)


def choosing_statement(ctx: FileContext, node: cst.If) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """``x`` and ``"cuda"`` of ``if x.is_cuda: device = "cuda"`` and ``else: device = "cpu"``."""
    other = node.orelse.body if isinstance(node.orelse, cst.Else) else None
    gpu, cpu = _sole_assignment(node.body), _sole_assignment(other) if other is not None else None
    if gpu is None or cpu is None or isinstance(ctx.tree.parent(node), cst.If):
        return None
    target = gpu.targets[0].target
    if dotted_name(target) is None or dotted_name(target) != dotted_name(cpu.targets[0].target):
        return None
    tensor = _choosing(ctx, node.test, gpu.value, cpu.value)
    return (tensor, gpu.value) if tensor is not None else None


def is_chosen_by_tensor(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` is part of a choice between a tensor's GPU and the CPU."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, cst.IfExp) and choosing_tensor(ctx, parent) is not None:
            return True
        if isinstance(parent, cst.If):
            return child is parent.body and choosing_statement(ctx, parent) is not None
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return False
    return False


def _sole_assignment(block: cst.BaseSuite) -> cst.Assign | None:
    """The only statement of a block, where that is an assignment to one thing."""
    body = list(block.body)
    line = body[0] if len(body) == 1 else None
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else line
    return small if isinstance(small, cst.Assign) and len(small.targets) == 1 else None


def _choosing(
    ctx: FileContext, test: cst.BaseExpression, gpu: cst.BaseExpression, cpu: cst.BaseExpression
) -> cst.BaseExpression | None:
    """The tensor whose own type of device a test chooses."""
    tensor = queried_tensor(ctx, test)
    if tensor is None or not _is_cpu(ctx, cpu):
        return None
    literal, numbered = cuda_literal(ctx, gpu), get_device_tensor(ctx, in_torch_device(ctx, gpu))
    own = ctx.text_of(tensor)
    indexless = literal is not None and literal.kind is not LiteralKind.NUMBER and literal.index is None
    same = (literal is not None and literal.queried_tensor == own) or (
        numbered is not None and ctx.text_of(numbered) == own
    )
    return tensor if indexless or same else None


def _is_cpu(ctx: FileContext, node: cst.BaseExpression) -> bool:
    return string_value(in_torch_device(ctx, node)) == "cpu"


def replaceable_device(ctx: FileContext, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """What a device can replace: ``node``, or the ``torch.device(node)`` around it; None where it cannot.

    ``node`` must be a torch.device, in a device slot, or the value of a name that is used for nothing else.
    """
    if _is_device(ctx, node):
        return node
    around = torch_device_of(ctx, node)
    if around is not None:
        return around
    if slot_owner(ctx, node) is not None:
        return node
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0].target, cst.Name):
        return node if _only_places(ctx, parent.targets[0].target) else None
    return None


def _is_device(ctx: FileContext, node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.IfExp):
        return _is_device(ctx, node.body) and _is_device(ctx, node.orelse)
    return isinstance(node, cst.Call) and is_torch(ctx, node.func, "device")


def _only_places(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a name is only ever read where torch takes a device."""
    scope, _ = bindings(ctx, name.value, name)
    uses = uses_of(ctx, scope, name.value)
    read = [one for one in uses if not isinstance(ctx.tree.parent(one), cst.AssignTarget)]
    return bool(read) and all(slot_owner(ctx, one) is not None or torch_device_of(ctx, one) is not None for one in read)
