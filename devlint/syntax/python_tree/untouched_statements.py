"""Compares the statements of two versions of a program that no edit touches: they must stay as and where they are.

A statement that no edit touches has the same characters in both versions. So it has the same tree if Python finds a
statement of the same kind at its place, and means the same if it is in the same blocks.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from devlint.core.diagnostic import Edit
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.python_tree.python_ast import syntax_tree

_NEWLINE = regex(rb"\r\n|\r|\n")
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


class _Part(Record):
    """A simple statement, or a compound one up to its first block; the offsets count bytes of UTF-8."""

    start: int
    end: int
    kind: str
    block: str
    """In which block of its parent it is."""
    parent: _Part | None


def misplaced_statement(before: str, edits: Iterable[Edit], after: str) -> int | None:
    """The row of ``after`` in which a statement begins that no edit touches and that was not there before, or was else.

    Where such a statement is gone, it is the row in which it should be; None where all is as it was, or where Python
    itself makes no tree of one of the texts.
    """
    old, new = syntax_tree(before), syntax_tree(after)
    if old is None or new is None:
        return None
    changes = _Changes(before, edits)
    old_bytes, new_bytes = before.encode("utf-8", "surrogatepass"), after.encode("utf-8", "surrogatepass")
    old_parts, new_parts = list(_parts(old, old_bytes)), list(_parts(new, new_bytes))
    was = {changes.moved(part.start): part for part in old_parts if not changes.touches_old(part)}
    now = {part.start: part for part in new_parts if not changes.touches_new(part)}
    rewritten = {place for part in new_parts if part.start not in now for place in changes.starts(part)}
    origins = {changes.moved(part.start, at) for part in old_parts for at in (False, True)}
    for place in sorted(was.keys() | now.keys()):
        one, other = was.get(place), now.get(place)
        is_edited = (one is None and place in origins) or (other is None and place in rewritten)
        if is_edited:
            continue
        if one is None or other is None or not _agree(one, other, changes, was, now):
            return len(_NEWLINE.findall(new_bytes, 0, place)) + 1
        header = _header(other, new_bytes)
        if header and now.keys().isdisjoint((header.start, header.end)) and not _header(one, old_bytes):
            return len(_NEWLINE.findall(new_bytes, 0, place)) + 1
    return None


def _agree(one: _Part, other: _Part, changes: _Changes, was: dict[int, _Part], now: dict[int, _Part]) -> bool:
    """Whether a statement is of the same kind, and in the same blocks of statements that no edit touches."""
    if one.kind != other.kind or other.end not in (changes.moved(one.end), changes.moved(one.end, True)):
        return False
    old_blocks = [
        (place, block)
        for part, block in _blocks(one)
        if (place := changes.moved(part.start)) in now and was.get(place) is part
    ]
    new_blocks = [(part.start, block) for part, block in _blocks(other) if part.start in was and part.start in now]
    return old_blocks == new_blocks


def _blocks(part: _Part) -> Iterator[tuple[_Part, str]]:
    """The statements around one, with the block that holds it, from the inside."""
    while part.parent is not None:
        yield part.parent, part.block
        part = part.parent


def _header(part: _Part, data: bytes) -> _Part | None:
    """What begins the block of a statement that stands behind another one in its row: ``if x: y; z``."""
    around = part.parent
    is_behind = around is not None and around.end != part.start and _ends(data, part.start, b";")
    return around if is_behind and around is not None and _ends(data, around.end, b":") else None


def _ends(data: bytes, end: int, mark: bytes) -> bool:
    """Whether a mark stands before a place, with nothing but blanks between them."""
    while data[end - 1 : end] in (b" ", b"\t", b"\f"):
        end -= 1
    return data[end - 1 : end] == mark


class _Changes:
    """Edits, sorted, as spans of bytes before and after."""

    def __init__(self, text: str, edits: Iterable[Edit]) -> None:
        self._old: list[tuple[int, int]] = []
        self._new: list[tuple[int, int]] = []
        at, at_old, shift = 0, 0, 0
        for edit in sorted(edits):
            start = at_old + _size(text[at : edit.span.start])
            end = start + _size(text[edit.span.start : edit.span.end])
            self._old.append((start, end))
            size = _size(edit.text)
            self._new.append((start + shift, start + shift + size))
            shift += size - (end - start)
            at, at_old = edit.span.end, end
        self._ends = [end for _, end in self._old]
        self._by_start: dict[int, list[int]] = {}
        for start, end in self._new:
            self._by_start.setdefault(start, []).append(end)

    def moved(self, offset: int, before_insertion: bool = False) -> int:
        """Where a byte is afterwards: behind what is inserted there, or before it; so is one that an edit removes."""
        count = (bisect_left if before_insertion else bisect_right)(self._ends, offset)
        if count < len(self._old) and self._old[count][0] < offset:
            return self._new[count][0 if before_insertion else 1]
        return offset if count == 0 else self._new[count - 1][1] + offset - self._old[count - 1][1]

    def touches_old(self, part: _Part) -> bool:
        """Whether an edit changes a part of the program before."""
        return _overlaps(self._old, part)

    def touches_new(self, part: _Part) -> bool:
        """Whether an edit wrote a part of the program after, or some of it."""
        return _overlaps(self._new, part)

    def starts(self, part: _Part) -> Iterator[int]:
        """Where a statement that an edit wrote may have begun: before what is inserted there, or behind."""
        yield part.start
        yield from (end for end in self._by_start.get(part.start, ()) if end < part.end)


def _overlaps(spans: Sequence[tuple[int, int]], part: _Part) -> bool:
    """Whether one of some sorted spans has something in a part; an empty one does only inside."""
    at = bisect_left(spans, (part.start, part.start))
    near = spans[max(at - 1, 0) : at + 2]
    return any(start < part.end and end > part.start for start, end in near)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _parts(tree: ast.Module, data: bytes) -> Iterator[_Part]:
    """The statements of a program, the clauses of its ``match`` and ``try`` statements included."""
    rows = [0, *(match.end() for match in _NEWLINE.finditer(data))]
    pending: list[tuple[ast.AST, str, _Part | None]] = [(one, "", None) for one in tree.body]
    while pending:
        node, block, parent = pending.pop()
        start, end = _span(node, rows)
        inner = [(one, name) for name in _BLOCKS for one in getattr(node, name, ()) if isinstance(one, ast.AST)]
        if inner:
            end = min(_span(one, rows)[0] for one, _ in inner)
        part = _Part(start, end, type(node).__name__, block, parent)
        pending += [(one, name, part) for one, name in inner]
        yield part


def _span(node: ast.AST, rows: Sequence[int]) -> tuple[int, int]:
    """The bytes of a statement or clause; a decorated definition begins with its first decorator."""
    if isinstance(node, ast.match_case):
        return _span(node.pattern, rows)
    first: ast.AST = min(getattr(node, "decorator_list", ()), key=lambda one: one.lineno, default=node)
    assert isinstance(first, (ast.stmt, ast.expr, ast.pattern, ast.ExceptHandler))
    assert isinstance(node, (ast.stmt, ast.expr, ast.pattern, ast.ExceptHandler))
    end_row, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
    return rows[first.lineno - 1] + first.col_offset, rows[end_row - 1] + end_column
