"""Lines of a program that hold a word: a statement in one line says what it is without the rest of its file."""

from __future__ import annotations

import _ast as ast
from bisect import bisect_left

from devlint.syntax.python_tree.python_ast import syntax_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator


def numbers_of_lines_with(data: bytes, word: bytes) -> list[int]:
    """The numbers of the lines that hold a word."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return [number for number, line in enumerate(data.split(b"\n"), 1) if word in line]


def is_on(node: ast.AST, numbers: list[int]) -> bool:
    """Whether a node may stand on one of some lines, whose numbers are in order: certain only of statements."""
    if not isinstance(node, ast.stmt):
        return True
    decorators = getattr(node, "decorator_list", ())
    at = bisect_left(numbers, decorators[0].lineno if decorators else node.lineno)
    return at < len(numbers) and numbers[at] <= (node.end_lineno or node.lineno)


def matching_lines(data: bytes, word: bytes, pattern: re.Pattern[bytes]) -> Iterator[bytes]:
    """The lines that hold a word where a pattern matches, which may begin one line before and end one after."""
    at = data.find(word)
    while at >= 0:
        start, end = data.rfind(b"\n", 0, at) + 1, _end_of_line(data, at)
        if pattern.search(data, data.rfind(b"\n", 0, max(start - 1, 0)) + 1, _end_of_line(data, end + 1)):
            yield data[start:end]
        at = data.find(word, end + 1)


def _end_of_line(data: bytes, at: int) -> int:
    found = data.find(b"\n", at)
    return len(data) if found < 0 else found


def statement_on(line: bytes) -> ast.Module | None:
    """The tree of a line, with some body where it opens a block; None where it is only a part of a statement."""
    text = line.strip()
    return syntax_tree(text) or (syntax_tree(text + b" pass") if text.endswith(b":") else None)
