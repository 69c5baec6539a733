"""Devices that are the CPU for another reason than that there is no GPU: ``"cpu" if args.parallel else "cuda"``."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.nodes import dotted_text, text_of

_OF_DEVICES = regex(r"(?i)cuda|gpu|device|available|\bcpu|_cpu")


def chooses_cpu(value: ast.AST | None) -> bool:
    """Whether the CPU is one of two values that a test chooses from, which says nothing of CUDA or devices."""
    return isinstance(value, ast.IfExp) and _says_nothing(value.test) and any(map(_is_cpu, (value.body, value.orelse)))


def gives_device(value: ast.AST | None) -> bool:
    """Whether a value is written as ``device(...)``, as a string, perhaps filled in, or as a choice of these."""
    if isinstance(value, ast.IfExp):
        return gives_device(value.body) and gives_device(value.orelse)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "format":
        return text_of(value.func.value) is not None
    if isinstance(value, ast.Call):
        return dotted_text(value.func).rpartition(".")[2] == "device"
    return isinstance(value, ast.JoinedStr) or text_of(value) is not None


def is_given_cpu(nodes: Iterable[ast.AST], name: str) -> bool:
    """Whether code gives a name the CPU where such a test holds, or does not, and else another value."""
    for node in nodes:
        if isinstance(node, ast.Assign) and any(_is_name(target, name) for target in node.targets):
            if chooses_cpu(node.value):
                return True
        if isinstance(node, ast.If) and node.orelse and _says_nothing(node.test):
            given = [_given_last(block, name) for block in (node.body, node.orelse)]
            if all(given) and any(_is_cpu(one) for one in given if one is not None):
                return True
    return False


def _says_nothing(test: ast.expr) -> bool:
    return _OF_DEVICES.search(ast.unparse(test)) is None


def _is_cpu(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value == "cpu"


def _is_name(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name


def _given_last(block: Iterable[ast.stmt], name: str) -> ast.expr | None:
    """What the statements of a block give a name at last."""
    found = None
    for statement in block:
        if isinstance(statement, ast.Assign) and any(_is_name(target, name) for target in statement.targets):
            found = statement.value
    return found
