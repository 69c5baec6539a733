"""The forms in which ``benchmarks.placements`` writes moves and new tensors, and a program line by line."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterable, Iterator

from benchmarks.placement_names import parameters


def put(value: ast.expr, device: str, keywords: list[ast.keyword]) -> ast.expr:
    """``put(value, "cuda")``; a new tensor that is moved at once is made there, and the CPU is where things are."""
    if device == "cpu":
        return ast.Call(named("cast"), [value], keywords) if any(one.arg == "dtype" for one in keywords) else value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "made" and not keywords:
        return ast.Call(value.func, value.args, [*value.keywords, ast.keyword("device", ast.Constant(device))])
    return ast.Call(named("put"), [value, ast.Constant(device)], keywords)


def made_tensor(arguments: list[ast.expr], dtype: str, device: str, keywords: Iterable[ast.keyword] = ()) -> ast.expr:
    """A tensor that is made of data or of a size."""
    if len(arguments) == 1 and isinstance(arguments[0], ast.Tuple):
        arguments = arguments[0].elts
    return put(ast.Call(named("made"), arguments, [*keywords, with_dtype(dtype)]), device, [])


def named(text: str) -> ast.Name:
    return ast.Name(text, ast.Load())


def with_dtype(text: str) -> ast.keyword:
    return ast.keyword("dtype", named(text))


_BLOCKS = ("body", "handlers", "orelse", "finalbody")


def lines(statements: Iterable[ast.AST], indent: str = "") -> Iterator[tuple[str, int]]:
    """The statements line by line, each with the row it is from."""
    for one in statements:
        row, blocks = getattr(one, "lineno", 0), [getattr(one, name, None) for name in _BLOCKS]
        if not isinstance(blocks[0], list):
            yield indent + ast.unparse(one), row
            continue
        head = copy.copy(one)
        for name, block in zip(_BLOCKS, blocks):
            if block is not None:
                setattr(head, name, [ast.Pass()] if name == "body" else [])
        yield indent + (type(one).__name__ if isinstance(one, ast.Try) else ast.unparse(head).rpartition(":")[0]), row
        for name, block in zip(_BLOCKS, blocks):
            if block and name in ("orelse", "finalbody"):
                yield indent + name, row
            yield from lines(block or [], indent + "  ")


def late_defaults(node: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, tuple[ast.expr, ast.stmt]]:
    """What the first statements of a function give parameters that are None, and those statements."""
    found: dict[str, tuple[ast.expr, ast.stmt]] = {}
    for one in node.body[:6]:
        inner = one.body[0] if isinstance(one, ast.If) and len(one.body) == 1 and not one.orelse else one
        if not isinstance(inner, ast.Assign) or not isinstance(inner.targets[0], ast.Name):
            continue
        name, test = inner.targets[0].id, ast.unparse(one.test) if isinstance(one, ast.If) else ""
        value = ast.unparse(inner.value)
        asks = test == f"{name} is None" or re.search(rf"\b{name} is (not )?None\b", value) is not None
        if name in parameters(node.args) and (asks or value.endswith(f"({name})")):
            found[name] = (inner.value, one)
    return found
