"""Devices of its own that a function would get beside another that it puts things on: nobody would write the second."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.cuda.constant_flags import is_never_true
from devlint.analysis.devices.device_conditions import devices_at
from devlint.analysis.devices.device_values import device_value
from devlint.analysis.devices.none_devices import assigned_values, is_of_missing
from devlint.analysis.devices.used_devices import is_asked_otherwise
from devlint.analysis.devices.which_device import DeviceValue
from devlint.analysis.guards.cuda_flags import is_only_question
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import bases, class_of, classes_named, method_of, methods, self_name
from devlint.analysis.names.resolution import attributes_named, bindings, in_torch_device, origin, targets_named
from devlint.analysis.names.scopes import Scope, bound_values, scopes
from devlint.analysis.tensors.other_devices import means_another_device
from devlint.core.lazy_regex import regex
from devlint.fixes.device.anchors.placement import Anchor, runs_before
from devlint.fixes.device.anchors.variable_naming import NAMES
from devlint.fixes.device.choice import DeviceChoice
from devlint.syntax.file_context import FileContext, fact, fact_of
from devlint.torch_api.device_naming import holds_options, is_plainly_device
from devlint.torch_api.moves import MOVES

_OWNERS = ("self", "cls")
_MODEL = regex(r"(?:^|_)(?:model|net|network|llm|lm)(?:_|\d|\Z)|(?:Model|Net)\Z|model\Z", re.IGNORECASE)
"""What a model is called, as far as a name says."""


def is_beside_other(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether the function around a place puts things on one device, by its name, and that can be named there, too."""
    return any(found(ctx, at) is not None for found in (_other, _of_instance, _of_model))


def beside_other(ctx: FileContext, at: cst.CSTNode, choice: DeviceChoice) -> DeviceChoice | None:
    """The device on which the function around a place puts other things, which may be another: a person must decide.

    None where ``choice``, the device that surely is the same, is that very one, or an attribute that there was before.
    """
    is_new = bool(choice.edits) or "(" in choice.expression
    is_kept = "." in choice.expression and not is_new
    name = _other(ctx, at) if not is_kept else None
    name = name or (_of_instance(ctx, at) or _of_model(ctx, at) if is_new else None)
    if name is None or name == choice.expression:
        return None
    known = next((value.is_string for one, value in devices_at(ctx, at) if one == name), None)
    caveat = f"other things here are put on `{name}`, which may be another device"
    return DeviceChoice(name, is_string=known, caveat=caveat)


def is_beside_scripts(ctx: FileContext, at: cst.CSTNode, choice: DeviceChoice, top: Anchor) -> bool:
    """Whether a device asks a function's own name for torch's answer: the one of the script says the same.

    ``use_gpu = torch.cuda.is_available()`` in ``main``, of a script whose other functions need its device.
    """
    flag = choice.condition or ""
    if not choice.edits or not flag.isidentifier() or not runs_before(ctx, top, at):
        return False
    owner = scopes(ctx).binder(flag, at)
    return owner is not None and owner.is_function and is_only_question(ctx, flag, at)


@fact
def with_local_device(ctx: FileContext) -> list[Scope]:
    """The functions that assign a ``device`` of their own."""
    functions = (one for one in scopes(ctx).every() if one.is_function)
    return [one for one in functions if any(found.how is How.ASSIGN for found in one.bindings.get(NAMES[0], ()))]


def _other(ctx: FileContext, at: cst.CSTNode) -> str | None:
    """The device of the function around a place, where it has one alone, and nobody meant another one there.

    So somebody does who is given the device and moves what is computed on CUDA there afterwards.
    """
    function = scopes(ctx).function_of(at) if ctx.target.kind == "cuda" else None
    found = _named_in(ctx, function) if isinstance(function, cst.FunctionDef) else {}
    for name, given in found.items() if len(found) == 1 else ():
        if not _may_be_meant(ctx, name, at):
            continue
        is_own = scopes(ctx).binder(name, at) is scopes(ctx).scope_of(at) and _is_assigned(ctx, name, at)
        if _is_bound(ctx, name, given, at) and (is_own or not means_another_device(ctx, at, name, DeviceValue())):
            return name
    return None


