"""Calls of ``x.cuda()``: which are torch's, and how they become ``x.to(device)``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.card_numbers import card_literal, is_number
from devlint.analysis.devices.device_values import device_value
from devlint.analysis.devices.none_devices import none_caveat
from devlint.analysis.devices.number_options import numeric_options
from devlint.analysis.guards.changing_flags import is_literal
from devlint.analysis.guards.cuda_implementations import implements_cuda
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import bases, class_of, methods
from devlint.analysis.names.exception_handling import fails_as_expected
from devlint.analysis.names.resolution import bindings, is_none, making_call, origin, targets_named
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.classes import defined_method, imported_family
from devlint.analysis.slots.device_arguments import is_not_torch
from devlint.analysis.slots.given.surely_given import is_surely_given
from devlint.analysis.tensors.tensor_values import attribute_values
from devlint.analysis.transfers.overridden_moves import OWN_MOVES, is_made_with_own_cuda, makers, overriding_class
from devlint.core.diagnostic import Edit
from devlint.core.record import Record
from devlint.syntax import edits
from devlint.syntax.comparisons import compared_values
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_naming import CAUGHT
from devlint.torch_api.libraries import OWN_CUDA

_KEYWORDS = frozenset({"device", "non_blocking", "memory_format"})
_GIVE_THEIR_KIND = frozenset({"inv", "clone", "cpu", "detach"})
"""Methods that give another of the same class, whatever that is."""
_ORDER = (cst.GreaterThan, cst.GreaterThanEqual, cst.LessThan, cst.LessThanEqual)
_CHOOSE_CARD = frozenset({"torch.cuda.set_device", "torch.cuda.device"})


class CudaMove(Record, eq=False):
    """One ``receiver.cuda(...)``."""

    call: cst.Call
    receiver: cst.BaseExpression
    method: cst.Name
    device: cst.Arg | None = None
    """The argument that names a device, unless it is None."""
    rest: tuple[cst.Arg, ...] = ()
    """``non_blocking`` and ``memory_format``."""
    whole: bool = True
    """Whether all arguments are understood."""


def cuda_move(ctx: FileContext, call: cst.Call) -> CudaMove | None:
    """The move that ``call`` is; None where ``cuda`` is another library's, or a method that the project defines."""
    function = call.func
    if not isinstance(function, cst.Attribute) or function.attr.value != "cuda":
        return None
    receiver = function.value
    if _has_other_cuda(ctx, receiver) or fails_as_expected(ctx, call, *CAUGHT, "TypeError"):
        return None
    if implements_cuda(ctx, call) or _defines_cuda(ctx, receiver, call) or is_made_with_own_cuda(ctx, receiver):
        return None
    positional = [arg for arg in call.args if arg.keyword is None]
    starred = any(arg.star for arg in call.args) or len(positional) > 2
    named = {arg.keyword.value: arg for arg in call.args if arg.keyword is not None}
    if not named.keys() <= _KEYWORDS:
        return None  # another library's: `nvcomp.as_array(x).cuda(synchronize=False)`
    device = positional[0] if positional else named.pop("device", None)
    rest = (*positional[1:], *named.values())
    if device is not None and is_none(device.value):
        device = None
    return CudaMove(call, receiver, function.attr, device, rest, not starred)


