"""Whether what other code gives to a parameter is a device: an option of the program, a name of that file, a choice."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devlint.analysis.apis.option_kinds import STARS, Keywords, default_of, is_int
from devlint.analysis.devices.which_device import FUNCTION_INDEX, DeviceValue
from devlint.analysis.names.program_options import program_options
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.analysis.project.known_devices import known_device
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.options import OPTIONS, values_set
from devlint.analysis.project.searches import search
from devlint.analysis.slots.given.given_devices import values_of_name
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.nodes import last_name
from devlint.torch_api.device_naming import CARD_CALLS, CARD_NAME, holds_options

_DEPTH = 4


def is_given_device(
    ctx: FileContext, module: ProjectModule, node: ast.expr, by_use: bool = False, to_load: bool = False
) -> bool:
    """Whether what a call gives, of this file or of another, is a device, as far as that file shows.

    With ``by_use`` that of which nothing is known is one, since it is used as one. What is ``to_load`` to may be None,
    and no number of a card.
    """
    return _Given(ctx, by_use, to_load).is_device(module, node, _DEPTH)


class _Given:
    """What the files of a project give."""

    def __init__(self, ctx: FileContext, by_use: bool, to_load: bool) -> None:
        self._ctx, self._by_use, self._to_load = ctx, by_use, to_load

    def is_device(self, module: ProjectModule, node: ast.expr | None, depth: int) -> bool:
        """Whether an expression of a file is a device."""
        if isinstance(node, ast.IfExp):
            return self.is_device(module, node.body, depth) and self.is_device(module, node.orelse, depth)
        if is_evident(known_device(module, node)):
            return True
        if isinstance(node, ast.Constant):
            return self._to_load if node.value is None else self._is_number(isinstance(node.value, int))
        if isinstance(node, ast.Call) and last_name(node.func) in CARD_CALLS:
            return self._is_number(True)
        if isinstance(node, ast.Attribute) and depth:
            return self._is_attribute_device(module, node, depth)
        if not isinstance(node, ast.Name) or not depth:
            return self._by_use
        values = values_of_name(module, node.id)
        found = project_around(self._ctx).index.resolve(module, node.id) if not values else None
        if found is not None:
            return self.is_device(found.module, found.module.sole_value(found.name), depth - 1)
        return self._are_devices(module, values, depth) if values else self._is_unknown(node.id)

    def _is_number(self, is_one: bool) -> bool:
        """Whether the number of a card is a device, where it is one."""
        return is_one and self._by_use and not self._to_load

    def _is_unknown(self, name: str) -> bool:
        """Whether that of which nothing but a name is known is a device."""
        return self._by_use and not (self._to_load and CARD_NAME.match(name) is not None)

    def _is_attribute_device(self, module: ProjectModule, node: ast.Attribute, depth: int) -> bool:
        """Whether an attribute is the device of something, or an option that is one wherever it gets a value."""
        owner = last_name(node.value)
        if not holds_options(owner) and owner != "self":
            return self._is_unknown(node.attr) and (node.attr == "device" or self._to_load)
        values = [one for one in values_set(module, node.attr) if ast.dump(one) != ast.dump(node)]
        something = [one for one in values if not isinstance(one, ast.Constant) or one.value is not None]
        if values:
            return (bool(something) or self._to_load) and self._are_devices(module, something, depth)
        outside = set_from_outside(project_around(self._ctx), node.attr)
        if outside:
            return self._by_use or all(one.gives_device for one in outside)
        if self._to_load:
            return self._is_unknown(node.attr) and not any(is_int(one) for one, _ in _definitions(self._ctx, node.attr))
        defined = _have_values(self._ctx, node.attr)
        return all(defined) if defined else self._by_use

    def _are_devices(self, module: ProjectModule, values: Sequence[ast.expr], depth: int) -> bool:
        return all(self.is_device(module, one, depth - 1) for one in values) if values else self._by_use


def is_evident(value: DeviceValue | None) -> bool:
    """Whether a device is known by more than by the name that it has."""
    if value is None or value.caveat is not None:
        return False
    return value.is_string is not None or value.condition is not None or value.index not in (None, FUNCTION_INDEX)


def is_option_given(ctx: FileContext, option: str) -> bool:
    """Whether every definition of an option, of this file or of another, has a default, or must be given."""
    found = _have_values(ctx, option)
    return bool(found) and all(found)


def _have_values(ctx: FileContext, option: str) -> list[bool]:
    """Whether each definition of an option gives it a value that is not None."""
    return [_has_value(*one) for one in _definitions(ctx, option)]


def _definitions(ctx: FileContext, option: str) -> list[tuple[Keywords, bool]]:
    """What defines an option, in this file or in others, and whether it may be left out."""
    own = [one for one in program_options(ctx) if one.of_parser and one.destination == option]
    if own:
        return [(one.keywords, any(name.startswith("-") for name in one.names)) for one in own]
    return [(one.keywords, one.has_dashes) for one in search(project_around(ctx), OPTIONS, option) or ()]


def _has_value(given: Keywords, may_be_left_out: bool) -> bool:
    """Whether an option is not None where the user does not give it, or has to be given."""
    if STARS in given:
        return False
    if not may_be_left_out:
        return "nargs" not in given
    default = default_of(given)
    return "required" in given or (isinstance(default, (str, int)) and not isinstance(default, bool) and default != "")
