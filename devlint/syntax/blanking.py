"""Bodies of functions in which no rule can find anything, made one string each, so that LibCST parses little of them.

Every character keeps its place: a body becomes a string of the same length on the same lines.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.nodes import nodes_below

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_KEPT = regex(r"cuda|gpu|device|rank|accelerator|is_available")
"""Words of functions that say something about devices, which rules may ask about from elsewhere in the file.

They are looked for in small letters: to leave the case open takes seven times as long.
"""
_IN_LINE = regex(r"[^\r\n]+")
_NEWLINE = regex(r"\r\n|\r|\n")
_INDENT = regex(r"[ \t]*")
_BLOCKS = "body", "handlers", "orelse", "finalbody"
_QUOTES = '"""'
_SHORTEST = 200
"""Characters of a body; a shorter one is parsed as fast."""


def blank_functions(text: str, tree: ast.Module, places: Iterable[ast.AST]) -> str:
    """The text with the bodies of functions made strings, where nothing in them bears on a finding.

    A body stays that has one of ``places``, a word of devices, or the name of something that such code defines.
    """
    rows = _rows(places)
    if rows is None or "\f" in text:  # LibCST and Python do not agree on what a form feed is
        return text
    return _Blanking(text, tree, rows).text()


class _Blanking:
    """One text, with the functions of which nothing is known to bear on a finding."""

    def __init__(self, text: str, tree: ast.Module, rows: list[int]) -> None:
        self._text = text
        self._in_small_letters = text.replace("İ", "I").lower()  # "İ".lower() has two characters
        self._tree = tree
        self._rows = rows
        self._lines = _Lines(text)

    def text(self) -> str:
        """The text with the bodies of these functions made strings."""
        pieces = []
        at = 0
        for start, end in self._irrelevant():
            spaces = _IN_LINE.sub(lambda line: " " * len(line[0]), self._text[start + 3 : end - 3])
            pieces += [self._text[at:start], _QUOTES, spaces, _QUOTES]
            at = end
        return "".join((*pieces, self._text[at:])) if pieces else self._text

    def _irrelevant(self) -> list[tuple[int, int]]:
        """Where the bodies stand that can go: whatever code that matters defines is not named in them."""
        owners = dict(_functions(self._tree.body))
        relevant = [function for function in owners if self._matters(function.body[0], function.body[-1])]
        blank = {one: span for one in owners if (span := self._span(one)) is not None}
        for function in relevant:
            blank.pop(function, None)
        names = {*self._names_of_values()}
        for function in owners.keys() - blank.keys():
            names.update(_names_of_function(function, self._tree))
        while names or relevant:
            families = _with_bases((owners[function] for function in relevant), owners.values())
            for function in [one for one in blank if owners[one] in families and _makes_attributes(one)]:
                del blank[function]
            relevant = self._naming(names, blank)
            for function in relevant:
                del blank[function]
            names = {name for function in relevant for name in _names_of_function(function, self._tree)}
        return sorted(blank.values())

    def _naming(self, names: Iterable[str], bodies: Mapping[_Function, tuple[int, int]]) -> list[_Function]:
        """The functions with one of these names in their bodies."""
        if not names:
            return []
        named = re.compile(rf"\b(?:{'|'.join(sorted(names))})\b").search
        return [function for function, (start, end) in bodies.items() if named(self._text, start, end)]

    def _span(self, function: _Function) -> tuple[int, int] | None:
        """Where the body of a function stands; None where it had better stay."""
        start, end = self._lines.start_of(function.body[0]), self._lines.end_of(function.body[-1])
        if start is None or end - start < _SHORTEST:
            return None
        if _NEWLINE.search(self._text, start, start + 3) or _NEWLINE.search(self._text, end - 3, end):
            return None
        return start, end

    def _matters(self, first: ast.stmt, last: ast.stmt) -> bool:
        """Whether one of the rows, or a word of devices, stands from one statement to another."""
        row = _first_row(first)
        index = bisect_left(self._rows, row)
        if index < len(self._rows) and self._rows[index] <= (last.end_lineno or 0):
            return True
        return _KEPT.search(self._in_small_letters, self._lines.start_of_row(row), self._lines.end_of(last)) is not None

    def _names_of_values(self) -> Iterator[str]:
        """The attributes, and the names outside of functions, that are given a value by a statement that matters."""
        waiting: list[tuple[ast.AST, bool]] = [(self._tree, False)]
        while waiting:
            node, is_local = waiting.pop()
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and self._matters(node, node):
                for target in getattr(node, "targets", None) or [node.target]:  # type: ignore[union-attr]
                    for one in nodes_below(target):
                        if isinstance(one, ast.Attribute):
                            yield one.attr
                        elif isinstance(one, ast.Name) and not is_local:
                            yield one.id
            is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            for block in _BLOCKS:
                waiting += [(one, is_local or is_function) for one in getattr(node, block, ())]


def _rows(places: Iterable[ast.AST]) -> list[int] | None:
    """All rows that nodes stand on; None where one does not say where it stands."""
    found: set[int] = set()
    for node in places:
        first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        if first is None or last is None:
            return None
        found.update(range(first, last + 1))
    return sorted(found)


def _first_row(statement: ast.stmt) -> int:
    """The row that a statement begins on, with its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return decorators[0].lineno if decorators else statement.lineno


def _functions(statements: Sequence[ast.stmt]) -> Iterator[tuple[_Function, ast.ClassDef | None]]:
    """The functions that are in no other, each with the class that it is a method of, in source order.

    Without recursion: a newer Python nests thousands of ``elif`` deeper than it lets functions call each other.
    """
    waiting: list[tuple[ast.stmt, ast.ClassDef | None]] = [(one, None) for one in reversed(statements)]
    while waiting:
        one, owner = waiting.pop()
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield one, owner
        elif isinstance(one, ast.ClassDef):
            waiting += [(inner, one) for inner in reversed(one.body)]
        elif isinstance(one, (ast.If, ast.Try)):
            handled = (inner for handler in getattr(one, "handlers", ()) for inner in handler.body)
            inside = [*one.body, *handled, *one.orelse, *getattr(one, "finalbody", ())]
            waiting += [(inner, owner) for inner in reversed(inside)]


def _with_bases(some: Iterable[ast.ClassDef | None], of: Iterable[ast.ClassDef | None]) -> set[ast.ClassDef | None]:
    """Some classes, and those of a file that they are derived from."""
    by_name = {one.name: one for one in of if one is not None}
    found: set[ast.ClassDef | None] = set()
    waiting = [*some]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in found:
            found.add(one)
            waiting += [by_name.get(base.id) for base in one.bases if isinstance(base, ast.Name)]
    return found


def _makes_attributes(function: _Function) -> bool:
    """Whether a method may give an object its attributes."""
    return function.name == "__init__" or any(
        isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) for one in nodes_below(function)
    )


def _names_of_function(function: _Function, module: ast.Module) -> Iterator[str]:
    """Its name, where its calls may be looked at: that of a function of the module, or of a private method."""
    name = function.name
    if not name.endswith("__") and (name.startswith("_") or any(function is one for one in module.body)):
        yield name


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

    def start_of_row(self, row: int) -> int:
        """Where a row begins."""
        return self._starts[row - 1]

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
