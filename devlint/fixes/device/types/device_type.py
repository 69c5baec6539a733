"""The type of a device as a string, ``device.type``: for autocast, or for a comparison."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.devices.option_devices import may_lack_device
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.resolution import bindings, origin
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.slots.argument_devices import is_always_given_device
from devlint.analysis.slots.given.given_texts import may_be_given_text
from devlint.core.diagnostic import Edit, Fix
from devlint.core.record import Record
from devlint.fixes.device import resolver
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.types.type_name import type_name
from devlint.fixes.torch_import import torch_name
from devlint.syntax.edits import as_fix, fit_quotes, replace_expression
from devlint.syntax.file_context import FileContext, fact

_TYPE = "device_type"


class DeviceType(Record):
    """An expression for ``"cuda"`` or ``"cpu"`` at one place of a program, and a test for its not being the CPU."""

    expression: str
    """``device.type``; a name for a string; a conditional expression, which an argument needs no parentheses for."""
    not_cpu: str
    """``device.type != "cpu"``, or the same asked of a string, fit to stand after ``and``."""
    edits: tuple[Edit, ...] = ()
    caveat: str | None = None


def device_type(ctx: FileContext, at: cst.CSTNode) -> DeviceType | None:
    """The type of the device at ``at``, whatever its index; None where no device can be found or defined."""
    choice = resolver.resolve_device(ctx, at, any_card=True)
    return None if choice is None else type_of_choice(ctx, choice, at)


def _type_of_target(ctx: FileContext, at: cst.CSTNode) -> DeviceType | None:
    """The type of the target's own device, whatever device the file has; None where it cannot be imported."""
    if ctx.target.kind == "project":
        return device_type(ctx, at)
    torch = torch_name(ctx, at)
    if torch is None:
        return None
    return DeviceType(ctx.target.string_expression(torch[0]), ctx.target.available(torch[0]), torch[1])


def target_type_fix(ctx: FileContext, literal: cst.BaseExpression) -> Fix | None:
    """Write the type of the target's device for a string such as ``"cuda"``."""
    chosen = _type_of_target(ctx, literal)
    if chosen is None:
        return None
    made = [replace_expression(ctx, literal, chosen.expression), *chosen.edits]
    return as_fix("Take the type of the accelerator", made, "other accelerators are used, too")


def type_of_choice(ctx: FileContext, choice: DeviceChoice, at: cst.CSTNode, twice: bool = False) -> DeviceType | None:
    """The type of a device that was found; None where the device may be None.

    Where it is written ``twice``, a type that must be asked for gets a name.
    """
    if (choice.caveat and "may be None" in choice.caveat) or may_lack_device(ctx, choice.expression, at):
        return None
    text, edits = choice.expression, choice.edits
    if choice.needs_parentheses and choice.is_string:
        condition = choice.condition or ""
        test = f"({condition})" if any(word in condition for word in (" or ", " if ", "lambda", ":=")) else condition
        return DeviceType(text, test, edits, choice.caveat) if test else None
    kind = _kind(ctx, choice, at)
    if kind != "device" and _has_type_beside(ctx, choice, at):
        text, kind = _TYPE, "word"
    elif kind is None and (named := type_name(ctx, text, at) if twice and not edits else None) is not None:
        text, edits, kind = named.expression, named.edits, "word"
    elif kind is None:
        torch = torch_name(ctx, at)
        if torch is None:
            return None
        text, edits = f"{torch[0]}.device({text}).type", (*torch[1], *edits)
    elif kind == "device":
        text = f"({text}).type" if choice.needs_parentheses else f"{text}.type"
    is_other = f'{text} != "cpu"' if kind is not None else f'not str({choice.expression}).startswith("cpu")'
    fitting = fit_quotes(ctx, at, is_other)
    return None if fitting is None else DeviceType(text, fitting, edits, choice.caveat)


def _has_type_beside(ctx: FileContext, choice: DeviceChoice, at: cst.CSTNode) -> bool:
    """Whether ``device_type`` is the type of a device that is there already: one of the two is made from the other."""
    owner, of_type = bindings(ctx, _TYPE, at)
    _, of_device = bindings(ctx, choice.expression, at)
    if owner is None or choice.edits or not certainly_bound(ctx, _TYPE, owner, at):
        return False
    made = all(_is_word(one.value) and _mentions(ctx, one, choice.expression) for one in of_type)
    return made or (_is_compared(ctx) and any(_mentions(ctx, one, _TYPE) for one in of_device))


@fact
def _is_compared(ctx: FileContext) -> bool:
    """Whether the file compares ``device_type`` with a type, so that it has no card's number."""
    asked = (one for one in ctx.tree.of_type(cst.Comparison) if dotted_name(one.left) == _TYPE)
    return any(string_value(one.comparisons[0].comparator) in ("cuda", "cpu") for one in asked)


def _mentions(ctx: FileContext, binding: Binding, name: str) -> bool:
    """Whether a name stands in the statement that binds another."""
    around = (binding.node, *ctx.tree.ancestors(binding.node))
    statement = next((one for one in around if isinstance(one, (cst.Assign, cst.AnnAssign))), None)
    value = statement.value if statement is not None else None
    return value is not None and any(isinstance(one, cst.Name) and one.value == name for one in ctx.tree.below(value))


def _kind(ctx: FileContext, choice: DeviceChoice, at: cst.CSTNode) -> str | None:
    """``device`` for a torch.device, ``word`` for a string without a card's number, None where it may be either."""
    if choice.is_string is False:
        return "device"
    name = choice.expression
    if _is_asked_type(ctx, name, at):
        return "device"
    if "." in name:
        values = bound_values(ctx, name, at)
        known = [device_value(ctx, value) for value in values]
        if known and all(one is not None and one.is_string is False for one in known):
            return "device"
        return "word" if values and all(_is_word(value) for value in values) and not _is_option(name) else None
    _, found = bindings(ctx, name, at)
    if found and all(one.how is How.ASSIGN and _is_word(one.value) for one in found):
        return "word"
    return "device" if found and all(_binds_device(ctx, one) for one in found) else None


def _is_word(value: cst.BaseExpression | None) -> bool:
    """Whether a value is one of some strings that name no card."""
    if isinstance(value, cst.IfExp):
        return _is_word(value.body) and _is_word(value.orelse)
    word = string_value(value) if value is not None else None
    return word is not None and ":" not in word


def _is_option(name: str) -> bool:
    """Whether the command line, or whoever made the object, may have given an attribute its value as well."""
    return not name.startswith("self.")


def _is_asked_type(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether the file asks a name or attribute for its ``type``, as only a torch.device has one."""
    if name.rpartition(".")[0].rpartition(".")[2] == "accelerator":
        return True
    root = name.partition(".")[0]
    owner = scopes(ctx).binder(root, at)
    return any(
        one.attr.value == "type"
        and dotted_name(one.value) == name
        and not isinstance(ctx.tree.parent(one), cst.Call)
        and (root == "self" or scopes(ctx).binder(root, one) is owner)
        for one in ctx.tree.of_type(cst.Attribute)
    )


def _binds_device(ctx: FileContext, binding: Binding) -> bool:
    """Whether a binding gives its name a torch.device."""
    if binding.how is How.ASSIGN and binding.value is not None:
        value = device_value(ctx, binding.value)
        return value is not None and value.is_string is False
    node = binding.node
    if not isinstance(node, cst.Param) or binding.value is not None:
        return False
    if node.annotation is not None:
        says_so = origin(ctx, node.annotation.annotation) == "torch.device"
        return says_so and not may_be_given_text(ctx, node)
    return is_always_given_device(ctx, node)