def _has_other_cuda(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether ``receiver.cuda`` is no move of torch: that of ``super()``, of torch itself, of another library."""
    if isinstance(receiver, cst.Call) and dotted_name(receiver.func) == "super":
        return True
    values = attribute_values(ctx, receiver) if isinstance(receiver, cst.Attribute) else []
    values += bound_values(ctx, receiver.value, receiver) if isinstance(receiver, cst.Name) else []
    makers = [making_call(ctx, receiver), *(one for one in values if isinstance(one, cst.Call))]
    if any(one is not None and (origin(ctx, _first_called(one)) or "").startswith(OWN_CUDA) for one in makers):
        return True
    return origin(ctx, receiver) == "torch" or (is_not_torch(ctx, receiver) and not _is_of_numpy(ctx, receiver))


def _first_called(call: cst.Call) -> cst.BaseExpression:
    """What is called first to make something: ``SE3.exp`` of ``SE3.exp(x).inv()``."""
    function = call.func
    if isinstance(function, cst.Attribute) and function.attr.value in _GIVE_THEIR_KIND:
        return _first_called(function.value) if isinstance(function.value, cst.Call) else function
    return function


def _is_of_numpy(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether a function of NumPy made what has a ``cuda``: a tensor of a tensor, as its arrays have none."""
    made = receiver.value if isinstance(receiver, cst.Subscript) else receiver
    return isinstance(made, cst.Call) and (origin(ctx, made.func) or "").startswith("numpy.")


def _defines_cuda(ctx: FileContext, receiver: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether the receiver is, or is named like, an instance of a class of the project with its own ``cuda``."""
    owners = ctx.fact(_classes_with_cuda)
    if not owners:
        return False
    if isinstance(receiver, cst.Name) and receiver.value in ("self", "cls"):
        definition = class_of(ctx, at)
        return definition is not None and bool(owners & {definition.name.value, *bases(ctx, definition)})
    if any(dotted_name(one) in owners for one in makers(ctx, receiver)):
        return True
    made = _constructed(ctx, receiver)
    if made is not None:
        return made in owners
    name = (dotted_name(receiver) or "").rpartition(".")[2].lower().strip("_").rstrip("s")
    return len(name) > 2 and any(name in owner.lower() or owner.lower() in name for owner in owners)


def _classes_with_cuda(ctx: FileContext) -> frozenset[str]:
    """Names of classes, of this file or of the project, that define ``cuda`` or inherit it from such a one."""
    classes = ctx.tree.of_type(cst.ClassDef)
    own = {one.name.value for one in classes if _gets_cuda(ctx, one)}
    for name, found in scopes(ctx).module.bindings.items():
        origins = {one.origin for one in found if one.how is How.IMPORT}
        if name[:1].isupper() and any(one and _inherits_cuda(ctx, one) for one in origins):
            own.add(name)
    if not own:
        return frozenset()
    return frozenset(own | {one.name.value for one in classes if own & _base_names(ctx, one)})


def _gets_cuda(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a class has a ``cuda`` that can be called, however it gets it: ``Net.cuda = lambda net: …``."""
    if any(one.name.value == "cuda" for one in methods(definition)):
        return True
    if any(_can_be_called(one.value) for one in scopes(ctx).opened_by(definition).bindings.get("cuda", ())):
        return True
    name = definition.name.value
    for one in targets_named(ctx, f"{name}.cuda"):
        return _can_be_called(getattr(ctx.tree.parent(one), "value", None))
    own = (one for one in targets_named(ctx, "self.cuda") if class_of(ctx, one) is definition)
    if any(isinstance(getattr(ctx.tree.parent(one), "value", None), cst.Lambda) for one in own):
        return True
    named = (one.args for one in ctx.tree.of_type(cst.Call) if dotted_name(one.func) == "setattr")
    return any(
        dotted_name(args[0].value) == name and string_value(args[1].value) == "cuda" for args in named if len(args) == 3
    )


def _can_be_called(value: cst.CSTNode | None) -> bool:
    return isinstance(value, (cst.Lambda, cst.Call, cst.Name, cst.Attribute)) and not is_literal(value)


def _inherits_cuda(ctx: FileContext, origin: str) -> bool:
    """Whether a name is imported from the project, and is a class with a ``cuda`` of its own or of a base."""
    family = imported_family(project_around(ctx), origin)
    return family is not None and defined_method(family, "cuda") is not None


def _base_names(ctx: FileContext, definition: cst.ClassDef) -> set[str]:
    return {name.rpartition(".")[2] for name in bases(ctx, definition)}


def _constructed(ctx: FileContext, receiver: cst.CSTNode) -> str | None:
    """The name of the function or class whose call made the receiver, where that is certain."""
    if isinstance(receiver, cst.Name):
        _, found = bindings(ctx, receiver.value, receiver)
        calls = {_constructed(ctx, one.value) for one in found if isinstance(one.value, cst.Call)}
        return calls.pop() if len(calls) == 1 and all(one.how is How.ASSIGN for one in found) else None
    if isinstance(receiver, cst.Attribute):
        assigns = (ctx.tree.parent(one) for one in targets_named(ctx, dotted_name(receiver) or ""))
        made = {_constructed(ctx, one.value) for one in assigns if isinstance(one, cst.Assign)} - {None}
        return made.pop() if len(made) == 1 else None
    if isinstance(receiver, cst.Call):
        called = dotted_name(receiver.func)
        return called if called is not None and "." not in called else None
    return None


def names_device_index(ctx: FileContext, move: CudaMove) -> bool:
    """Whether the move names a device by its index, which DEV106 reports."""
    return move.device is not None and card_literal(ctx, move.device.value) is not None


def given_device(ctx: FileContext, move: CudaMove, arg: cst.Arg) -> tuple[str, str | None]:
    """The device that ``x.cuda(device)`` is given, and why ``x.to(device)`` may do something else."""
    text = ctx.text_of(arg.value)
    is_card = (
        _comes_from_int_option(ctx, arg.value)
        or _is_given_number(ctx, arg.value)
        or text in ctx.fact(_chosen_cards)
        or (id(scopes(ctx).function_of(arg)), text) in ctx.fact(_compared_with_numbers)
    )
    if device_value(ctx, arg.value) is not None and not is_card:
        if is_surely_given(ctx, arg.value):
            owner = overriding_class(ctx, move.call)
            return text, OWN_MOVES.format(owner) if owner is not None else none_caveat(ctx, arg.value)
    return text, f"`{text}` may be None or a number: `.cuda()` takes both"


def _compared_with_numbers(ctx: FileContext) -> set[tuple[int, str]]:
    """What a function asks whether it is more or less than a number, as no device is: ``if device > -1:``."""
    asked = (one for one in ctx.tree.of_type(cst.Comparison) if isinstance(one.comparisons[0].operator, _ORDER))
    return {(id(scopes(ctx).function_of(one)), ctx.text_of(side)) for one in asked for side in compared_values(one)}


def move_edits(ctx: FileContext, move: CudaMove, device: str) -> list[Edit]:
    """``x.cuda(...)`` to ``x.to(device, ...)``; every argument but the device stays as it is written."""
    changes = [edits.replace(ctx, move.method, "to")]
    positional = [arg for arg in move.call.args if arg.keyword is None]
    named = next((arg for arg in move.call.args if arg.keyword is not None and arg.keyword.value == "device"), None)
    given = positional[0] if positional else named
    if not move.call.args:
        changes.append(edits.replace_arguments(ctx, move.call, device))
    elif given is None:
        changes.append(edits.insert_before_argument(ctx, move.call.args[0], f"{device}, "))
    elif given is not move.call.args[0]:
        texts = [edits.argument_text(ctx, arg) for arg in move.call.args if arg is not given]
        changes.append(edits.replace_arguments(ctx, move.call, ", ".join([device, *texts])))
    elif edits.argument_text(ctx, given) != device:
        changes.append(edits.replace_argument(ctx, given, device))
    return changes + [edits.insert_before_argument(ctx, arg, "non_blocking=") for arg in positional[1:]]


def _comes_from_int_option(ctx: FileContext, node: cst.BaseExpression, depth: int = 3) -> bool:
    """Whether a value comes from an option that is read with ``type=int``, whatever the variables are called."""
    numbers = numeric_options(ctx)
    if not numbers or depth == 0:
        return False
    if any(isinstance(one, cst.Attribute) and one.attr.value in numbers for one in (node, *ctx.tree.below(node))):
        return True
    written = dotted_name(node)
    return written is not None and any(
        _comes_from_int_option(ctx, one, depth - 1) for one in bound_values(ctx, written, node)
    )


def _is_given_number(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether a value is a number, or an attribute that the file gives one: ``cfg.device = int(chosen)``."""
    given = bound_values(ctx, ctx.text_of(node), node) if isinstance(node, cst.Attribute) else []
    return is_number(ctx, node) or any(is_number(ctx, one) and not is_none(one) for one in given)


def _chosen_cards(ctx: FileContext) -> frozenset[str]:
    """What a file makes the current card, and makes no device: ``torch.cuda.set_device(cfg.device)``."""
    calls = (one for one in ctx.tree.of_type(cst.Call) if one.args and origin(ctx, one.func) in _CHOOSE_CARD)
    named = ((dotted_name(one.args[0].value), one) for one in calls)
    return frozenset(
        name for name, at in named if name and not any(_says_device(ctx, one) for one in bound_values(ctx, name, at))
    )


def _says_device(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether a value is written as a device: ``torch.device("cuda:0")``, a text, a choice."""
    if isinstance(value, cst.Call):
        return origin(ctx, value.func) == "torch.device"
    return isinstance(value, (cst.SimpleString, cst.FormattedString, cst.IfExp))
