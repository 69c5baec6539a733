"""What the calls of a function say of moves: ``x.to(device)``, ``x.to(torch.float32)``."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devlint.analysis.places.values import Site
from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.nodes import last_name, nodes_below
from devlint.torch_api.moves import CONVERSIONS, are_conversion
from devlint.torch_api.tensor_makers import MAKERS

_FOLLOW = ("to", "Generator")
_ON_CPU = regex(r"(?:^|_)cpu(?:_|$)")
"""How a name says that what it stands for stays on the CPU: ``lengths_cpu``."""


def only_converts(call: ast.Call) -> bool:
    """Whether the arguments of ``to`` are a dtype and options."""
    return are_conversion(map(ast.unparse, call.args), {one.arg for one in call.keywords})


def before_conversions(value: ast.expr) -> ast.expr:
    """``x == y`` of ``(x == y).to(torch.float)``."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        name = value.func.attr
        if name not in CONVERSIONS and not (name == "to" and only_converts(value)):
            break
        value = value.func.value
    return value


def moves(function: FunctionDefinition) -> bool:
    """Whether a function is given a device, or moves something: its arguments may be on the CPU until then."""
    calls = [one for one in function.uses.calls if isinstance(one.func, ast.Attribute)]
    is_given = any(one.arg == "device" for one in function.parameters)
    return is_given or any(_name(one) == "cuda" or (_name(one) == "to" and not only_converts(one)) for one in calls)


def moved_to(function: FunctionDefinition) -> list[ast.expr]:
    """What a function moves others to: ``x.device`` of ``model.to(x.device)``, or of ``torch.Generator(x.device)``.

    A tensor that it makes, and moves at once, is made there.
    """
    calls = [one for one in function.uses.calls if _name(one) in _FOLLOW and not _moves_made(one)]
    return [given for one in calls for given in (*one.args, *(each.value for each in one.keywords))]


def _moves_made(call: ast.Call) -> bool:
    """``torch.zeros(n).to(x.device)``."""
    moved = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    while isinstance(moved, ast.Call) and isinstance(moved.func, ast.Attribute):
        if last_name(moved.func) in MAKERS:
            return True
        moved = moved.func.value
    return False


def is_for_cpu(function: FunctionDefinition, sites: Iterable[Site]) -> bool:
    """Whether the name that is given what is made there says that it stays on the CPU: ``sizes_cpu=torch.ones(2)``."""
    starts = {(one.row, one.column) for one in sites}
    return any(
        (one.lineno, one.col_offset) in starts
        for node in nodes_below(function.node)
        if isinstance(node, (ast.Assign, ast.keyword)) and _says_cpu(node)
        for one in ast.walk(node.value)
        if isinstance(one, ast.Call)
    )


def may_set_default(context: ast.expr) -> bool:
    """Whether a context may say where tensors are made: ``with torch.device("meta")``, not ``autocast(kind)``."""
    if not isinstance(context, ast.Call):
        return "device" in ast.unparse(context)
    told = [context.func, *context.args, *(one.value for one in context.keywords if one.arg == "device")]
    is_told = any("device" in ast.unparse(one) for one in told) or any(one.arg == "device" for one in context.keywords)
    return is_told and last_name(context.func) != "autocast"


def _says_cpu(node: ast.Assign | ast.keyword) -> bool:
    names = [node.arg or ""] if isinstance(node, ast.keyword) else [last_name(one) for one in node.targets]
    return any(_ON_CPU.search(one) for one in names)


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""
