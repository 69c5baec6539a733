"""Whether an expression is certainly a tensor, and not a module, a batch of something or an array."""

from __future__ import annotations

from itertools import takewhile

import libcst as cst

from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.control_flow import exits
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import bindings, implies_not_none, is_none, origin, uses_of
from devlint.analysis.names.scopes import Scope, bound_values
from devlint.analysis.tensors.factories import factory_call
from devlint.analysis.tensors.tensor_uses import is_used_as_tensor
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.literals import literal_value
from devlint.torch_api.moves import PARTS
from devlint.torch_api.tensor_functions import (
    FUNCTIONAL,
    INPUT_METHODS,
    KEPT,
    MADE,
    NN_PARAMETERS,
    ONLY_TENSORS,
    PARAMETERS,
    TYPES,
)
from devlint.torch_api.tensor_makers import NEW_METHODS

_DEPTH = 5
_TO_THE_CPU = frozenset(("cpu", "numpy", "tolist", "item"))
_KIND_TESTS = frozenset(("hasattr", "isinstance", "type", "torch.is_tensor"))


def is_tensor(ctx: FileContext, node: cst.CSTNode, depth: int = _DEPTH) -> bool:
    """Whether ``node`` is a tensor as far as the file proves, or says by an annotation."""
    if depth == 0:
        return False
    if isinstance(node, cst.Call):
        return _call(ctx, node, depth - 1)
    if isinstance(node, cst.Attribute):
        return _attribute(ctx, node, depth - 1)
    if isinstance(node, cst.Subscript):
        return is_tensor(ctx, node.value, depth - 1)
    if isinstance(node, cst.BinaryOperation):
        return is_tensor(ctx, node.left, depth - 1) or is_tensor(ctx, node.right, depth - 1)
    if isinstance(node, cst.Comparison):
        return _compares_elements(node) and is_tensor(ctx, node.left, depth - 1)
    if isinstance(node, cst.UnaryOperation):
        return not isinstance(node.operator, cst.Not) and is_tensor(ctx, node.expression, depth - 1)
    if isinstance(node, cst.IfExp):
        return is_tensor(ctx, node.body, depth - 1) and is_tensor(ctx, node.orelse, depth - 1)
    return isinstance(node, cst.Name) and _name(ctx, node, depth - 1)


def _compares_elements(node: cst.Comparison) -> bool:
    """Whether a comparison gives what it compares element by element: ``x == 1``, not ``x is None``."""
    return len(node.comparisons) == 1 and not isinstance(
        node.comparisons[0].operator, (cst.In, cst.NotIn, cst.Is, cst.IsNot)
    )


