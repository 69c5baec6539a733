"""The layers and parameters that an nn.Module makes, and which of them take or are tensors for certain."""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.classes import class_of, methods_named, self_name
from devlint.analysis.names.resolution import bindings, is_torch, origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.tensors.shared_devices import operand_of
from devlint.analysis.tensors.tensor_values import is_tensor
from devlint.syntax.call_arguments import keyword_argument
from devlint.syntax.file_context import FileContext, fact_of
from devlint.torch_api.layers import OF_SOUND, TAKE_TENSORS, WEIGHTS
from devlint.torch_api.moves import RETURNS_MODULE
from devlint.torch_api.tensor_functions import NN_PARAMETERS

_MOST_STEPS = 12


def layers_of_tensors(ctx: FileContext, definition: cst.ClassDef) -> frozenset[str]:
    """The attributes of a module that are only ever layers of torch's that take nothing but tensors."""
    made = _made(ctx, definition)
    return frozenset(name for name, values in made.items() if all(_layer(ctx, one) in TAKE_TENSORS for one in values))


def is_input_of_layer(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a name is given to a layer that takes nothing but a tensor, or to a sequence that begins with one."""
    definition, arg = class_of(ctx, name), ctx.tree.parent(name)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) and arg.keyword is None and not arg.star else None
    if definition is None or not isinstance(call, cst.Call) or len(call.args) != 1:
        return False
    owner, _, attribute = (dotted_name(call.func) or "").partition(".")
    return owner == _instance(ctx, definition) and _take_tensors(ctx, definition, attribute)


def _take_tensors(ctx: FileContext, definition: cst.ClassDef, attribute: str) -> bool:
    """Whether all that a class assigns to an attribute takes nothing but a tensor."""
    values = _made(ctx, definition).get(attribute, [])
    return bool(values) and all(_takes_tensor(ctx, definition, one) for one in values)


def _takes_tensor(ctx: FileContext, definition: cst.ClassDef, value: cst.BaseExpression) -> bool:
    made = _maker(ctx, value.func) if isinstance(value, cst.Call) else ""
    if made != "torch.nn.Sequential" or not isinstance(value, cst.Call) or not value.args:
        return made in OF_SOUND or _layer(ctx, value) in TAKE_TENSORS
    first = value.args[0]
    if first.star or isinstance(first.value, cst.Call):
        return not first.star and _takes_tensor(ctx, definition, first.value)
    owner, _, attribute = (dotted_name(first.value) or "").partition(".")
    return owner == _instance(ctx, definition) and _take_tensors(ctx, definition, attribute)


def weight_made(ctx: FileContext, statement: cst.CSTNode, definition: cst.ClassDef) -> str | None:
    """``fc.weight`` for ``self.fc = nn.Linear(...)``, ``scale`` for ``self.scale = nn.Parameter(...)``.

    None where the class may give the attribute something else.
    """
    owner, _, attribute = _target(statement).partition(".")
    made = _made(ctx, definition)
    if attribute not in made or owner != _instance(ctx, definition) or not isinstance(statement, cst.Assign):
        return None
    if attribute in _given_other_data(ctx, definition):
        return None
    weights = {_weight(ctx, one) for one in made[attribute]}
    weight = weights.pop() if len(weights) == 1 else None
    return f"{attribute}{weight}" if weight is not None else None


def _weight(ctx: FileContext, value: cst.BaseExpression) -> str | None:
    """What leads from an attribute to the weight of its value: nothing for a parameter, ``.weight`` for a layer."""
    made = _maker(ctx, value.func) if isinstance(value, cst.Call) else ""
    if made in NN_PARAMETERS and isinstance(value, cst.Call):
        return None if _may_be_number(ctx, value) else ""
    weight = WEIGHTS.get(_layer(ctx, value))
    if weight is None or (made.endswith("LayerNorm") and "elementwise_affine" in ctx.text_of(value)):
        return None
    return f".{weight}"


def _may_be_number(ctx: FileContext, parameter: cst.Call) -> bool:
    """Whether a parameter may have no dimension: it meets tensors of a GPU where nobody moves its module, too."""
    made = parameter.args[0].value if parameter.args else None
    given = made.args[0].value if isinstance(made, cst.Call) and made.args else None
    if isinstance(made, cst.Call) and is_torch(ctx, made.func, "tensor", "as_tensor"):
        return not isinstance(given, (cst.List, cst.Tuple, cst.BaseComp))
    return isinstance(given, (cst.List, cst.Tuple)) and not given.elements


@fact_of
def _made(ctx: FileContext, definition: cst.ClassDef) -> dict[str, list[cst.BaseExpression]]:
    """All that a class assigns to the attributes of its instance."""
    found: dict[str, list[cst.BaseExpression]] = {}
    instance = _instance(ctx, definition)
    for statement in ctx.tree.below(definition):
        if isinstance(statement, cst.Assign):
            owner, _, attribute = _target(statement).partition(".")
            if owner == instance and attribute and "." not in attribute and not _only_moves(statement.value, attribute):
                found.setdefault(attribute, []).append(statement.value)
    return found


@fact_of
def places_layers(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a module puts one of its layers on a device of its own: ``self.b = nn.Linear(2, 2, device="cuda:0")``."""
    calls = (one for values in _made(ctx, definition).values() for one in values if isinstance(one, cst.Call))
    return any(_is_placed(ctx, one) for one in calls)


@fact_of
def places_some_layers(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a module puts layers on a device of their own, but not all that have weights."""
    calls = (one for values in _made(ctx, definition).values() for one in values if isinstance(one, cst.Call))
    return places_layers(ctx, definition) and any(
        _layer(ctx, one) in WEIGHTS and not _is_placed(ctx, one) for one in calls
    )


def _is_placed(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a layer is made on a device that the text names, or moved to one at once."""
    made = call.func.value if isinstance(call.func, cst.Attribute) else None
    if isinstance(made, cst.Call) and isinstance(call.func, cst.Attribute):
        if call.func.attr.value == "cuda" or any(cuda_literal(ctx, arg.value) is not None for arg in call.args):
            return _is_layer(ctx, made)
        return _is_placed(ctx, made)
    device = keyword_argument(call, "device")
    return device is not None and cuda_literal(ctx, device.value) is not None and _is_layer(ctx, call)


def _is_layer(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call makes a layer, of torch's or another."""
    made = _maker(ctx, call.func)
    if made in NN_PARAMETERS or _is_tensor_of_method(ctx, call):
        return False
    return made.startswith("torch.nn.") or not made.startswith("torch.")


def _is_tensor_of_method(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a method of the same class that gives a tensor is called: ``self.mask = self._make_mask(3).cuda()``."""
    definition, (owner, _, called) = class_of(ctx, call), (dotted_name(call.func) or "").partition(".")
    if definition is None or owner != _instance(ctx, definition):
        return False
    found = [one for method in methods_named(ctx, definition, called) for one in ctx.tree.below(method.body)]
    given = [one.value for one in found if isinstance(one, cst.Return)]
    return bool(given) and all(one is not None and is_tensor(ctx, one, _MOST_STEPS) for one in given)


@fact_of
def _given_other_data(ctx: FileContext, definition: cst.ClassDef) -> frozenset[str]:
    """The attributes whose tensor gets other data, ``self.scale.data = …``, which may be on another device.

    What ``__init__`` assigns is there before anybody moves the module.
    """
    init = next(iter(methods_named(ctx, definition, "__init__")), None)
    made_first = set() if init is None else {id(one) for one in ctx.tree.below(init)}
    targets = (
        (dotted_name(target.target) or "").split(".")
        for statement in ctx.tree.of_type(cst.Assign)
        if id(statement) not in made_first
        for target in statement.targets
    )
    return frozenset(name for path in targets if path[-1] == "data" for name in path[1:-1])


def _only_moves(value: cst.BaseExpression, attribute: str) -> bool:
    """Whether a value is ``self.fc.to(...)``, which for a layer is that layer."""
    function = value.func if isinstance(value, cst.Call) else None
    if not isinstance(function, cst.Attribute) or function.attr.value not in RETURNS_MODULE:
        return False
    return (dotted_name(function.value) or "").partition(".")[2] == attribute


def _instance(ctx: FileContext, definition: cst.ClassDef) -> str | None:
    init = next(iter(methods_named(ctx, definition, "__init__")), None)
    return self_name(init) if init is not None else None


def _target(statement: cst.CSTNode) -> str:
    target = statement.targets[0].target if isinstance(statement, cst.Assign) else None
    return (dotted_name(target) or "") if target is not None else ""


def _layer(ctx: FileContext, value: cst.BaseExpression) -> str:
    """Which layer of torch's a value is."""
    made = _maker(ctx, value.func) if isinstance(value, cst.Call) else ""
    return made.rpartition(".")[2] if made.startswith("torch.nn.") else ""


def _maker(ctx: FileContext, function: cst.BaseExpression) -> str:
    """What a call makes: the class it names, or the one that a function of this file, ``conv3x3``, makes."""
    _, found = bindings(ctx, function.value, function) if isinstance(function, cst.Name) else (None, [])
    if len(found) != 1 or not isinstance(found[0].node, cst.FunctionDef):
        return origin(ctx, function) or ""
    returned = [one.value for one in ctx.tree.below(found[0].node) if isinstance(one, cst.Return)]
    makers = {origin(ctx, one.func) if isinstance(one, cst.Call) else None for one in returned}
    return (makers.pop() or "") if len(makers) == 1 else ""


def is_only_handed_on(ctx: FileContext, method: cst.FunctionDef, parameter: cst.Param) -> bool:
    """Whether a method only gives a parameter to other methods of its class, which may do without it."""
    definition, name = class_of(ctx, method), parameter.name.value
    uses = uses_of(ctx, scopes(ctx).opened_by(method), name)
    calls = (ctx.tree.parent(arg) for arg in map(ctx.tree.parent, uses) if isinstance(arg, cst.Arg))
    functions = (one.func for one in calls if isinstance(one, cst.Call))
    methods = (one.attr.value for one in functions if isinstance(one, cst.Attribute))
    own = [one for one in methods if definition is not None and methods_named(ctx, definition, one)]
    return bool(uses) and len(own) == len(uses)


def stays_tensor(ctx: FileContext, binding: Binding, instance: str, layers: Collection[str]) -> bool:
    """Whether a binding gives a tensor's name another tensor: ``x = x.view(-1)``, ``x = self.lin(x)``."""
    node = binding.value if binding.how is How.ASSIGN else None
    for _ in range(_MOST_STEPS):
        if node is None:
            return False
        if dotted_name(node) == binding.name or is_tensor(ctx, node):
            return True
        owner, _, called = (dotted_name(node.func) or "").partition(".") if isinstance(node, cst.Call) else ("", "", "")
        if owner == instance and called in layers:
            return True
        sides = (node.left, node.right) if isinstance(node, cst.BinaryOperation) else ()
        node = next((one for one in sides if dotted_name(one) == binding.name), None) or operand_of(ctx, node)
    return False
