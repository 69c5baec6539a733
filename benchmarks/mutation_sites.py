"""Small mistakes in Python code, one at a time: a comparison turned round, a branch never taken, nothing returned."""

from __future__ import annotations

import ast
import random
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SWAPPED: dict[type[ast.AST], Any] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Sub: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_NO_CODE = ("annotation", "returns", "decorator_list", "type_comment")
"""Parts of a statement in which a mistake changes nothing when the function runs."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Mutant:
    """One mistake: the number of the node in its file's tree, and which of the mistakes that can be made there."""

    path: Path
    node: int
    variant: int
    line: int
    statement: int
    """The line on which the statement begins that holds it."""
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


def mutants(path: Path) -> list[Mutant]:
    """All mistakes that can be made in the functions of a file."""
    tree = ast.parse(path.read_text("utf-8"))
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    found = []
    for node, statement in _sites(tree, None):
        for variant, new in enumerate(_variants(node)):
            line = getattr(node, "lineno", statement.lineno)
            text = f"{_short(node)} -> {_short(new)}"
            found.append(Mutant(path, numbers[id(node)], variant, line, statement.lineno, text))
    return found


def sample(files: list[Path], count: int, seed: int) -> tuple[list[Mutant], int]:
    """Some mistakes of all that can be made in files, and how many these are."""
    found = [mutant for path in files for mutant in mutants(path)]
    return random.Random(seed).sample(found, min(count, len(found))), len(found)


def mutated(mutant: Mutant) -> dict[tuple[str, int], types.CodeType]:
    """The new code of the functions around a mistake, by name and first line."""
    tree = ast.parse(mutant.path.read_text("utf-8"))
    target = list(ast.walk(tree))[mutant.node]
    around = {
        (node.name, min([node.lineno, *(one.lineno for one in node.decorator_list)]))
        for node in ast.walk(tree)
        if isinstance(node, Function) and any(one is target for one in ast.walk(node))
    }
    new = list(_variants(target))[mutant.variant]
    code = compile(ast.fix_missing_locations(_Replace(target, new).visit(tree)), str(mutant.path.resolve()), "exec")
    return {key: one for one in _codes(code) if (key := (one.co_name, one.co_firstlineno)) in around}


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of all functions in a piece of code."""
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield one
            yield from _codes(one)


class _Replace(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self._old:
            return ast.copy_location(self._new, node) if hasattr(node, "lineno") else self._new
        return super().generic_visit(node)


def _sites(node: ast.AST, statement: ast.stmt | None) -> Iterator[tuple[ast.AST, ast.stmt]]:
    """The nodes in bodies of functions, with the statement of each; what only people and type checkers read is none."""
    if statement is not None:
        yield node, statement
    for name, value in ast.iter_fields(node):
        is_body = statement is not None or (isinstance(node, Function) and name == "body")
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name not in _NO_CODE and not _says_nothing(child):
                within = child if isinstance(child, ast.stmt) and is_body else statement
                yield from _sites(child, within)


def _says_nothing(node: ast.AST) -> bool:
    """Assertions, messages and docstrings."""
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_docstring or isinstance(node, (ast.Assert, ast.Raise, ast.JoinedStr))


def _variants(node: ast.AST) -> Iterator[ast.AST]:
    """The mistakes that can be made in one node itself."""
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            operators = [*node.ops[:at], _SWAPPED[type(operator)](), *node.ops[at + 1 :]]
            yield ast.Compare(node.left, operators, node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(_SWAPPED[type(node.op)](), node.values)
    elif isinstance(node, ast.BinOp) and type(node.op) in _SWAPPED:
        yield ast.BinOp(node.left, _SWAPPED[type(node.op)](), node.right)
    elif isinstance(node, (ast.Continue, ast.Break)):
        yield ast.Break() if isinstance(node, ast.Continue) else ast.Continue()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Return) and not _is_none_or_false(node.value):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.If):
        yield ast.If(ast.Constant(False), node.body, node.orelse)
        yield ast.If(_negated(node.test), node.body, node.orelse)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(_negated(node.test), node.body, node.orelse)
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield ast.comprehension(node.target, node.iter, [], node.is_async)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.Pass()


def _constants(node: ast.Constant) -> Iterator[ast.Constant]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
    elif isinstance(value, str):
        yield ast.Constant("" if value else "mutated")


def _is_none_or_false(value: ast.expr | None) -> bool:
    """Whether None in place of a returned value changes nothing: a caller only asks whether False is true."""
    return value is None or (isinstance(value, ast.Constant) and (value.value is None or value.value is False))


def _negated(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), test)


def _short(node: ast.AST) -> str:
    """The first line of a node's code."""
    if isinstance(node, ast.If):
        return f"if {ast.unparse(node.test)}"
    return ast.unparse(node).strip().partition("\n")[0][:100]
