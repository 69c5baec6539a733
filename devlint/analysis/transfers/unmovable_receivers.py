"""Whether what is moved may be None, a tuple or a number: ``if use_cuda: x = x.cuda()`` does not ask without CUDA.

Or an instance of a class of the project that has no ``to``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import libcst as cst

from devlint.analysis.devices.none_devices import assigned_values, is_tested_for_none
from devlint.analysis.guards.guards import guard_of
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.control_flow import is_main_guard
from devlint.analysis.names.reaching_definitions import is_used_anyway, may_reach
from devlint.analysis.names.resolution import bindings, origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.classes import class_family, lacks_method
from devlint.analysis.project.module import Definition
from devlint.analysis.project.plain_results import is_surely_plain, may_be_plain
from devlint.analysis.tensors.tensor_values import is_tensor
from devlint.analysis.transfers.none_receivers import receiver_may_be_none
from devlint.analysis.transfers.received.plain_values import plain_values
from devlint.analysis.transfers.received.received_classes import received_classes
from devlint.syntax.file_context import FileContext
from devlint.torch_api.tensor_functions import FUNCTIONAL

_PLAIN = (cst.Tuple, cst.List, cst.Dict, cst.Set, cst.BaseComp, cst.BaseNumber, cst.BaseString)
"""What makes an object that no tensor is, and no module."""
_KIND_QUESTIONS = frozenset({"isinstance", "type", "hasattr", "is_tensor", "issubclass", "callable"})
_DEFINITIONS = (cst.FunctionDef, cst.ClassDef)


def may_be_unmovable(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether what is moved may be something that has no ``to``, and the program could go on with it."""
    known = ctx.fact(_answers)
    if id(receiver) not in known:
        is_plain = (not _is_chosen(ctx, receiver) and _may_be_plain(ctx, receiver)) or _is_surely_plain(ctx, receiver)
        known[id(receiver)] = is_plain or receiver_may_be_none(ctx, receiver) or _has_no_to(ctx, receiver)
    return known[id(receiver)]


def _answers(ctx: FileContext) -> dict[int, bool]:
    """The answers so far, by the ``id`` of a receiver: the moves of a block ask for all of them, each time."""
    return {}


