"""Values that are where another tensor is: what a caller gives, what is made of that, and what is put beside it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.classes import class_of, method_of, methods, self_name
from devlint.analysis.names.given_arguments import Rank, given_arguments
from devlint.analysis.names.reaching_definitions import reaching_definitions
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.tensors.factories import factory_call
from devlint.analysis.tensors.shared_devices import operand_of
from devlint.analysis.tensors.tensor_values import attribute_values
from devlint.syntax.comparisons import compared_values
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_options
from devlint.torch_api.moves import LEAVES, MOVES
from devlint.torch_api.tensor_makers import MAKE_LIKE, NEW_METHODS

_STEPS = 24
_SIZED = frozenset("empty ones rand randn zeros".split())
_NEW = NEW_METHODS | {"new", "type_as"}
_HAND_ON = frozenset("dict enumerate iter list next reversed sorted tuple zip".split())
"""The builtins that give what they are given, or parts of it."""
_LOADERS = frozenset({"torch.utils.data.DataLoader", "tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm"})
"""What walks over what it is given."""
_WEIGHTS = frozenset({"weight", "pos_weight"})
"""The tensors that a loss keeps."""


def comes_from_caller(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether the caller may give a value: a parameter, what the instance has of it, or what is made of one."""
    return any(isinstance(one, (Binding, cst.Attribute)) for one in _sources(ctx, node))


def imports_behind(ctx: FileContext, node: cst.BaseExpression) -> set[str]:
    """What is imported that gives a value, or what it is taken out of: ``data.Rows`` of ``for x in Rows(8):``."""
    return {one for one in _sources(ctx, node) if isinstance(one, str)}


