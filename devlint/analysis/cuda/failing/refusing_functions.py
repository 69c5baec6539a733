"""Functions and classes of the project that begin by raising without CUDA, wherever they are defined."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.guards.own_answers import Asked, definition_called, own_returns
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.module import Definition
from devlint.syntax.file_context import FileContext, fact_of
from devlint.syntax.python_tree.nodes import dotted_text

_DEPTH = 3
_YIELD = (ast.Yield, ast.YieldFrom)
_DIVIDE = (ast.Mod, ast.FloorDiv, ast.Div)
_MAY_END_ELSEWHERE = (ast.Try, ast.With, ast.FunctionDef, ast.ClassDef)


@fact_of
def begins_by_refusing(ctx: FileContext, called: cst.BaseExpression) -> bool:
    """Whether a function of the project, or ``__init__`` of a class, raises without CUDA before it does all else."""
    found = definition_called(ctx, called)
    return found is not None and _refuses(ctx, found, _DEPTH)


def _refuses(ctx: FileContext, found: Definition, depth: int) -> bool:
    """Whether what a definition names raises without CUDA, or for another device, or divides by the number of cards."""
    node = found.node
    if isinstance(node, ast.ClassDef):
        node = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), node)
    if not isinstance(node, ast.FunctionDef) or depth == 0 or any(isinstance(one, _YIELD) for one in ast.walk(node)):
        return False
    asked, counts = Asked(found.module), {"torch.cuda.device_count"}
    for one in node.body:
        if isinstance(one, _MAY_END_ELSEWHERE) or any(own_returns([one])):
            return False
        if _raises_without(asked, one) or _divides(one, counts):
            return True
        call = one.value if isinstance(one, (ast.Expr, ast.Assign)) else None
        if isinstance(call, ast.Call) and dotted_text(call.func):
            other = project_around(ctx).index.resolve(found.module, dotted_text(call.func))
            if other is not None and _refuses(ctx, other, depth - 1):
                return True
    return False


def _divides(statement: ast.stmt, counts: set[str]) -> bool:
    """Whether a statement divides by the number of cards; ``counts`` gains the names for that."""
    if not isinstance(statement, ast.Assign):
        return False
    value = statement.value
    if isinstance(value, ast.Call) and dotted_text(value.func) in counts:
        counts |= {one.id for one in statement.targets if isinstance(one, ast.Name)}
    divisor = value.right if isinstance(value, ast.BinOp) and isinstance(value.op, _DIVIDE) else None
    return dotted_text(getattr(divisor, "func", divisor)) in counts if divisor is not None else False


def _raises_without(asked: Asked, statement: ast.stmt) -> bool:
    """Whether a statement raises where there is no CUDA, or for a device that is none of CUDA's."""
    if isinstance(statement, ast.Assert):
        return asked.follows(statement.test, True) or _is_of_cuda(statement.test, ast.Eq)
    if not isinstance(statement, ast.If) or not isinstance(statement.body[-1], ast.Raise):
        return False
    return asked.follows(statement.test, False) or _is_of_cuda(statement.test, ast.NotEq)


def _is_of_cuda(test: ast.expr, operator: type[ast.cmpop]) -> bool:
    """Whether a test compares the type of a device with CUDA's so: ``device.type != "cuda"``."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], operator):
        return False
    other = test.comparators[0]
    is_type = isinstance(test.left, ast.Attribute) and test.left.attr == "type"
    return is_type and isinstance(other, ast.Constant) and other.value == "cuda"
