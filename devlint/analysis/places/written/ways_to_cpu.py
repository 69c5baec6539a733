"""Functions and modules that take something to the CPU: nobody knows where what they give is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from devlint.analysis.places.written.definitions import ClassDefinition, FunctionDefinition
from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below, parameters_with_defaults

_TO_CPU = regex(r"\.(?:cpu|numpy|tolist)\(")
_OWN = regex(r"\bself\.(\w+)\(")
_RUN = ("forward", "__call__")
Definition = FunctionDefinition | ClassDefinition
Resolve = Callable[[str], Definition | None]
"""What a dotted name of the file is, also in another file."""


def may_leave_device(caller: FunctionDefinition, called: ast.expr, resolve: Resolve) -> bool:
    """Whether what a function calls, or what it may be by its default, its type or its class, goes to the CPU."""
    return any(map(goes_to_cpu, _definitions(caller, called, resolve)))


def _definitions(caller: FunctionDefinition, called: ast.expr, resolve: Resolve) -> Iterator[Definition]:
    """The functions and classes that an expression is, or is an instance of."""
    name = dotted_text(called)
    owner, _, attribute = name.rpartition(".")
    if owner and owner == caller.instance and caller.owner is not None:
        start = caller.owner.method("__init__") if "__init__" in caller.owner.members else None
        kept = _assigned(start, f"{start.instance}.{attribute}") if start is not None else ()
        texts = [one for value in kept for one in _names_in(value)]
        found = [*texts, *(more for one in texts for more in _given(start, one))] if start is not None else []
    else:
        found = [name, *_given(caller, name)]
        found += [one for value in _assigned(caller, name) for one in _names_in(value)]
    yield from (one for one in map(resolve, dict.fromkeys(found)) if one is not None)


def _assigned(function: FunctionDefinition, target: str) -> Iterator[ast.expr]:
    """The values that a function gives a name, or an attribute."""
    for node in nodes_below(function.node) if target else ():
        if isinstance(node, ast.Assign) and any(dotted_text(one) == target for one in node.targets):
            yield node.value


def _given(function: FunctionDefinition, parameter: str) -> Iterator[str]:
    """The names in the default and in the annotation of a parameter."""
    for one, default in parameters_with_defaults(function.node.args):
        if one.arg == parameter:
            yield from (name for each in (default, one.annotation) if each is not None for name in _names_in(each))


def _names_in(value: ast.expr) -> Iterator[str]:
    """The dotted names in an expression."""
    for one in (value, *nodes_below(value)):
        if isinstance(one, (ast.Name, ast.Attribute)) and (name := dotted_text(one)):
            yield name


def goes_to_cpu(definition: Definition) -> bool:
    """Whether a function takes something to the CPU, or the method that a call of an instance runs, or one it calls."""
    if isinstance(definition, FunctionDefinition):
        return definition.uses.leaves_device
    members = definition.members
    run = [members[one].text for one in _RUN if one in members]
    run += [members[name].text for text in run for name in _OWN.findall(text) if name in members]
    return any(_TO_CPU.search(text) for text in run)