def is_parameter(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression makes an nn.Parameter."""
    return isinstance(node, cst.Call) and origin(ctx, node.func) in NN_PARAMETERS


def _call(ctx: FileContext, call: cst.Call, depth: int) -> bool:
    called = origin(ctx, call.func)
    if called is not None:
        return called in MADE or called.startswith(FUNCTIONAL) or factory_call(ctx, call) is not None
    if isinstance(call.func, cst.Attribute):
        method, receiver = call.func.attr.value, call.func.value
        evident = method in ONLY_TENSORS and isinstance(receiver, cst.BinaryOperation)
        return method in NEW_METHODS or (method in KEPT and (evident or is_tensor(ctx, receiver, depth)))
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


def _attribute(ctx: FileContext, node: cst.Attribute, depth: int) -> bool:
    """Whether ``self.x`` is a tensor in every assignment of its class; ``x.grad`` and ``x.data`` are if ``x`` is."""
    if node.attr.value in PARAMETERS and not _quantizes(ctx):
        return True
    if node.attr.value in PARTS and is_tensor(ctx, node.value, depth):
        return True
    values = attribute_values(ctx, node)
    return bool(values) and all(is_tensor(ctx, one, depth) for one in values)


@fact
def _quantizes(ctx: FileContext) -> bool:
    """Whether the file imports bitsandbytes, whose parameters are quantized in place where they are moved."""
    named = [node.module for node in ctx.tree.of_type(cst.ImportFrom) if node.module is not None]
    named += [alias.name for node in ctx.tree.of_type(cst.Import) for alias in node.names]
    return any((dotted_name(one) or "").partition(".")[0] == "bitsandbytes" for one in named)


def attribute_values(ctx: FileContext, node: cst.Attribute) -> list[cst.BaseExpression]:
    """Every value that the class around ``node`` gives to ``self.x``; none for an attribute of anything else."""
    dotted = dotted_name(node) or ""
    method, definition = method_of(ctx, node), class_of(ctx, node)
    if method is None or definition is None or dotted.count(".") != 1:
        return []
    if dotted.partition(".")[0] != self_name(method):
        return []
    return [one for one in bound_values(ctx, dotted, node) if ctx.tree.is_around(definition, one)]


def _name(ctx: FileContext, name: cst.Name, depth: int) -> bool:
    scope, every = bindings(ctx, name.value, name)
    if scope is None:
        return False
    found = may_reach(ctx, scope, every, name)
    if any(one.how is How.AUGMENTED for one in found):
        found = [one for one in every if one.how is not How.AUGMENTED]
    evident = _shown_bindings(ctx, scope, name.value)
    return bool(found) and all(_bound(ctx, one, id(one) in evident, depth) for one in found)


def _bound(ctx: FileContext, binding: Binding, evident: bool, depth: int) -> bool:
    node, value = binding.node, binding.value
    if binding.how is How.ASSIGN and value is not None:
        opaque = isinstance(value, (cst.Call, cst.Subscript, cst.Attribute)) and evident
        return opaque or is_tensor(ctx, value, depth)
    if binding.how is How.PARAMETER and isinstance(node, cst.Param) and not node.star:
        return is_annotated_as_tensor(ctx, node, optional=True) or (
            evident and node.annotation is None and node.default is None
        )
    if binding.how is How.LOOP and isinstance(node, (cst.For, cst.CompFor)) and isinstance(node.target, cst.Name):
        return evident or _gives_parameters(node.iter) or _has_only_tensors(ctx, node.iter, depth)
    return evident and binding.how in (How.UNPACK, How.LOOP)


def _has_only_tensors(ctx: FileContext, walked: cst.CSTNode, depth: int) -> bool:
    """Whether a list, or what a name that nothing is added to stands for, is made of tensors: ``[x.long() for …]``."""
    scope, every = bindings(ctx, walked.value, walked) if isinstance(walked, cst.Name) else (None, [])
    given = [walked] if scope is None else [one.value for one in may_reach(ctx, scope, every, walked)]
    uses = uses_of(ctx, scope, walked.value) if isinstance(walked, cst.Name) else ()
    if any(isinstance(ctx.tree.parent(one), (cst.Attribute, cst.Subscript)) for one in uses):
        return False
    return bool(given) and all(isinstance(one, cst.ListComp) and is_tensor(ctx, one.elt, depth) for one in given)


def is_annotated_as_tensor(ctx: FileContext, parameter: cst.Param, optional: bool = False) -> bool:
    """Whether a parameter is annotated as a tensor, and never None, or (``optional``) as one or None."""
    if not optional and may_be_given_none(ctx, parameter):
        return False
    annotation = parameter.annotation.annotation if parameter.annotation is not None else None
    if optional and isinstance(annotation, cst.Subscript) and _is_optional(annotation):
        element = annotation.slice[0].slice
        annotation = element.value if isinstance(element, cst.Index) else None
    if isinstance(annotation, cst.SimpleString):
        return literal_value(annotation) in ("torch.Tensor", "Tensor")
    if annotation is None:
        return False
    return origin(ctx, annotation) in TYPES or dotted_name(annotation) == "Tensor"


def may_be_given_none(ctx: FileContext, parameter: cst.Param) -> bool:
    """Whether a parameter is None by default, or the function asks whether it is, but not to stop at its begin."""
    if parameter.default is not None and is_none(parameter.default):
        return True
    name = parameter.name.value
    function = next((one for one in ctx.tree.ancestors(parameter) if isinstance(one, cst.FunctionDef)), None)
    body = function.body.body if function is not None and isinstance(function.body, cst.IndentedBlock) else ()
    lines = takewhile(lambda one: isinstance(one, (cst.If, cst.SimpleStatementLine)), body)
    stops = {id(one.test) for one in lines if isinstance(one, cst.If) and exits(one.body)}
    return any(
        isinstance(one, cst.Comparison)
        and dotted_name(one.left) == name
        and is_none(one.comparisons[0].comparator)
        and not isinstance(ctx.tree.parent(one), cst.Assert)
        and not (id(one) in stops and implies_not_none(one, name, False))
        for line in body
        for one in ctx.tree.below(line)
    )


def _is_optional(annotation: cst.Subscript) -> bool:
    return (dotted_name(annotation.value) or "").endswith("Optional")


def is_tensor_input(ctx: FileContext, parameter: cst.Param, method: cst.FunctionDef) -> bool:
    """Whether a parameter of an nn.Module's method is annotated as a tensor, or used as tensors are."""
    if parameter.annotation is not None:
        return is_annotated_as_tensor(ctx, parameter)
    calls = [one for one in ctx.tree.below(method.body) if isinstance(one, cst.Call)]
    methods = (one.func for one in calls if isinstance(one.func, cst.Attribute))
    named = (one.value for one in methods if one.attr.value in INPUT_METHODS)
    if all(dotted_name(one) != parameter.name.value for one in named):
        return False
    tested = filter(None, (tested_for_kind(ctx, one) for one in calls))
    return all(one.value != parameter.name.value for one in tested)


def tested_for_kind(ctx: FileContext, call: cst.Call) -> cst.Name | None:
    """``x`` of ``isinstance(x, tuple)``, which may be of several kinds, but not of what is asserted."""
    tested = call.args[0].value if call.args and dotted_name(call.func) in _KIND_TESTS else None
    is_certain = isinstance(ctx.tree.parent(call), cst.Assert)
    return tested if isinstance(tested, cst.Name) and not is_certain else None


def _shown_bindings(ctx: FileContext, scope: Scope, name: str) -> frozenset[int]:
    """The bindings, by their ``id``, that give a name what a use shows to be a tensor, perhaps after its own methods.

    A use below another binding says nothing: ``x`` may be an array above ``x = torch.tensor(x)``.
    """
    known = ctx.fact(_bindings_by_name)
    if (id(scope), name) not in known:
        is_shown = (id(scope.node), name) in ctx.fact(_used_as_tensors)
        known[id(scope), name] = _shown(ctx, scope, name) if is_shown else frozenset()
    return known[id(scope), name]


def _bindings_by_name(ctx: FileContext) -> dict[tuple[int, str], frozenset[int]]:
    return {}


def _shown(ctx: FileContext, scope: Scope, name: str) -> frozenset[int]:
    found, shown = scope.bindings[name], set[int]()
    waiting: list[cst.CSTNode] = [one for one in uses_of(ctx, scope, name) if is_used_as_tensor(ctx, one)]
    while waiting:
        for one in may_reach(ctx, scope, found, waiting.pop()):
            if id(one) not in shown:
                shown.add(id(one))
                waiting += [one.node] if one.how is How.AUGMENTED else _named_below(one.value, name)
    return frozenset(shown)


def _named_below(value: cst.CSTNode | None, name: str) -> list[cst.CSTNode]:
    """The name whose methods give a value: ``x`` of ``x.float().contiguous()``."""
    while isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) and value.func.attr.value in KEPT:
        value = value.func.value
    return [value] if isinstance(value, cst.Name) and value.value == name else []


def _used_as_tensors(ctx: FileContext) -> frozenset[tuple[int, str]]:
    found = set()
    for call in ctx.tree.of_type(cst.Call):
        function = call.func
        if isinstance(function, cst.Attribute) and function.attr.value in ONLY_TENSORS:
            owner = function.value
            scope = bindings(ctx, owner.value, owner)[0] if isinstance(owner, cst.Name) else None
            if scope is not None and isinstance(owner, cst.Name) and owner.value not in ("self", "cls"):
                found.add((id(scope.node), owner.value))
    return frozenset(found)


def leaves_device(ctx: FileContext, value: cst.BaseExpression | None) -> bool:
    """Whether a value is on the CPU, or no tensor, by a method on its way: ``x.detach().cpu().numpy()``."""
    calls = (one for one in (value, *ctx.tree.below(value)) if isinstance(one, cst.Call)) if value is not None else ()
    return any(isinstance(one.func, cst.Attribute) and one.func.attr.value in _TO_THE_CPU for one in calls)
