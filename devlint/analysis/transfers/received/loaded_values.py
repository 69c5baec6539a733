"""Values that ``torch.load`` gives where they were saved from: on CUDA, whatever a flag of the program says."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.guards.questions import Guard
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import tests_around
from devlint.analysis.names.reaching_definitions import reaching_definitions
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.analysis.slots.load_locations import is_load_without_location
from devlint.analysis.tensors.tensor_values import attribute_values
from devlint.syntax.call_arguments import keyword_argument
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below
from devlint.torch_api.device_naming import LOADS

_STEPS = 12
_LOCATION = "map_location"


def is_loaded(ctx: FileContext, node: cst.BaseExpression, unless: Guard | None = None) -> bool:
    """Whether a value, or what it is a part of, may be loaded to where it was saved from.

    With ``unless`` only loads count that the function may come to where that test is false.
    """
    waiting: list[cst.BaseExpression] = [node]
    for _ in range(_STEPS):
        if not waiting:
            return False
        node = waiting.pop()
        while isinstance(node, (cst.Attribute, cst.Subscript)):
            waiting += attribute_values(ctx, node) if isinstance(node, cst.Attribute) else []
            node = node.value
        if isinstance(node, cst.Call) and (_is_loading(ctx, node) or _gives_loaded(ctx, node)):
            if unless is None or not _is_under(ctx, node, unless):
                return True
        if isinstance(node, cst.Name):
            waiting += [one.value for one in reaching_definitions(ctx, node) if one.value is not None]
        elif isinstance(node, cst.IfExp):
            waiting += [node.body, node.orelse]
    return False


def _is_under(ctx: FileContext, call: cst.Call, guard: Guard) -> bool:
    """Whether a call is under the same test as a guard, a plain flag, in the same function."""
    is_same = scopes(ctx).function_of(call) is scopes(ctx).function_of(guard.owner)
    flag = guard.test.expression if isinstance(guard.test, cst.UnaryOperation) else guard.test
    return (
        is_same and dotted_name(flag) is not None and (ctx.text_of(guard.test), guard.holds) in tests_around(ctx, call)
    )


def _is_loading(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call loads to where things were saved from, on a machine with CUDA at least."""
    if is_load_without_location(ctx, call):
        return True
    given = keyword_argument(call, _LOCATION) if origin(ctx, call.func) in LOADS else None
    value = given.value if given is not None else None
    choices = [value.body, value.orelse] if isinstance(value, cst.IfExp) else [value]
    return any(isinstance(one, cst.Name) and one.value == "None" for one in choices)


def _gives_loaded(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a function of this or another file only hands on what it loads."""
    dotted, imported = dotted_name(call.func), origin(ctx, call.func)
    if imported is not None:
        found = project_around(ctx).imported(imported)
    else:
        module = own_module(ctx) if dotted is not None else None
        found = project_around(ctx).index.resolve(module, dotted) if module is not None and dotted is not None else None
    return found is not None and isinstance(found.node, Function) and _returns_loaded(found)


def _returns_loaded(function: Definition) -> bool:
    nodes = nodes_below(function.node)
    loaded = {
        target.id
        for one in nodes
        if isinstance(one, ast.Assign) and _is_load(function.module, one.value)
        for target in one.targets
        if isinstance(target, ast.Name)
    }
    returned = (one.value for one in nodes if isinstance(one, ast.Return))
    roots = [_root(one) for one in returned if one is not None]
    return any(_is_load(function.module, one) or (isinstance(one, ast.Name) and one.id in loaded) for one in roots)


def _root(node: ast.expr) -> ast.expr:
    """What a value is a part of."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node


def _is_load(module: ProjectModule, node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return False
    given = [one.value for one in node.keywords if one.arg in (_LOCATION, None)]
    choices = [two for one in given for two in ([one.body, one.orelse] if isinstance(one, ast.IfExp) else [one])]
    if choices and not any(isinstance(one, ast.Constant) and one.value is None for one in choices):
        return False
    return (module.origin(node.func) or dotted_text(node.func)) in LOADS
