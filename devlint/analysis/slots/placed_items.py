"""Functions that take a dictionary of settings, and put something on the device that an item of it names."""

from __future__ import annotations

import ast

from devlint.analysis.project.classes import method_of_class
from devlint.analysis.project.device_parameters import DeviceUses, GivenDevice, parameter_at, placed_in_call
from devlint.syntax.python_tree.nodes import nodes_below, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from devlint.analysis.project.module import Definition
    from devlint.analysis.project.project import Index

_DEPTH = 3
"""How many functions a dictionary is followed through."""


def places_item(
    index: Index, definition: Definition, keyword: str | None, position: int, keys: Sequence[str], depth: int = _DEPTH
) -> bool:
    """Whether a function puts something where ``settings["run"]["device"]`` of one of its arguments says.

    It does not if it gives such an item another value itself.
    """
    function = method_of_class(index, definition) if isinstance(definition.node, ast.ClassDef) else definition
    name = keyword if keyword is not None else parameter_at(index, definition, position)
    if function is None or not isinstance(function.node, (ast.FunctionDef, ast.AsyncFunctionDef)) or name is None:
        return False
    arguments = function.node.args
    if name not in {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}:
        return False
    nodes = list(nodes_below(function.node))
    if any(isinstance(one, ast.Name) and one.id == name and not isinstance(one.ctx, ast.Load) for one in nodes):
        return False
    items = [one for one in nodes if isinstance(one, ast.Subscript) and text_of(one.slice) == keys[-1]]
    if any(not isinstance(one.ctx, ast.Load) for one in items):
        return False
    calls = [one for one in nodes if isinstance(one, ast.Call)]
    uses = DeviceUses(index, function.module, function.node, None, given=GivenDevice.STRING)
    if any(_is_item(one, name, keys) for call in calls for one in uses.in_slots(call)):
        return True
    return depth > 1 and any(_hands_on(index, function, call, name, keys, depth) for call in calls)


def spreads_item(index: Index, definition: Definition, key: str) -> bool:
    """Whether a function that is called with ``**settings`` only puts something where ``settings[key]`` says."""
    return placed_in_call(index, definition, key, 0, GivenDevice.STRING)


def _hands_on(index: Index, function: Definition, call: ast.Call, name: str, keys: Sequence[str], depth: int) -> bool:
    """Whether a call hands the whole dictionary to another function that places by it."""
    given = list(_given(call, name))
    called = index.resolve(function.module, ast.unparse(call.func)) if given else None
    if called is None or called.node is function.node:
        return False
    return any(places_item(index, called, keyword, position, keys, depth - 1) for keyword, position in given)


def _given(call: ast.Call, name: str) -> Iterator[tuple[str | None, int]]:
    """Where a call is given a name."""
    if any(isinstance(one, ast.Starred) for one in call.args):
        return
    for position, arg in enumerate(call.args):
        if isinstance(arg, ast.Name) and arg.id == name:
            yield None, position
    for one in call.keywords:
        if one.arg is not None and isinstance(one.value, ast.Name) and one.value.id == name:
            yield one.arg, 0


def _is_item(node: ast.expr, name: str, keys: Sequence[str]) -> bool:
    """Whether an expression is ``name["run"]["device"]``."""
    for key in reversed(keys):
        if not isinstance(node, ast.Subscript) or text_of(node.slice) != key:
            return False
        node = node.value
    return isinstance(node, ast.Name) and node.id == name
