"""Whether what names a device is certainly not None: by what it is made as, and by all that gives it a value."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.devices.device_values import binding_value, device_value
from devlint.analysis.devices.none_devices import assigned_values, is_tested_for_none
from devlint.analysis.devices.torch_device_values import torch_device_proof
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.reaching_definitions import reaching_definitions
from devlint.analysis.names.resolution import implies_not_none, origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.analysis.project.module import Function
from devlint.analysis.slots.given.given_by_callers import is_evident, is_given_device, is_option_given
from devlint.analysis.slots.given.given_devices import given_to
from devlint.analysis.tensors.none_values import may_give_none
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_options

_DEPTH = 4
_TAKE_NO_NONE = frozenset({"torch.device", "torch.cuda.set_device"})
_LOOK_UP = {"get": True, "pop": True, "getenv": True, "getattr": False}
"""What looks something up and is given a default, and whether it is a method."""
_OF_TENSORS = frozenset("shape size dim dtype".split())
_MAY_BE_NONE = regex(r"\bNone\b|\bOptional\b|\bAny\b|\bint\b")
_SAYS_DEVICE = regex(r"\bdevice\b|\bDevice\w*\b|\bstr\b")


def is_surely_given(ctx: FileContext, node: cst.BaseExpression, depth: int = _DEPTH) -> bool:
    """Whether an expression is a device, or a number of a card, and certainly not None."""
    if depth == 0:
        return False
    name = dotted_name(node)
    if name is not None and (is_tested_for_none(ctx, name, node) or takes_no_none(ctx, name, node)):
        return True
    if isinstance(node, cst.Name):
        found = reaching_definitions(ctx, node)
        if any(replaces_none(ctx, one, node.value, node) for one in found):
            found = [one for one in found if one.how is not How.PARAMETER]
        return bool(found) and all(_is_bound(ctx, one, depth - 1) for one in found)
    if isinstance(node, cst.Attribute):
        return _is_attribute_given(ctx, node, depth - 1)
    if isinstance(node, cst.IfExp):
        return is_surely_given(ctx, node.body, depth - 1) and is_surely_given(ctx, node.orelse, depth - 1)
    if isinstance(node, cst.BooleanOperation):
        return isinstance(node.operator, cst.Or) and is_surely_given(ctx, node.right, depth - 1)
    if isinstance(node, cst.Call) and (_always_returns(ctx, node) or _is_looked_up(ctx, node, depth - 1)):
        return True
    return is_evident(device_value(ctx, node)) or torch_device_proof(ctx, node) is not None


def replaces_none(ctx: FileContext, binding: Binding, name: str, at: cst.CSTNode) -> bool:
    """Whether a name gets a value above a place where it is None: ``if device is None: device = pick()``."""
    owner = next((one for one in ctx.tree.ancestors(binding.node) if isinstance(one, (cst.If, cst.FunctionDef))), None)
    if binding.how is not How.ASSIGN or not isinstance(owner, cst.If) or ctx.span(owner).end > ctx.span(at).start:
        return False
    block = ctx.tree.parent(owner)
    is_above = block is not None and ctx.tree.is_around(block, at)
    return is_above and implies_not_none(owner.test, name, False)


def takes_no_none(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether the function around, or the module, gives a name to what takes no None: ``torch.device(args.device)``."""
    table, root = scopes(ctx), name.partition(".")[0]
    binder = table.binder(root, at)
    return any(table.binder(root, one) is binder for one in ctx.fact(_needed).get(name, ()))


def _needed(ctx: FileContext) -> dict[str, list[cst.CSTNode]]:
    """The names that a file gives to what takes no None, without asking first whether they are one."""
    found: dict[str, list[cst.CSTNode]] = {}
    for call in ctx.tree.of_type(cst.Call):
        name = dotted_name(call.args[0].value) if call.args else None
        if name is None or len(call.args) != 1 or origin(ctx, call.func) not in _TAKE_NO_NONE:
            continue
        if not any(isinstance(one, (cst.If, cst.IfExp, cst.Try)) for one in _around(ctx, call)):
            found.setdefault(name, []).append(call)
    return found


