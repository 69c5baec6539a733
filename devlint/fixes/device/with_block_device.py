"""The device of a tensor that the body of a ``with`` computes with."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.devices.none_devices import is_tested_for_none
from devlint.analysis.names.bindings import How
from devlint.analysis.names.classes import class_of, is_module, method_of
from devlint.analysis.names.control_flow import is_by_choice
from devlint.analysis.names.reaching_definitions import certainly_bound, may_reach
from devlint.analysis.names.resolution import is_none
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.module_device import moves_parameter
from devlint.analysis.owners.module_layers import is_input_of_layer
from devlint.analysis.tensors.factories import factory_call
from devlint.analysis.tensors.name_marks import may_be_of_several_kinds
from devlint.analysis.tensors.tensor_uses import is_differentiated, is_result_of_tensors, is_used_as_tensor
from devlint.analysis.tensors.tensor_values import is_annotated_as_tensor
from devlint.fixes.device.choice import DeviceChoice
from devlint.syntax.file_context import FileContext


def with_block_device(ctx: FileContext, at: cst.CSTNode, plain_functions: bool) -> DeviceChoice | None:
    """``x.device`` for a tensor in the body of the ``with`` that holds ``at``, in a method of an nn.Module.

    With ``plain_functions`` also in any other function that is given the tensor.
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
        if not moves_parameter(ctx, name.value, function) and _is_the_same(ctx, name, region, at):
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
        if _shows_tensor(ctx, node) or any(_is_made_tensor(ctx, one.node) for one in scope.bindings[node.value]):
            yield node


def _shows_tensor(ctx: FileContext, name: cst.Name) -> bool:
    """Whether what is done with a name here shows that it is a tensor."""
    return is_used_as_tensor(ctx, name) or is_differentiated(ctx, name) or is_input_of_layer(ctx, name)


def _is_made_tensor(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a binding makes a tensor: ``x: Tensor`` or ``x = torch.cat(...)``."""
    if isinstance(node, cst.Param):
        return is_annotated_as_tensor(ctx, node)
    return isinstance(node, cst.Assign) and is_result_of_tensors(ctx, node.value)


def _is_the_same(ctx: FileContext, name: cst.Name, region: cst.With, at: cst.CSTNode) -> bool:
    """Whether a name that is a tensor in the body is bound to a tensor at ``at``, too."""
    scope = scopes(ctx).binder(name.value, at)
    if scope is None or not certainly_bound(ctx, name.value, scope, at):
        return False
    known = [one for one in scope.bindings[name.value] if one.how is not How.DELETE]
    if any(one.how not in (How.PARAMETER, How.ASSIGN, How.UNPACK) for one in known):
        return False
    reaching = list(may_reach(ctx, scope, known, at))
    if any(_may_be_elsewhere(ctx, one.node) for one in reaching):
        return False
    if may_be_of_several_kinds(ctx, scope, name.value):
        return False
    if not _shows_tensor(ctx, name):
        return all(_is_made_tensor(ctx, one.node) for one in reaching)
    if is_tested_for_none(ctx, name.value, name) and not is_tested_for_none(ctx, name.value, at):
        return False
    if is_by_choice(ctx, name, region):
        return False
    inside = {id(one) for one in ctx.tree.below(region.body)}
    before = [one for one in known if id(one.node) in inside and ctx.span(one.node).end < ctx.span(name).start]
    return not before


def _may_be_elsewhere(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a binding may give None, or a tensor that is made on the CPU: ``n = torch.tensor([len(text)])``."""
    value = node.value if isinstance(node, (cst.Assign, cst.AnnAssign)) else None
    choices = [value.body, value.orelse] if isinstance(value, cst.IfExp) else [value]
    if isinstance(value, (cst.Tuple, cst.List)):
        choices = [one.value for one in value.elements]
    for one in choices:
        made = factory_call(ctx, one) if one is not None else None
        if (one is not None and is_none(one)) or (made is not None and made.takes_no_device):
            return True
    return False
