"""Which lines of a program depend on whether there is CUDA, because the program itself asks."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_ASKING = ("cuda.is_available", "cuda.device_count", "accelerator.is_available", "accelerator.device_count")
_TYPES = ("cuda", "cpu")
_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class AskingLines:
    """The lines of a file that depend on an answer."""

    branches: frozenset[int] = frozenset()
    """Those under an ``if`` that asks, or in its ``else``: what they call depends on the answer, too."""
    statements: frozenset[int] = frozenset()
    """Those of a statement that uses the answer, such as ``print(torch.cuda.is_available())``."""

    @classmethod
    def of(cls, text: bytes) -> AskingLines:
        """Those of the text of a module; none if it is no Python."""
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            return cls()
        flags = frozenset(_flags(tree))
        branches: set[int] = set()
        statements: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and (_asks(node.test, flags) or _names_a_type(node.test)):
                branches |= _lines((*node.body, *node.orelse))
            elif isinstance(node, ast.stmt) and not isinstance(node, _COMPOUND) and _asks(node, flags):
                statements |= _lines((node,))
        return cls(frozenset(branches), frozenset(statements))


def _lines(nodes: Iterable[ast.stmt]) -> set[int]:
    """The lines of statements."""
    return {line for node in nodes for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}


def _flags(tree: ast.Module) -> Iterator[str]:
    """The names and attributes that an answer, or a truth value made of one, is assigned to."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(map(_is_question, _terms(node.value))):
            yield from (ast.unparse(target) for target in node.targets if isinstance(target, (ast.Name, ast.Attribute)))


def _terms(value: ast.expr) -> Iterator[ast.expr]:
    """What a truth value is made of."""
    if isinstance(value, ast.BoolOp):
        for term in value.values:
            yield from _terms(term)
    elif isinstance(value, ast.UnaryOp):
        yield from _terms(value.operand)
    elif isinstance(value, ast.Compare):
        yield from _terms(value.left)
    else:
        yield value


def _is_question(node: ast.AST) -> bool:
    """Whether it asks torch for CUDA."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith(_ASKING)


def _asks(node: ast.AST, flags: frozenset[str]) -> bool:
    """Whether a question, or the name of an answer, is in it."""
    return any(
        _is_question(inner)
        or (isinstance(inner, ast.Attribute) and inner.attr == "is_cuda")
        or (isinstance(inner, (ast.Name, ast.Attribute)) and bool(flags) and ast.unparse(inner) in flags)
        for inner in ast.walk(node)
    )


def _names_a_type(test: ast.expr) -> bool:
    """Whether it compares something with the type of a device: ``device.type == "cuda"``."""
    return any(
        isinstance(part, ast.Constant) and part.value in _TYPES
        for node in ast.walk(test)
        if isinstance(node, ast.Compare)
        for part in (node.left, *node.comparators)
    )
