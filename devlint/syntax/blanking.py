"""Bodies of functions in which no rule can find anything, made one string each, so that LibCST parses little of them.

Every character keeps its place: a body becomes a string of the same length on the same lines.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from devlint.core.lazy_regex import regex

_KEPT = regex(r"(?i)cuda|gpu|device|rank|accelerator|is_available")
"""Words of functions that say something about devices, which rules may ask about from elsewhere in the file."""
_NO_NEWLINE = regex(r"[^\r\n]")
_NEWLINE = regex(r"\r\n|\r|\n")
_INDENT = regex(r"[ \t]*")
_QUOTES = '"""'
_SHORTEST = 200
"""Characters of a body; a shorter one is parsed as fast."""


def blank_functions(text: str, tree: ast.Module, rows: Sequence[int]) -> str:
    """The text with functions' bodies made strings, where no row of ``rows`` (sorted) and no word of devices is in them."""
    if "\f" in text:  # LibCST and Python do not agree on what it is
        return text
    pieces = []
    at = 0
    lines = _Lines(text)
    for first, last in _bodies(tree.body):
        index = bisect_left(rows, _first_row(first))
        if index < len(rows) and rows[index] <= (last.end_lineno or 0):
            continue
        start, end = lines.start_of(first), lines.end_of(last)
        if start is None or end - start < _SHORTEST or _KEPT.search(text, start, end):
            continue
        if _NEWLINE.search(text, start, start + 3) or _NEWLINE.search(text, end - 3, end):
            continue
        pieces += [text[at:start], _QUOTES, _NO_NEWLINE.sub(" ", text[start + 3 : end - 3]), _QUOTES]
        at = end
    return "".join((*pieces, text[at:])) if pieces else text


def _first_row(statement: ast.stmt) -> int:
    """The row that a statement begins on, with its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return decorators[0].lineno if decorators else statement.lineno


def _bodies(statements: Sequence[ast.stmt]) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """The first and the last statement of each function that is in no other, in source order."""
    for one in statements:
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield one.body[0], one.body[-1]
        elif isinstance(one, ast.ClassDef):
            yield from _bodies(one.body)
        elif isinstance(one, (ast.If, ast.Try)):
            yield from _bodies(one.body)
            for handler in getattr(one, "handlers", ()):
                yield from _bodies(handler.body)
            yield from _bodies(one.orelse)
            yield from _bodies(getattr(one, "finalbody", ()))


class _Lines:
    """The lines of a text as Python counts them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]
        self._is_ascii = text.isascii()

    def start_of(self, statement: ast.stmt) -> int | None:
        """Where a statement begins, with its decorators; None where it does not stand first on its line."""
        line = self._starts[_first_row(statement) - 1]
        start = line + len(_INDENT.match(self._text, line).group())  # type: ignore[union-attr]  # it may be empty
        is_decorated = bool(getattr(statement, "decorator_list", ()))
        return start if is_decorated or start == self._offset(statement.lineno, statement.col_offset) else None

    def end_of(self, statement: ast.stmt) -> int:
        """Where a statement ends."""
        assert statement.end_lineno is not None and statement.end_col_offset is not None
        return self._offset(statement.end_lineno, statement.end_col_offset)

    def _offset(self, row: int, column: int) -> int:
        """The character at a row and a column that counts bytes of UTF-8."""
        start = self._starts[row - 1]
        if self._is_ascii:
            return start + column
        line = self._text[start : start + column]  # at least as many characters as there are bytes
        return start + len(line.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "surrogatepass"))
