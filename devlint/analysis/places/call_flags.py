"""What a call says of the parameters on which it depends what a function makes, and what meets in it."""

from __future__ import annotations

import ast

from devlint.analysis.places.parameters import stored_names
from devlint.analysis.places.tensor_methods import Given
from devlint.analysis.places.values import NOWHERE, Names, Places, Tensor, Value
from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.analysis.places.written.flags import Flag
from devlint.syntax.python_tree.nodes import parameters_with_defaults

_IS_SOMETHING = (ast.Attribute, ast.Subscript)
"""Expressions that are seldom None where they are given."""


class CallFlags:
    """The truth values that a call gives the parameters of a function."""

    def __init__(
        self,
        caller: FunctionDefinition,
        function: FunctionDefinition,
        flags: dict[tuple[object, Places], frozenset[Flag]],
        given: Given,
        instance: Value | None,
        bound: Names,
    ) -> None:
        self._flags = flags
        self._nodes = _nodes(function, given, instance) if any(flags.values()) else {}
        self._known = _constants(function, self._nodes)
        self._known.update((name, True) for name, value in bound.items() if isinstance(value, Tensor))
        self._handed_on = _handed_on(caller) if self._nodes else set()

    def never_meets(self, key: tuple[object, Places]) -> bool:
        """Whether the call gives a parameter another truth value than is needed."""
        known = self._known
        return any(name in known and known[name] is not is_true for name, is_true in self._flags[key])

    def of(self, key: tuple[object, Places]) -> list[Flag]:
        """What must be true of the caller's own parameters, which it hands on."""
        every = [(self._nodes.get(name), is_true) for name, is_true in self._flags[key]]
        return [(one.id, is_true) for one, is_true in every if isinstance(one, ast.Name) and one.id in self._handed_on]

    @property
    def skipped_sites(self) -> set[object]:
        """The calls that make tensors in branches which this call never takes."""
        sites = [one for one, places in self._flags if not places]
        return {one for one in sites if self.never_meets((one, NOWHERE))}


def _nodes(function: FunctionDefinition, given: Given, instance: Value | None) -> dict[str, ast.expr]:
    """What a call writes for the parameters, or their defaults; nothing where nobody knows."""
    if given.is_open:
        return {}
    nodes: dict[str, ast.expr] = {
        one.arg: default for one, default in parameters_with_defaults(function.node.args) if default is not None
    }
    names = [one.arg for one in function.positional][function.is_method and instance is not None :]
    nodes.update(zip(names, given.node.args))
    nodes.update((one.arg, one.value) for one in given.node.keywords if one.arg is not None)
    return nodes


def _constants(function: FunctionDefinition, nodes: dict[str, ast.expr]) -> dict[str, bool]:
    """The parameters that a call gives a constant, or leaves one, with whether that is true: ``x.y``, ``x[y]`` are."""
    rebound = stored_names(function.node) if nodes else set()
    known = {name: node.value for name, node in nodes.items() if isinstance(node, ast.Constant) and name not in rebound}
    others = (name for name, node in nodes.items() if isinstance(node, _IS_SOMETHING))
    return {**{name: bool(value) for name, value in known.items()}, **dict.fromkeys(others, True)}


def _handed_on(function: FunctionDefinition) -> set[str]:
    """The parameters of a function that are given no other value in it."""
    return {one.arg for one in function.parameters} - stored_names(function.node)
