"""Moves that a caller asks for: without its flag, what it gives stays where it is, which may be CUDA."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.apis.unasked_moves import may_be_given_cuda
from devlint.analysis.cuda.kept_defaults import keeps_default
from devlint.analysis.guards.changing_flags import is_target
from devlint.analysis.guards.cuda_flags import as_condition, only_asks_for_cuda
from devlint.analysis.guards.questions import Guard
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, is_module, method_of, self_name
from devlint.analysis.names.resolution import attributes_named, bindings, origin, targets_named
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.calls import CallSite, calls_elsewhere, calls_in
from devlint.analysis.tensors.followed_devices import comes_from_caller, follows_another, imports_behind
from devlint.analysis.tensors.tensor_values import attribute_values
from devlint.analysis.transfers.guarded_transfers import moves_below
from devlint.analysis.transfers.moved_already import is_put_elsewhere
from devlint.analysis.transfers.placed_parts import has_placed_parts
from devlint.analysis.transfers.received.brought_values import may_be_brought_on_cuda
from devlint.analysis.transfers.received.loaded_values import is_loaded
from devlint.analysis.transfers.received.received_classes import received_classes
from devlint.syntax.file_context import FileContext

_FALSE = frozenset({"False", "None", "0"})
_TRUE = frozenset({"True", "1"})
_MAPS = frozenset("device_map load_in_8bit load_in_4bit quantization_config".split())
"""What puts a model on CUDA that ``from_pretrained`` loads; other keywords may do so in a file with one of these."""


def may_be_on_cuda(ctx: FileContext, guard: Guard, meets: bool = False) -> bool:
    """Whether what a test moves may be on CUDA, or another device, where the test is false, and would leave it then.

    What goes to the tensor that it ``meets`` anyway does no harm by that, nor does a test that no caller makes false.
    """
    if keeps_default(ctx, guard.test, guard.holds):
        return False
    asked = (
        _may_be_left_on_cuda,
        _may_be_loaded_onto_cuda,
        _may_be_switched_off,
        _goes_with_module,
        _is_partly_there,
        _is_elsewhere,
        _is_mapped,
    )
    return any(ask(ctx, guard) for ask in asked) or (not meets and _goes_with_input(ctx, guard))


def _only_asks_torch(ctx: FileContext, guard: Guard) -> bool:
    """Whether a test is torch's own answer, under whatever name: where it says no, nothing is on CUDA."""
    asked = as_condition(ctx, guard.test, guard.holds)
    if asked is None:
        return _is_torchs_answer(ctx, guard.test, guard.holds)
    return only_asks_for_cuda(ctx, asked, guard.test)


def _takes_to_cpu(ctx: FileContext, guard: Guard) -> bool:
    """Whether the other branch moves to the CPU, as a device does: ``x.cuda() if cuda else x.cpu()``."""
    return any(isinstance(one, cst.Attribute) and one.attr.value == "cpu" for one in ctx.tree.below(guard.owner))


def _goes_with_input(ctx: FileContext, guard: Guard) -> bool:
    """Whether a test moves what is where another tensor is: made to be there, or given by others who ask no flag.

    Where all that the project puts on CUDA is under a flag, callers that say no give what is on the CPU.
    """
    if _takes_to_cpu(ctx, guard) or _only_asks_torch(ctx, guard):
        return False
    receivers = [one.receiver for one in moves_below(ctx, guard.owner)]
    if any(follows_another(ctx, one) for one in receivers):
        return True
    names = (dotted_name(one) or "" for one in (guard.test, *ctx.tree.below(guard.test)))
    flags = {one.rpartition(".")[2] for one in names} - {"", "cuda", "torch", "is_available"}
    is_given = any(comes_from_caller(ctx, one) for one in receivers)
    if is_given and may_be_given_cuda(project_around(ctx), flags):
        return True
    unknown = [one for one in receivers if not received_classes(ctx, one)]  # the parts of others are known
    brought = set[str]().union(*(imports_behind(ctx, one) for one in unknown))
    return may_be_brought_on_cuda(project_around(ctx), sorted(brought), flags)


def _may_be_left_on_cuda(ctx: FileContext, guard: Guard) -> bool:
    """Whether a test is for a parameter that a call leaves False, and moves what the call gives.

    ``def wrap(x, cuda=False)`` leaves a CUDA tensor where it is, and ``x.to("cuda" if cuda else "cpu")`` does not.
    """
    flags = [one for one in _flags(ctx, guard.test, guard.holds) if _is_left(ctx, *one)]
    if not flags or _takes_to_cpu(ctx, guard):
        return False
    return any(comes_from_caller(ctx, one.receiver) for one in moves_below(ctx, guard.owner))


