"""Rewritten programs with one thing wrong, as a careless rewriter would leave it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

KINDS = (
    "a move dropped",
    "a .cuda() left",
    "everything on CPU",
    "a seed changed",
    "a dtype changed",
    "an optimizer step skipped",
)
_DTYPES = {
    "float": "double",
    "double": "float",
    "half": "float",
    "long": "int",
    "int": "long",
    "float32": "float64",
    "float64": "float32",
    "float16": "float32",
    "int64": "int32",
    "int32": "int64",
    "bfloat16": "float32",
}


@dataclass(frozen=True)
class Mutant:
    """One wrong program, and the same with an error where it is wrong: what that does not change is never run."""

    kind: str
    line: int
    before: str
    after: str
    text: bytes
    probe: bytes

    def __str__(self) -> str:
        return f"line {self.line}: {self.kind}: `{self.before}` -> `{self.after}`"


def mutants(source: bytes) -> Iterator[Mutant]:
    """All of them, in the order of the program."""
    tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    bom = 3 if source.startswith(b"\xef\xbb\xbf") else 0
    encoding = _encoding(source)
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        for kind, changed in _changes(node, id(node) in statements):
            start, end = (_offset(lines, starts, row, column, encoding, bom) for row, column in _ends(node))
            before = source[start:end].decode(encoding)
            after = changed(before) if callable(changed) else changed
            if after is None or after == before:
                continue
            parts = source[:start], source[end:]
            yield Mutant(
                kind,
                node.lineno,  # type: ignore[attr-defined]
                " ".join(before.split())[:70],
                " ".join(after.split())[:70],
                after.encode(encoding).join(parts),
                b"(1 / 0)".join(parts),
            )


def _encoding(source: bytes) -> str:
    found = re.search(rb"coding[:=]\s*([-\w.]+)", b"\n".join(source.splitlines()[:2]))
    return found.group(1).decode() if found else "utf-8"


def _ends(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def _offset(lines: list[bytes], starts: list[int], row: int, column: int, encoding: str, bom: int) -> int:
    """Where a place of the syntax tree, which counts bytes of UTF-8, is in the file."""
    line = lines[row - 1][bom if row == 1 else 0 :].decode(encoding)
    prefix = line.encode("utf-8")[:column].decode("utf-8").encode(encoding)
    return starts[row - 1] + (bom if row == 1 else 0) + len(prefix)


def _changes(node: ast.AST, is_statement: bool) -> Iterator[tuple[str, object]]:
    """What can be made of a node: kind, and the new text or a function of the old one."""
    if not isinstance(node, ast.Call):
        return
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if method == "to" and node.args and "device" in ast.unparse(node.args[0]).lower():
        yield "a move dropped", lambda text: _without_call(text, node)
        yield "a .cuda() left", lambda text: _with_cuda(text, node)
    elif method == "device" and "cuda" in ast.unparse(node) and "cpu" in ast.unparse(node):
        yield "everything on CPU", 'torch.device("cpu")' if "torch" in ast.unparse(node.func) else None
    elif method == "manual_seed" and node.args:
        yield "a seed changed", f"{ast.unparse(node.func)}(1 + {ast.unparse(node.args[0])})"
    elif method == "step" and is_statement and not node.args and "sched" not in ast.unparse(node.func):
        yield "an optimizer step skipped", "None"
    if method in _DTYPES and not node.args:
        yield "a dtype changed", f"({ast.unparse(node.func.value)}).{_DTYPES[method]}()"  # type: ignore[attr-defined]
    for keyword in node.keywords:
        if keyword.arg == "device" and "device" in ast.unparse(keyword.value):
            yield "a move dropped", _rebuilt(node, keyword, None)
        if keyword.arg == "dtype" and isinstance(keyword.value, ast.Attribute) and keyword.value.attr in _DTYPES:
            yield "a dtype changed", _rebuilt(node, keyword, f"torch.{_DTYPES[keyword.value.attr]}")


def _without_call(text: str, node: ast.Call) -> str | None:
    """The receiver of a move alone."""
    return None if "\n" in text else f"({ast.unparse(node.func.value)})"  # type: ignore[attr-defined]


def _with_cuda(text: str, node: ast.Call) -> str | None:
    return None if "\n" in text else f"({ast.unparse(node.func.value)}).cuda()"  # type: ignore[attr-defined]


def _rebuilt(node: ast.Call, keyword: ast.keyword, value: str | None) -> str:
    """A call with another value for a keyword, or without it."""
    keywords = []
    for one in node.keywords:
        if one is keyword and value is None:
            continue
        new = ast.parse(value, mode="eval").body if one is keyword and value else one.value
        keywords.append(ast.keyword(one.arg, new))
    return ast.unparse(ast.Call(node.func, node.args, keywords))