def _may_be_plain(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    values = [part for one in _values(ctx, receiver) for part in _parts(one)]
    if any(_is_function(ctx, one) for one in values):
        return True
    if any(isinstance(one, _PLAIN) for one in values) and isinstance(receiver, cst.Name):
        return True
    calls = [one for one in values if isinstance(one, cst.Call)]
    names = {(dotted_name(one.func) or "").rpartition(".")[2] for one in calls if not _is_of_torch(ctx, one)} - {""}
    if any(may_be_plain(project_around(ctx), own_module(ctx), one) for one in names):
        return True
    return _is_received_plain(ctx, receiver)


def _is_surely_plain(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether all that a name may have been given is no tensor, whatever tests are around: ``x = np.mean(y)``."""
    module, values = own_module(ctx), _values(ctx, receiver) if isinstance(receiver, cst.Name) else ()
    calls = [one for one in values if isinstance(one, cst.Call)]
    if module is None or not calls or len(calls) < len(values):
        return False
    roots = ((dotted_name(one.func) or "").partition(".")[0] for one in calls)
    if any(scopes(ctx).binder(root, receiver) not in (scopes(ctx).module, None) for root in roots):
        return False
    parsed = (ast.parse(f"({ctx.text_of(one)})", mode="eval").body for one in calls)
    return all(is_surely_plain(project_around(ctx).index, module, one) for one in parsed)


def _is_received_plain(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether something that has no ``to`` comes to a receiver, of whose kind the file asks nothing."""
    name = dotted_name(receiver)
    is_simple = isinstance(receiver, (cst.Name, cst.Attribute, cst.Subscript))
    if not is_simple or is_tensor(ctx, receiver) or (name and _is_asked_for_kind(ctx, receiver)):
        return False
    found = plain_values(ctx, receiver)
    if name is not None and (is_tested_for_none(ctx, name, receiver) or is_used_anyway(ctx, name, receiver)):
        found = [one for one in found if not isinstance(one, ast.Constant)]
    return bool(found)


def _is_asked_for_kind(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether the function asks of what kind a name is: ``isinstance(x, list)``."""
    function, text = scopes(ctx).function_of(receiver), ctx.text_of(receiver)
    for one in ctx.tree.of_type(cst.Call):
        if one.args and (dotted_name(one.func) or "").rpartition(".")[2] in _KIND_QUESTIONS:
            if scopes(ctx).function_of(one) is function and ctx.text_of(one.args[0].value) == text:
                return True
    return False


def _values(ctx: FileContext, receiver: cst.BaseExpression) -> Sequence[cst.BaseExpression]:
    """What is moved, or what a name or attribute may have been given."""
    name = dotted_name(receiver)
    if name is None:
        return [receiver]
    if not isinstance(receiver, cst.Name):
        return assigned_values(ctx, name, receiver)
    scope, found = bindings(ctx, name, receiver)
    if scope is None or scope is not scopes(ctx).scope_of(receiver):
        return []
    reached = may_reach(ctx, scope, found, receiver)
    if any(one.how is How.AUGMENTED for one in reached):
        return []
    return [one.value for one in reached if one.how is How.ASSIGN and one.value is not None]


def _has_no_to(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether a receiver may be an instance of a class of the project that neither it nor a base gives a ``to``."""
    if is_tensor(ctx, receiver):
        return False
    called = [dotted_name(one.func) or "" for one in _values(ctx, receiver) if isinstance(one, cst.Call)]
    called = [one for one in called if one.rpartition(".")[0] != dotted_name(receiver)]
    module, index = own_module(ctx), project_around(ctx).index
    made = [index.resolve(module, one) for one in called] if module is not None else []
    found = [one for one, name in zip(made, called, strict=False) if one is not None and _is_named(one, name)]
    if len(found) == len(called) and not any("." in one for one in called):  # methods give something else
        found += received_classes(ctx, receiver)
    return any(isinstance(one.node, ast.ClassDef) and lacks_method(class_family(index, one), "to") for one in found)


def _parts(value: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The values that an expression chooses among."""
    if isinstance(value, cst.IfExp):
        yield from (*_parts(value.body), *_parts(value.orelse))
    elif isinstance(value, cst.BooleanOperation):
        yield from (*_parts(value.left), *_parts(value.right))
    else:
        yield value


def _is_function(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether a value is a function, of this file, of another or of torch, or a class and no instance of it."""
    dotted = dotted_name(value)
    if dotted is None:
        return isinstance(value, cst.Lambda)
    if (origin(ctx, value) or "").startswith(FUNCTIONAL):
        return True
    module = own_module(ctx)
    name = dotted.partition(".")[0]
    if module is None or scopes(ctx).binder(name, value) is not scopes(ctx).module:
        found = bindings(ctx, name, value)[1] if name == dotted else []
        return any(isinstance(one.node, _DEFINITIONS) for one in found)
    known = project_around(ctx).index.resolve(module, dotted)
    return known is not None and isinstance(known.node, (ast.FunctionDef, ast.ClassDef))


def _is_of_torch(ctx: FileContext, call: cst.Call) -> bool:
    return (origin(ctx, call.func) or "").startswith("torch.")


def _is_named(found: Definition, dotted: str) -> bool:
    """Whether a dotted name means what was found and no member of it: ``tools.Loader``, not ``Loader.read``."""
    owner, _, name = dotted.rpartition(".")
    return not owner or getattr(found.node, "name", "") == name


def _is_chosen(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether another test than that for CUDA is around a move: ``if isinstance(x, tuple): … else: x = x.cuda()``."""
    choices = [one for one in ctx.tree.ancestors(receiver) if isinstance(one, (cst.If, cst.IfExp))]
    guard = guard_of(ctx, receiver)
    others = (one for one in choices if guard is None or one is not guard.owner)
    return any(not is_main_guard(one) for one in others)
