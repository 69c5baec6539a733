"""A device that a function of the module gives, where several would each build the same from a flag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from keyword import iskeyword

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.guards.cuda_flags import Condition, as_condition
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.bindings import Binding, How
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import is_script
from devlint.analysis.names.torchscript import may_be_compiled
from devlint.analysis.tensors.partners import partner_device
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.analysis.transfers.none_receivers import receiver_may_be_none
from devlint.core.lazy_regex import regex
from devlint.fixes.device.anchors.flag_anchors import asks_too_early
from devlint.fixes.device.anchors.instance_flag_anchor import instance_anchor
from devlint.fixes.device.anchors.local_flag_anchor import users_of_flag
from devlint.fixes.device.anchors.placement import Anchor
from devlint.fixes.device.choice import DeviceChoice, define_device
from devlint.fixes.device.shared.shared_function import is_sole_placement, shared_call
from devlint.fixes.torch_import import torch_name
from devlint.syntax.file_context import FileContext, fact

_VARIABLE = regex(r"(?<![\w.])[A-Za-z_]\w*")


def from_function(
    ctx: FileContext, anchor: Anchor, at: cst.CSTNode, condition: Condition, test: str
) -> DeviceChoice | None:
    """``device = choose_device(args)`` where many functions would each build the same device from their options.

    Or ``choose_device(self.args)``, where these are kept by instances that can have no device of their own.
    """
    method = method_of(ctx, at)
    given = {_asked_of(one, self_name(method) if method is not None else None) for one in condition.names}
    root = next(iter(given)) if len(given) == 1 else None
    if root is None or may_be_compiled(ctx, at):
        return None
    name = root.partition(".")[0]
    if not anchor.scope.is_function or [one.how for one in anchor.scope.bindings.get(name, ())] != [How.PARAMETER]:
        return None
    if _functions_given(ctx).count(_question(root, condition.text)) > 1:
        return called_device(ctx, anchor, at, test, root)
    asked = (
        test,
        *([] if "is_available" in test else [and_available(ctx, test, at)]),
    )  # a fix before may have written the function
    return next(filter(None, (called_device(ctx, anchor, at, one, root, False) for one in asked)), None)


def and_available(ctx: FileContext, test: str, at: cst.CSTNode) -> str:
    """A test that asks for availability, too."""
    torch = torch_name(ctx, at)
    if torch is None:
        return test
    return f"{f'({test})' if ' or ' in test else test} and {ctx.target.available(torch[0])}"


def _asked_of(dotted: str, instance: str | None) -> str:
    """The parameter that a flag is asked of, or what an instance keeps: ``args``, ``self.args``, ``self.use_cuda``."""
    root, _, kept = dotted.partition(".")
    return f"{root}.{kept.partition('.')[0]}" if root == instance and kept else root


def from_flag_of_module(
    ctx: FileContext, anchor: Anchor, at: cst.CSTNode, condition: Condition, test: str
) -> DeviceChoice | None:
    """``device = get_device()``, which asks a flag of the module, or an imported one, for several functions."""
    table = scopes(ctx)
    owners = {table.binder(one.partition(".")[0], at) for one in condition.names}
    if not owners <= {table.module, None} or users_of_flag(ctx, condition) < 2 or may_be_compiled(ctx, at):
        return None
    return called_device(ctx, anchor, at, test) if anchor.scope.is_function else None


def called_device(
    ctx: FileContext, anchor: Anchor, at: cst.CSTNode, test: str, given: str = "", shared: bool = True
) -> DeviceChoice | None:
    """A device that a function of the module gives, which is ``given`` what its test asks.

    Where it is not ``shared`` by several, only one that the module has already.
    """
    torch = torch_name(ctx, anchor.statement, anchor.after)
    if torch is None or torch[1] or asks_too_early(ctx, anchor, test):
        return None
    parameter = _parameter_for(given)
    asked = test if given == parameter else _asked_by(parameter, given, test)
    if asked is None:
        return None
    call = shared_call(ctx, at, ctx.target.device_expression(torch[0], asked), shared, parameter, argument=given)
    if call is None:
        return None
    if is_sole_placement(ctx, at):
        return DeviceChoice(*call, condition=test)
    return define_device(ctx, anchor, at, call[0], call[1], test)


def _parameter_for(given: str) -> str:
    """``args`` for ``args``, ``self.args`` and ``self._args``."""
    name = given.rpartition(".")[2]
    plain = name.lstrip("_")
    return plain if plain.isidentifier() and not iskeyword(plain) else name


def _asked_by(parameter: str, given: str, test: str) -> str | None:
    """A test in which a parameter stands for what an instance keeps; None where it asks more of the instance.

    Nor may the parameter have the name of anything else in the test, such as ``torch``.
    """
    kept = regex(rf"\b{given}\b")
    others = _VARIABLE.findall(kept.sub("", test))
    return kept.sub(parameter, test) if parameter and not {parameter, given.partition(".")[0]} & {*others} else None


def _question(given: str, test: str) -> tuple[str, str | None]:
    """The parameter of a function that asks a test, and what it asks, in one kind of quotes."""
    parameter = _parameter_for(given)
    asked = test if given == parameter else _asked_by(parameter, given, test)
    return parameter, asked.replace("'", '"') if asked is not None else None


@fact
def _functions_given(ctx: FileContext) -> list[tuple[str, str | None]]:
    """For each function of the module, what it asks where it uses CUDA, with what it is given to ask."""
    found: set[tuple[int, str, str | None]] = set()
    for node in cuda_mentions(ctx):
        if _stays_as_it_is(ctx, node):
            continue
        method = method_of(ctx, node)
        asked = (as_condition(ctx, one.test, one.holds) for one in guards_of(ctx, node))
        for condition in filter(None, asked):
            for one in {_asked_of(name, self_name(method) if method is not None else None) for name in condition.names}:
                binder = scopes(ctx).binder(one.partition(".")[0], node)
                bound = binder.bindings if binder is not None and binder.is_function else {}
                if _is_given(ctx, one, bound, condition, node):
                    found.add((id(binder), *_question(one, condition.text)))
    return [(parameter, asked) for _, parameter, asked in found if asked is not None]


def _stays_as_it_is(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a mention of CUDA stays below its test, since what it moves may be None, or needs no such device.

    It chooses one itself, names a card, or moves to where a tensor is that it meets.
    """
    if isinstance(node, cst.Attribute) and receiver_may_be_none(ctx, node.value):
        return True
    call = ctx.tree.parent(node)
    move = cuda_move(ctx, call) if isinstance(call, cst.Call) else None
    if move is not None and (move.device is not None or (not is_script(ctx) and partner_device(ctx, move.call))):
        return True
    above = islice(ctx.tree.ancestors(node), 3)
    return any(isinstance(one, cst.IfExp) and device_value(ctx, one) is not None for one in above)


def _is_given(
    ctx: FileContext, asked: str, bound: Mapping[str, Sequence[Binding]], condition: Condition, node: cst.CSTNode
) -> bool:
    """Whether a condition asks a parameter of the function, or what an instance keeps that has no device itself."""
    root, _, kept = asked.partition(".")
    if [one.how for one in bound.get(root, ())] != [How.PARAMETER]:
        return False
    method, definition = method_of(ctx, node), class_of(ctx, node)
    if method is None or definition is None or root != self_name(method):
        return True
    if not kept or not isinstance(node, cst.Attribute):
        return False
    known, key = ctx.fact(_without_device), (id(definition), method.name.value == "__init__", condition)
    if key not in known:
        known[key] = instance_anchor(ctx, condition, node) is None
    return known[key]


def _without_device(ctx: FileContext) -> dict[tuple[int, bool, Condition], bool]:
    """The answers so far, by class, condition and whether ``__init__`` asks it: instances may get no device."""
    return {}
