"""The lines of a program at which its variables get the values that they have at the end."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import replace

from devlint.verify.comparing.strictness import Difference
from devlint.verify.program import Program

_VARIABLE = re.compile(r"\W")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def with_lines(program: Program, found: Iterator[Difference]) -> Iterator[Difference]:
    """Differences of variables, with the line of the program that has last set each of them."""
    lines: dict[str, str] | None = None
    for one in found:
        lines = _assigned_lines(program.path) if lines is None else lines
        variable = one.place.removeprefix("program.") if program.driver else one.place
        line = lines.get(_VARIABLE.split(variable)[0])
        told = one.text if line is None else one.text.replace(one.place, f"{one.place} (set at {line})", 1)
        yield replace(one, text=told)


def _assigned_lines(path: str) -> dict[str, str]:
    """The file and line of the last statement that sets each variable of a module; none if it cannot be read."""
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    lines: dict[str, int] = {}
    for name in _stored(tree):
        lines[name.id] = max(name.lineno, lines.get(name.id, 0))
    return {name: f"{os.path.basename(path)}:{line}" for name, line in lines.items()}


def _stored(node: ast.AST) -> Iterator[ast.Name]:
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part
        elif not isinstance(part, _SCOPES):
            yield from _stored(part)
