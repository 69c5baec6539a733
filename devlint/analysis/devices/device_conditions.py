"""The devices that a program has at a place, and what the condition of one means there."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.cuda.device_words import is_own_word
from devlint.analysis.devices.named_devices import named_device
from devlint.analysis.devices.which_device import DeviceValue
from devlint.analysis.guards.availability_flow import AVAILABLE
from devlint.analysis.guards.condition_text import condition_text
from devlint.analysis.guards.cuda_flags import Condition, is_gpu_under, names_answer
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.guards.implications import implies_cuda
from devlint.analysis.guards.questions import Question
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.control_flow import is_main_guard
from devlint.analysis.names.resolution import targets_named
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.owners.changed_since import VARIABLE, may_say_otherwise
from devlint.analysis.owners.instance_device import instance_device
from devlint.analysis.slots.argument_devices import is_always_given_name
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext

_ASKS_CARD = regex(r"get_device_(?:capability|properties|name)|mem_get_info|is_bf16_supported")
"""Parts of a test that says no where there is CUDA, but not with the card that is wanted."""


def condition_at(ctx: FileContext, device: str, condition: str | None, at: cst.CSTNode) -> str | None:
    """The condition of a device in words that mean at ``at`` what they mean where it was built, if there are any.

    In ``def test(net, cuda):`` the parameter is not the ``cuda`` from which the module's device was built.
    """
    built = _definition(ctx, device, at) if condition is not None else None
    if condition is None or built is None:
        return condition
    names = VARIABLE.findall(condition)
    if all(_is_same_variable(ctx, name, built, at, condition) for name in names):
        return condition if not may_say_otherwise(ctx, condition, built, at) else None
    return f"{AVAILABLE}()" if names_answer(ctx, condition, built) else None


def condition_under(
    ctx: FileContext, device: str, condition: str | None, guard: Condition | None, at: cst.CSTNode
) -> str | None:
    """The same at a place below a test: in the words of the test, where these are what the condition is called.

    ``use_cuda = args.cuda and torch.cuda.is_available()`` for ``args.cuda``.
    """
    found = condition_at(ctx, device, condition, at)
    if guard is None or not guard.names or found is None or is_gpu_under(ctx, found, guard, at):
        return found
    said = _as_assigned(ctx, found, at)
    return said if said is not None and is_gpu_under(ctx, said, guard, at) else found


def _as_assigned(ctx: FileContext, condition: str, at: cst.CSTNode) -> str | None:
    """What a variable, a condition, was assigned once and for all, if it means the same at a place."""
    scope = scopes(ctx).binder(condition, at) if condition.isidentifier() else None
    found = scope.bindings[condition] if scope is not None else []
    value = found[0].value if len(found) == 1 and found[0].how is How.ASSIGN else None
    text = condition_text(ctx, value) if isinstance(value, cst.BooleanOperation) else None
    if text is None or value is None:
        return None
    names = VARIABLE.findall(text)
    if not all(_is_same_variable(ctx, name, value, at, text) for name in names):
        return None
    return text if not may_say_otherwise(ctx, text, value, at) else None


def devices_at(ctx: FileContext, at: cst.CSTNode) -> Iterator[tuple[str, DeviceValue]]:
    """The devices the program has at ``at``: a local one, the instance's, an enclosing scope's."""
    for found in (named_device(ctx, at, True), instance_device(ctx, at), named_device(ctx, at)):
        if found is None or _is_cpu_at(ctx, found[0], at) or is_own_word(ctx, found[0], at):
            continue
        name, value = found
        if value.caveat is None and _ASKS_CARD.search(value.condition or ""):
            value = value.replace(caveat=f"`{name}` is the CPU with some cards, too")
        yield name, value


def _is_cpu_at(ctx: FileContext, device: str, at: cst.CSTNode) -> bool:
    """Whether a test before ``at`` says that a device is the CPU there: ``if device == "cpu":``."""
    return any(
        any(dotted_name(one) == device for one in ctx.tree.below(guard.test))
        for guard in guards_of(ctx, at, Question(_says_cpu))
    )


def _says_cpu(ctx: FileContext, test: cst.CSTNode, holds: bool) -> bool:
    """Whether a comparison, wherever it is true (or false), says that there is no CUDA: ``device == "cpu"``."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return _says_cpu(ctx, test.expression, not holds)
    if isinstance(test, cst.BooleanOperation):
        both = isinstance(test.operator, cst.And) is holds
        return both and any(_says_cpu(ctx, one, holds) for one in (test.left, test.right))
    return isinstance(test, cst.Comparison) and implies_cuda(ctx, test, not holds)


def _definition(ctx: FileContext, device: str, at: cst.CSTNode) -> cst.CSTNode | None:
    """Where a device, a name or an attribute, gets its value."""
    if "." not in device:
        scope = scopes(ctx).binder(device, at)
        return scope.bindings[device][0].node if scope is not None else None
    targets = targets_named(ctx, device)
    return next((one for one in targets if class_of(ctx, one) is class_of(ctx, at)), next(iter(targets), None))


def _is_same_variable(ctx: FileContext, name: str, built: cst.CSTNode, at: cst.CSTNode, condition: str) -> bool:
    """Whether a name stands for the same variable at two places, or for the same instance."""
    there, here = scopes(ctx).binder(name, built), scopes(ctx).binder(name, at)
    if there is here or here is None:
        return True
    methods = (method_of(ctx, built), method_of(ctx, at))
    if all(one is not None and self_name(one) == name for one in methods):
        return True
    if all(one.how is How.IMPORT for one in here.bindings[name]):
        return True
    return there is not None and is_handed_on(ctx, name, there, here, condition)


def is_handed_on(ctx: FileContext, name: str, owner: Scope, function: Scope, condition: str) -> bool:
    """Whether a variable is a function's parameter, which every call gives the variable of ``owner``.

    Not a flag that only the main part of a script has: the function is given it for whoever imports it.
    """
    found = function.bindings[name]
    around = (up for one in owner.bindings.get(name, ()) for up in ctx.tree.ancestors(one.node))
    if condition == name and any(map(is_main_guard, around)):
        return False
    node = found[0].node
    return len(found) == 1 and isinstance(node, cst.Param) and is_always_given_name(ctx, node, owner)