def _may_be_switched_off(ctx: FileContext, guard: Guard) -> bool:
    """Whether a test is for a flag that a method may switch off once the instance's parts are on CUDA, where they stay.

    ``def set_gpu(self, on): self.on = on`` and then ``if self.on: self.model.cuda()``, there or in another method.
    """
    attributes = {one.attr.value for one in ctx.tree.below(guard.test) if isinstance(one, cst.Attribute)}
    method, definition = method_of(ctx, guard.owner), class_of(ctx, guard.owner)
    if not attributes or method is None or definition is None or method.name.value == "__init__":
        return False
    instance = self_name(method)
    if not any(_switches(ctx, name, definition) for name in attributes):
        return False
    names = [dotted_name(one.receiver) or "" for one in moves_below(ctx, guard.owner)]
    kept = [one for one in names if one.startswith(f"{instance}.") and not _is_made_in(ctx, one, method, guard)]
    return bool(kept)


def _is_made_in(ctx: FileContext, name: str, method: cst.FunctionDef, guard: Guard) -> bool:
    """Whether a method gives an attribute its value itself, above a test."""
    targets = (one for one in targets_named(ctx, name) if ctx.tree.is_around(method, one))
    return any(ctx.span(one).start < ctx.span(guard.owner).start for one in targets)


def _goes_with_module(ctx: FileContext, guard: Guard) -> bool:
    """Whether a test moves a buffer or a parameter of the module itself, which is where the module was moved."""
    method, definition = method_of(ctx, guard.owner), class_of(ctx, guard.owner)
    if method is None or definition is None or method.name.value == "__init__":
        return False
    receivers = [one.receiver for one in moves_below(ctx, guard.owner)]
    own = [one.attr.value for one in receivers if isinstance(one, cst.Attribute) and _is_of(one, method)]
    return any(one in _registered(ctx, definition) for one in own)


def _is_partly_there(ctx: FileContext, guard: Guard) -> bool:
    """Whether a test moves a module that has put a part of itself on CUDA, whatever the flag says."""
    return not _only_asks_torch(ctx, guard) and has_placed_parts(ctx, guard)


def _is_elsewhere(ctx: FileContext, guard: Guard) -> bool:
    """Whether a test moves what a line above has put on another device than the CPU."""
    return not _takes_to_cpu(ctx, guard) and any(
        is_put_elsewhere(ctx, guard.owner, one.receiver) for one in moves_below(ctx, guard.owner)
    )


def _is_mapped(ctx: FileContext, guard: Guard) -> bool:
    """Whether a test moves what a library may have loaded onto CUDA, whatever the test says: ``device_map="auto"``."""
    receivers = [one.receiver for one in moves_below(ctx, guard.owner)] if not _only_asks_torch(ctx, guard) else []
    names = (one for one in receivers if isinstance(one, cst.Name))
    values = (found.value for one in names for found in bindings(ctx, one.value, one)[1])
    calls = (one for one in values if isinstance(one, cst.Call) and isinstance(one.func, cst.Attribute))
    loads = [one for one in calls if isinstance(one.func, cst.Attribute) and one.func.attr.value == "from_pretrained"]
    given = (arg for one in loads for arg in one.args)
    is_said = any(one in ctx.source.text for one in _MAPS)
    return is_said and any(
        arg.star == "**" or (arg.keyword is not None and arg.keyword.value in _MAPS) for arg in given
    )


def _is_of(attribute: cst.Attribute, method: cst.FunctionDef) -> bool:
    return isinstance(attribute.value, cst.Name) and attribute.value.value == self_name(method)


def _registered(ctx: FileContext, definition: cst.ClassDef) -> Iterator[str]:
    """The attributes of a class that are buffers or parameters of it."""
    for node in ctx.tree.below(definition):
        if isinstance(node, cst.Assign) and isinstance(node.value, cst.Call):
            if origin(ctx, node.value.func) in ("torch.nn.Parameter", "torch.nn.Buffer"):
                yield from (one.target.attr.value for one in node.targets if isinstance(one.target, cst.Attribute))
        elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.args:
            name = string_value(node.args[0].value)
            if name is not None and node.func.attr.value in ("register_buffer", "register_parameter"):
                yield name


