"""Which parameters of a function surely say where something is put: a call with a device that is missing fails."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.analysis.project.classes import method_of_class
from devlint.analysis.project.device_parameters import DeviceUses
from devlint.analysis.project.module import Definition
from devlint.analysis.project.project import Index
from devlint.syntax.python_tree.nodes import dotted_text
from devlint.torch_api.device_naming import LOADS

_MAY_SKIP = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.comprehension, ast.ListComp, ast.SetComp, ast.DictComp)
"""Expressions of which a part may not be worked out."""
_MAY_LEAVE = (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)


def surely_places(index: Index, definition: Definition, parameter: str) -> bool:
    """Whether each call of a function, or of a class, puts something on the device that a parameter is given.

    That is done by a statement that no test is around, and above which nothing returns or gives the parameter another
    value.
    """
    is_class = isinstance(definition.node, ast.ClassDef)
    function = method_of_class(index, definition) if is_class else definition
    if function is None or not isinstance(function.node, ast.FunctionDef):
        return False
    uses = DeviceUses(index, function.module, function.node, None)
    for statement in _run(function.node.body):
        if isinstance(statement, _SIMPLE) and any(_places(uses, one, parameter) for one in _worked_out(statement)):
            return True
        if any(_ends(one, parameter) for one in ast.walk(statement)):
            return False
    return False


def _run(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body, and those under ``with``, which run whenever the body does."""
    for statement in body:
        if isinstance(statement, ast.With):
            yield from _run(statement.body)
        else:
            yield statement


def _worked_out(statement: ast.stmt) -> Iterator[ast.Call]:
    """The calls of a statement that are made whenever it runs."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call):
            yield node
        waiting += [one for one in ast.iter_child_nodes(node) if not isinstance(one, _MAY_SKIP)]


def _places(uses: DeviceUses, call: ast.Call, parameter: str) -> bool:
    """Whether a call of torch, or ``x.to(device)``, takes the parameter as its device."""
    called = uses.module.origin(call.func)
    is_move = isinstance(call.func, ast.Attribute) and call.func.attr == "to"
    is_factory = called.startswith("torch.") and called != "torch.device" and called not in LOADS
    return (is_move or is_factory) and any(dotted_text(one) == parameter for one in uses.in_slots(call))


def _ends(node: ast.AST, parameter: str) -> bool:
    """Whether a function may be left at a node, or its parameter be given another value there."""
    return isinstance(node, _MAY_LEAVE) or (
        isinstance(node, ast.Name) and node.id == parameter and not isinstance(node.ctx, ast.Load)
    )