def follows_another(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether a value is made to be where another tensor is: ``x.new(3)``, ``y.type_as(x)``, ``y.to(x.device)``."""
    return any(isinstance(one, cst.Call) for one in _sources(ctx, node))


def _sources(ctx: FileContext, node: cst.BaseExpression) -> Iterator[Binding | cst.Attribute | cst.Call | str]:
    """What decides where a value is.

    Parameters, attributes that nothing here sets, calls that name another tensor, and what is imported, by its name.
    """
    waiting: list[cst.BaseExpression] = [node]
    seen: set[int] = set()
    for _ in range(_STEPS):
        if not waiting:
            return
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        imported = origin(ctx, node)
        if imported is not None:
            yield imported
        elif isinstance(node, cst.Call) and _names_another(ctx, node):
            yield node
        elif isinstance(node, cst.Name):
            for one in reaching_definitions(ctx, node):
                if one.how is How.PARAMETER and not _is_new_instance(ctx, one):
                    yield one
                    given = given_arguments(ctx, one.node) if isinstance(one.node, cst.Param) else None
                    waiting += [each for each in given or () if not isinstance(each, Rank)]
                waiting += _given_by(one)
        elif isinstance(node, cst.Attribute) and _is_of_instance(ctx, node):
            values = attribute_values(ctx, node)
            if not values:
                yield node
            waiting += values
        else:
            waiting += _made_of(ctx, node)


def _given_by(binding: Binding) -> list[cst.BaseExpression]:
    """What a binding gives a name, or what that is taken out of: ``loader`` of ``for x in loader:``."""
    if isinstance(binding.node, (cst.For, cst.CompFor)):
        return [binding.node.iter]
    return [binding.value] if binding.value is not None and binding.how is not How.PARAMETER else []


def _made_of(ctx: FileContext, node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The values on whose device an expression is."""
    if isinstance(node, cst.BinaryOperation):
        sides = [node.left, node.right]
        return [] if any(_has_size_here(ctx, one) for one in sides) else sides
    if isinstance(node, cst.Comparison):
        return compared_values(node)
    if isinstance(node, cst.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, (cst.Attribute, cst.Subscript)):
        return [node.value]
    if isinstance(node, cst.Call) and (origin(ctx, node.func) or "").rpartition(".")[2] in MAKE_LIKE:
        return [one.value for one in node.args[:1]]
    below = operand_of(ctx, node)
    if below is not None:
        return [below]
    return _called_upon(ctx, node) if isinstance(node, cst.Call) else []


def _called_upon(ctx: FileContext, call: cst.Call) -> list[cst.BaseExpression]:
    """What gives what a call gives: ``rows`` of ``next(iter(rows))`` and ``rows.items()``, ``net`` of ``net(x)``."""
    function, called = call.func, origin(ctx, call.func)
    given = [one.value for one in call.args if one.keyword is None]
    if called is not None:
        layer = called.startswith("torch.nn.") and called.endswith("Loss")
        weights = [one.value for one in call.args if one.keyword is not None and one.keyword.value in _WEIGHTS]
        return [*given[:1], *weights] if layer else given[:1] if called in _LOADERS else [function]
    if isinstance(function, cst.Attribute):
        if function.attr.value in LEAVES | MOVES or _is_method(ctx, function):
            return []
        return [function if _is_of_instance(ctx, function) else function.value]
    if not isinstance(function, cst.Name):
        return []
    is_builtin = scopes(ctx).binder(function.value, function) is None
    return given if is_builtin and function.value in _HAND_ON else [] if is_builtin else [function]


def _is_method(ctx: FileContext, function: cst.Attribute) -> bool:
    """Whether what is called is a method of the class itself."""
    definition = class_of(ctx, function) if _is_of_instance(ctx, function) else None
    return definition is not None and any(one.name.value == function.attr.value for one in methods(definition))


def _has_size_here(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether a tensor is made on the CPU with dimensions: ``torch.ones(n, 1)`` meets no other than those there."""
    if isinstance(node, cst.Call) and origin(ctx, node.func) == "torch.autograd.Variable" and node.args:
        node = node.args[0].value
    made = factory_call(ctx, node)
    if made is None or made.name not in _SIZED or not made.takes_no_device:
        return False
    sizes = [one for one in made.call.args if one.keyword is None]
    if any(one.star for one in sizes) or not sizes:
        return False
    first = sizes[0].value
    several = isinstance(first, (cst.Tuple, cst.List)) and len(first.elements) > 0
    return len(sizes) > 1 or several or isinstance(first, cst.Integer)


def _names_another(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call makes a tensor, or moves one, to where another is."""
    if any(one.keyword is not None and one.keyword.value == "device" and _is_of_tensor(one.value) for one in call.args):
        return True
    if not isinstance(call.func, cst.Attribute) or origin(ctx, call.func) is not None:
        return False
    method, first = call.func.attr.value, call.args[0].value if call.args else None
    if method == "type":
        return isinstance(first, cst.Call) and isinstance(first.func, cst.Attribute) and first.func.attr.value == "type"
    return method in _NEW or (method == "to" and first is not None and _is_of_tensor(first))


def _is_of_tensor(device: cst.BaseExpression) -> bool:
    """Whether a device is ``x.device``, and none that a program or an instance keeps."""
    if not isinstance(device, cst.Attribute) or device.attr.value != "device":
        return False
    owner = (dotted_name(device.value) or "").rpartition(".")[2]
    return not holds_options(owner) and owner not in ("self", "cls")


def _is_of_instance(ctx: FileContext, node: cst.Attribute) -> bool:
    method = method_of(ctx, node)
    return method is not None and isinstance(node.value, cst.Name) and node.value.value == self_name(method)


def _is_new_instance(ctx: FileContext, parameter: Binding) -> bool:
    """Whether a parameter is the ``self`` of an ``__init__``."""
    function = scopes(ctx).function_of(parameter.node)
    is_first = function is not None and bool(function.params.params) and function.params.params[0] is parameter.node
    return (
        is_first and function is not None and function.name.value == "__init__" and class_of(ctx, function) is not None
    )