def _of_model(ctx: FileContext, at: cst.CSTNode) -> str | None:
    """The device of a model at hand on which the function around a place puts things: ``x.to(model.device)``."""
    function = scopes(ctx).function_of(at) if ctx.target.kind == "cuda" else None
    named = _of_models(ctx, function) if isinstance(function, cst.FunctionDef) else {}
    return next((name for name, given in named.items() if _is_above(ctx, name, given, at)), None)


@fact_of
def _of_models(ctx: FileContext, function: cst.FunctionDef) -> dict[str, cst.BaseExpression]:
    """The devices of models, ``model.device``, that a function puts things on, but of those that the file moves."""
    found: dict[str, cst.BaseExpression] = {}
    for call in ctx.tree.below(function.body):
        if isinstance(call, cst.Call) and scopes(ctx).function_of(call) is function:
            for given in _devices_of(ctx, call):
                owner, _, last = (dotted_name(given) or "").rpartition(".")
                if last == "device" and _MODEL.search(owner.rpartition(".")[2]) and owner not in _moved(ctx):
                    found.setdefault(f"{owner}.device", given)
    return found


@fact
def _moved(ctx: FileContext) -> frozenset[str]:
    """What a file moves by a method, by its dotted name."""
    functions = (call.func for call in ctx.tree.of_type(cst.Call))
    moves = (one.value for one in functions if isinstance(one, cst.Attribute) and one.attr.value in MOVES)
    return frozenset(filter(None, map(dotted_name, moves)))


def _is_above(ctx: FileContext, name: str, other: cst.BaseExpression, at: cst.CSTNode) -> bool:
    """Whether a model whose device is named at one place of a function is there above another as well."""
    root, start = name.partition(".")[0], ctx.span(at).start
    scope, function = scopes(ctx).binder(root, at), scopes(ctx).function_of(at)
    if scope is None or scope is not scopes(ctx).binder(root, other):
        return False
    owner = name.rpartition(".")[0]
    set_here = (one for one in targets_named(ctx, owner) if scopes(ctx).function_of(one) is function)
    if any(ctx.span(one).start > start for one in set_here):
        return False
    is_own = scope is scopes(ctx).scope_of(at)
    return not is_own or any(ctx.span(one.node).start < start for one in scope.bindings[root])


def _of_instance(ctx: FileContext, at: cst.CSTNode) -> str | None:
    """The device that a class has for its instances, where its methods put things on that alone, and a place has it.

    Not where it may be chosen, or another word than torch's, or what is computed on CUDA is moved there afterwards.
    """
    method, definition = method_of(ctx, at), class_of(ctx, at) if ctx.target.kind == "cuda" else None
    instance = self_name(method) if method is not None else None
    if method is None or definition is None or instance is None or scopes(ctx).binder(instance, at) is None:
        return None
    family = [definition, *(one for one in classes_named(ctx, bases(ctx, definition)) if one is not definition)]
    found = {name for owner in family for name in _kept_in(ctx, owner) if name.partition(".")[0] == instance}
    name = found.pop() if len(found) == 1 else None
    if name is None or not _is_set_above(ctx, name, method, at) or is_of_missing(ctx, name, at):
        return None
    reads = (one for one in attributes_named(ctx, name.rpartition(".")[2]) if dotted_name(one) == name)
    if any(is_asked_otherwise(ctx, one) for one in reads if class_of(ctx, one) in family):
        return None
    if any(_may_be_chosen(ctx, one) for one in assigned_values(ctx, name, at)):
        return None
    return name if not means_another_device(ctx, at, name, DeviceValue()) else None