def _around(ctx: FileContext, node: cst.CSTNode) -> list[cst.CSTNode]:
    """What is around a node in its function."""
    found: list[cst.CSTNode] = []
    for one in ctx.tree.ancestors(node):
        if isinstance(one, (cst.FunctionDef, cst.Lambda)):
            break
        found.append(one)
    return found


def _always_returns(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a function of torch, or one of the project that gives something on every path, is called."""
    called, module = dotted_name(call.func) or "", own_module(ctx)
    if (origin(ctx, call.func) or "").startswith("torch."):
        return True
    found = project_around(ctx).index.resolve(module, called) if module is not None and called else None
    return found is not None and isinstance(found.node, Function) and not may_give_none(ctx, call)


def _is_looked_up(ctx: FileContext, call: cst.Call, depth: int) -> bool:
    """Whether a call gives a device where it finds none: ``config.get("device", "cuda")``."""
    if len(call.args) < 2 or any(one.keyword is not None or one.star for one in call.args):
        return False
    is_method = isinstance(call.func, cst.Attribute)
    name = call.func.attr.value if isinstance(call.func, cst.Attribute) else dotted_name(call.func)
    known = _LOOK_UP.get(name or "") == is_method
    return known and is_surely_given(ctx, call.args[-1].value, depth)


def _is_bound(ctx: FileContext, binding: Binding, depth: int) -> bool:
    if binding.how is How.ASSIGN and binding.value is not None:
        return is_surely_given(ctx, binding.value, depth)
    if binding.how is How.PARAMETER and isinstance(binding.node, cst.Param):
        return _is_parameter_given(ctx, binding.node, depth)
    return binding.how is How.IMPORT and is_evident(binding_value(ctx, binding))


def _is_parameter_given(ctx: FileContext, param: cst.Param, depth: int) -> bool:
    """Whether a parameter is a device by its annotation, its default, or what all calls of the project give it."""
    parameters = ctx.tree.parent(param)
    function = ctx.tree.parent(parameters) if parameters is not None else None
    if param.star or not isinstance(function, cst.FunctionDef):
        return False
    given = given_to(ctx, function, param)
    if any(isinstance(one, ast.Constant) and one.value is None for _, one in given):
        return False
    if param.default is not None:
        return is_surely_given(ctx, param.default, depth)
    said = ctx.text_of(param.annotation.annotation) if param.annotation is not None else ""
    if _SAYS_DEVICE.search(said) and not _MAY_BE_NONE.search(said):
        return True
    return bool(given) and all(is_given_device(ctx, *one) for one in given)


def _is_attribute_given(ctx: FileContext, node: cst.Attribute, depth: int) -> bool:
    """Whether an attribute is the device of a tensor, is only given devices, or is an option that has a default."""
    if is_evident(device_value(ctx, node)) or torch_device_proof(ctx, node) is not None:
        return True
    if node.attr.value == "device" and _is_used_as_tensor(ctx, node.value):
        return True
    name = dotted_name(node)
    values = assigned_values(ctx, name, node) if name is not None else []
    if values:
        return all(is_surely_given(ctx, one, depth) for one in values if one is not node)
    outside = set_from_outside(project_around(ctx), node.attr.value)
    if outside and all(one.gives_device for one in outside):
        return True
    owner = (name or "").rpartition(".")[0].rpartition(".")[2]
    return not outside and holds_options(owner) and is_option_given(ctx, node.attr.value)


def _is_used_as_tensor(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether the file reads the size or the dtype of what has a device, or of a name that it is an element of."""
    while isinstance(node, cst.Subscript):
        if dotted_name(node) in ctx.fact(_have_sizes):
            return True
        node = node.value
    return dotted_name(node) in ctx.fact(_have_sizes)


def _have_sizes(ctx: FileContext) -> frozenset[str | None]:
    owners = (one.value for one in ctx.tree.of_type(cst.Attribute) if one.attr.value in _OF_TENSORS)
    return frozenset(dotted_name(one) for one in owners) - {None}
