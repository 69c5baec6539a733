"""The files of an observed program: the text of expressions, which of them are in loops, and their functions."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from devlint.verify.expression_place import ExpressionPlace

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LONGEST = 100
_MOST_BIRTHS = 2


@cache
def _lines(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:
            return file.read().splitlines()
    except OSError:
        return []


def expression_text(place: ExpressionPlace) -> str:
    """The source of an expression, its first line where it has several."""
    lines = _lines(place.path)
    if not 0 < place.row <= len(lines):
        return ""
    line = lines[place.row - 1]
    if place.column < 0:
        return _shortened(line.decode("utf-8", "replace").strip())
    is_one_line = place.row == place.end_row
    text = line[place.column : place.end_column if is_one_line else None].decode("utf-8", "replace").strip()
    if text.startswith(("for ", "async for ", "while ")):  # Python gives a loop the place of its whole statement
        return _shortened(line.decode("utf-8", "replace").strip())
    return _shortened(text if is_one_line else f"{text} …")


def told_births(
    places: Iterable[ExpressionPlace], root: str, row: Callable[[ExpressionPlace], object] = lambda place: place.row
) -> str:
    """Where tensors on the CPU were made, in words, with paths from this folder; empty if that is not known."""
    told = dict.fromkeys(f"{os.path.relpath(one.path, root)}:{row(one)}: {expression_text(one)}" for one in places)
    return f"on the CPU is what was made at {' and at '.join(list(told)[:_MOST_BIRTHS])}" if told else ""


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


@cache
def _tree(path: str) -> ast.Module | None:
    try:
        with open(path, "rb") as file:
            return ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


@cache
def _loop_rows(path: str) -> list[tuple[int, int]]:
    tree = _tree(path)
    found = []
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, _LOOPS):
            found.append((node.body[0].lineno, node.body[-1].end_lineno or 0))
        elif isinstance(node, _COMPREHENSIONS):
            found.append((node.lineno, node.end_lineno or 0))
    return found


def is_in_loop(place: ExpressionPlace) -> bool:
    """Whether an expression is in the body of a loop of its function or module."""
    return any(first <= place.row <= last for first, last in _loop_rows(place.path))


def function_rows(path: str) -> Iterator[int]:
    """The first rows of the functions that a file defines, as Python counts them: with their decorators."""
    tree = _tree(path)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, _FUNCTIONS):
            yield min(node.lineno, *(one.lineno for one in node.decorator_list), node.lineno)


def forget_files() -> None:
    """Read the files anew: fixes have changed them."""
    for cached in (_lines, _tree, _loop_rows):
        cached.cache_clear()