def _may_be_chosen(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether a device is the CPU, or may be one that a caller or the user chooses for something."""
    known, told = device_value(ctx, value), in_torch_device(ctx, value)
    if (known is not None and not known.cuda) or isinstance(told, cst.Subscript):
        return True
    if isinstance(told, cst.Attribute):
        return holds_options((dotted_name(told.value) or "").rpartition(".")[2])
    names = (one for one in (value, *ctx.tree.below(value)) if isinstance(one, cst.Name))
    plain = (one for one in names if not isinstance(ctx.tree.parent(one), (cst.Attribute, cst.Subscript)))
    return any(isinstance(one.node, cst.Param) for name in plain for one in bindings(ctx, name.value, name)[1])


@fact_of
def _kept_in(ctx: FileContext, definition: cst.ClassDef) -> list[str]:
    """The attributes of an instance, ``self.device``, that the methods of a class put things on."""
    found = (one for method in methods(definition) for one in _named_in(ctx, method))
    return [one for one in dict.fromkeys(found) if one.count(".") == 1 and one.partition(".")[0] in _OWNERS]


def _is_set_above(ctx: FileContext, name: str, method: cst.FunctionDef, at: cst.CSTNode) -> bool:
    """Whether a method gives an attribute no value below a place, and ``__init__`` gives it one above."""
    start, setters = ctx.span(at).start, [(one, method_of(ctx, one)) for one in targets_named(ctx, name)]
    set_here = [ctx.span(one).start for one, setter in setters if setter is method]
    of_class = [setter for one, setter in setters if class_of(ctx, one) is class_of(ctx, at)]
    is_made = not of_class or any(one is not None and one.name.value == "__init__" for one in of_class)
    is_given = bool(set_here) or method.name.value != "__init__"
    return is_made and is_given and all(one < start for one in set_here)


def _may_be_meant(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether a device may be CUDA and is one for certain at a place."""
    known = next((value for one, value in devices_at(ctx, at) if one == name), None)
    return known is not None and not is_never_true(ctx, known.condition or "", at)


def _is_assigned(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether the scope around a place gives a name all its values itself."""
    return all(one.how is How.ASSIGN for one in scopes(ctx).scope_of(at).bindings.get(name, ()))


@fact_of
def _named_in(ctx: FileContext, function: cst.FunctionDef) -> dict[str, cst.BaseExpression]:
    """The devices that a function puts things on, by their names, with the first place of each."""
    found: dict[str, cst.BaseExpression] = {}
    for call in ctx.tree.below(function.body):
        if isinstance(call, cst.Call) and scopes(ctx).function_of(call) is function:
            for given in _devices_of(ctx, call):
                name = dotted_name(given)
                if name is not None and _is_device(ctx, name, given):
                    found.setdefault(name, given)
    return found


def _devices_of(ctx: FileContext, call: cst.Call) -> Iterator[cst.BaseExpression]:
    """What a call of ``to``, or of a function of torch, takes for a device."""
    moves = isinstance(call.func, cst.Attribute) and call.func.attr.value in MOVES
    if not moves and not (origin(ctx, call.func) or "").startswith("torch."):
        return
    for position, arg in enumerate(call.args):
        if arg.keyword.value == "device" if arg.keyword is not None else moves and position == 0 and not arg.star:
            yield arg.value


def _is_device(ctx: FileContext, name: str, given: cst.BaseExpression) -> bool:
    """Whether a name is that of the program's device: no tensor's ``x.device``, none for the CPU or for something."""
    owner, _, last = name.rpartition(".")
    if not is_plainly_device(last) or "cpu" in last.lower():
        return False
    if owner and owner not in _OWNERS and not holds_options(owner.rpartition(".")[2]):
        return False
    known = [device_value(ctx, one) for one in bound_values(ctx, name, given)]
    return not known or any(one is None or one.cuda for one in known)


def _is_bound(ctx: FileContext, name: str, other: cst.BaseExpression, at: cst.CSTNode) -> bool:
    """Whether a device that is named at one place of a function is there at another as well, as far as one sees."""
    root, _, rest = name.partition(".")
    table, start = scopes(ctx), ctx.span(at).start
    scope = table.binder(root, at)
    if scope is None or scope is not table.binder(root, other) or is_of_missing(ctx, name, at):
        return False
    function, parts = table.function_of(at), name.split(".")
    owners = [".".join(parts[:size]) for size in range(2, len(parts) + 1)]
    set_here = (one for part in owners for one in targets_named(ctx, part) if table.function_of(one) is function)
    if any(ctx.span(one).start > start for one in set_here):
        return False
    if any(one.how is How.PARAMETER for one in scope.bindings[root]) or scope is not table.scope_of(at):
        return True
    begun = any(ctx.span(one.node).start < start for one in scope.bindings[root])
    return ctx.span(other).start < start or (begun and not rest)