def _switches(ctx: FileContext, attribute: str, definition: cst.ClassDef) -> bool:
    """Whether a method of a class other than ``__init__`` gives an attribute of the instance a value it is given."""
    for target in attributes_named(ctx, attribute):
        method, assign = method_of(ctx, target), ctx.tree.parent(ctx.tree.parent(target) or target)
        if method is None or class_of(ctx, target) is not definition or not isinstance(assign, cst.Assign):
            continue
        is_own = is_target(ctx, target) and dotted_name(target.value) == self_name(method)
        if is_own and method.name.value != "__init__" and any(_is_parameter(ctx, one) for one in _parts(ctx, assign)):
            return True
    return False


def _parts(ctx: FileContext, assign: cst.Assign) -> Iterator[cst.Name]:
    return (one for one in ctx.tree.below(assign.value) if isinstance(one, cst.Name))


def _is_parameter(ctx: FileContext, name: cst.Name) -> bool:
    _, found = bindings(ctx, name.value, name)
    return [one.how for one in found] == [How.PARAMETER]


def _may_be_loaded_onto_cuda(ctx: FileContext, guard: Guard) -> bool:
    """Whether a test moves what ``torch.load`` may have put on CUDA, where it stays if the test is false.

    Where torch itself says that there is no CUDA, nothing is there.
    """
    if _is_torchs_answer(ctx, guard.test, guard.holds):
        return False
    return any(is_loaded(ctx, one.receiver, unless=guard) for one in moves_below(ctx, guard.owner))


def _is_torchs_answer(ctx: FileContext, test: cst.BaseExpression, holds: bool) -> bool:
    """Whether a test is ``torch.cuda.is_available()``, or a name of it, and true where there is CUDA."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return _is_torchs_answer(ctx, test.expression, not holds)
    if isinstance(test, cst.Name):
        _, found = bindings(ctx, test.value, test)
        value = found[0].value if len(found) == 1 else None
        return isinstance(value, cst.Call) and _is_torchs_answer(ctx, value, holds)
    return holds and isinstance(test, cst.Call) and origin(ctx, test.func) == "torch.cuda.is_available"


def _flags(ctx: FileContext, test: cst.BaseExpression, holds: bool) -> Iterator[tuple[cst.Param, bool]]:
    """The parameters that a test consists of, and whether it holds where they are true.

    Also those that a module keeps, which whoever makes it may move itself, where nothing is moved by their defaults.
    """
    if isinstance(test, cst.BooleanOperation):
        yield from _flags(ctx, test.left, holds)
        yield from _flags(ctx, test.right, holds)
    elif isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        yield from _flags(ctx, test.expression, not holds)
    elif isinstance(test, cst.Name):
        yield from ((one, holds) for one in _parameter(ctx, test))
    elif isinstance(test, cst.Attribute):
        definition = class_of(ctx, test)
        values = attribute_values(ctx, test) if definition is not None and is_module(ctx, definition) else []
        params = _parameter(ctx, values[0]) if len(values) == 1 else ()
        yield from ((one, holds) for one in params if _is_off(ctx, one, holds))


def _parameter(ctx: FileContext, name: cst.BaseExpression) -> Iterator[cst.Param]:
    """The parameter that a name is, and nothing else."""
    found = bindings(ctx, name.value, name)[1] if isinstance(name, cst.Name) else []
    yield from (one.node for one in found if len(found) == 1 and isinstance(one.node, cst.Param))


def _is_off(ctx: FileContext, param: cst.Param, holds: bool) -> bool:
    """Whether nothing is moved by the default of a parameter."""
    return param.default is not None and ctx.text_of(param.default) in (_FALSE if holds else _TRUE)


def _is_left(ctx: FileContext, param: cst.Param, holds: bool) -> bool:
    """Whether a call leaves a flag at a default that does not move, or gives it such a constant."""
    stays = _FALSE if holds else _TRUE
    parameters = ctx.tree.parent(param)
    function = ctx.tree.parent(parameters) if parameters is not None else None
    if not isinstance(function, cst.FunctionDef):
        return False
    named = [one.name.value for one in (*function.params.posonly_params, *function.params.params)]
    owner, name = class_of(ctx, function), param.name.value
    position = named.index(name) - (owner is not None) if name in named else None
    called = owner if owner is not None and function.name.value == "__init__" else function
    given = [one.argument(name, position) for one in _calls(ctx, called.name.value)]
    is_off = _is_off(ctx, param, holds)
    return any(one in stays for one in given) or (is_off and (None in given or not given))


def _calls(ctx: FileContext, name: str) -> list[CallSite]:
    module = own_module(ctx)
    return [
        *(calls_in(module, name) if module is not None else ()),
        *(calls_elsewhere(project_around(ctx), name) or ()),
    ]
