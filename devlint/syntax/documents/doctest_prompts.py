"""Which rows of an interactive session begin a statement, and which still do once edits are made.

A statement at the top has ``>>>`` in front of its first row and ``...`` in front of the others. An edit only changes
statements that it touches, so that the others are not taken apart again.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate

from devlint.core.diagnostic import Edit, Span
from devlint.core.record import Record
from devlint.syntax.python_tree.python_ast import syntax_tree


class _Part(Record):
    """Some statements that follow each other, and edits of them."""

    first: int
    """Its first row, counted from 0."""
    text: str
    edits: tuple[Edit, ...]
    """With places in ``text``."""

    @cached_property
    def inner(self) -> frozenset[int] | None:
        """The rows, counted from 0 here, on which statements would go on; None where no parser takes the text."""
        text = self.text
        for edit in sorted(self.edits, reverse=True):
            text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        tree = syntax_tree(text)
        return None if tree is None else _inner_rows(tree)

    def moved(self) -> Iterator[int | None]:
        """For each row its number once edits are made, both counted from 0 here; None where it begins within one."""
        at = 0
        for number, line in enumerate(self.text.split("\n")):
            start = at + len(line) - len(line.lstrip(" \t"))
            shift, gone = 0, False
            for edit in self.edits:
                if edit.span.end <= start:
                    shift += edit.text.count("\n") - self.text.count("\n", edit.span.start, edit.span.end)
                gone = gone or edit.span.start < start < edit.span.end
            yield None if gone else number + shift
            at += len(line) + 1


class Session:
    """The statements at the top of a program, by their rows."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        tree = syntax_tree(text)
        self._inner = frozenset() if tree is None else _inner_rows(tree)
        ranges = _rows(tree) if tree is not None else []
        self._firsts = [0, *(first for first, _ in ranges if first > 0 and first not in self._inner)]
        """The rows that begin with a statement."""

    def inner_after(self, edit: Edit) -> frozenset[int]:
        """The rows, counted from 0, on which statements would go on, of those that an edit changes."""
        return frozenset(part.first + row for part in self._parts([edit]) for row in part.inner or ())

    def keeps(self, edits: Iterable[Edit], rows: Sequence[bool]) -> bool:
        """Whether each of the ``rows`` that count stays the first one of a statement, or stays another one."""
        return all(
            (row in self._inner) is (new in (part.inner or ()))
            for part in self._parts(edits)
            for row, new in enumerate(part.moved(), part.first)
            if row < len(rows) and rows[row] and new is not None
        )

    def _parts(self, edits: Iterable[Edit]) -> list[_Part]:
        """The statements that edits touch, or the whole where they do not stay statements by themselves."""
        parts: list[_Part] = []
        group: list[Edit] = []
        first = stop = 0
        for edit in sorted(edits):
            around = self._around(edit.span)
            if group and around[0] >= stop:
                parts.append(self._part(first, stop, group))
                group = []
            first, stop = (first, max(stop, around[1])) if group else around
            group.append(edit)
        parts.append(self._part(first, stop, group))
        return parts if all(part.inner is not None for part in parts) else [self._part(0, len(self._starts), edits)]

    def _part(self, first: int, stop: int, edits: Iterable[Edit]) -> _Part:
        start, end = (self._starts[row] if row < len(self._starts) else len(self._text) for row in (first, stop))
        moved = (Edit(Span(one.span.start - start, one.span.end - start), one.text) for one in edits)
        return _Part(first, self._text[start:end], tuple(moved))

    def _around(self, span: Span) -> tuple[int, int]:
        """The first row of the statements at a place, and the row below them."""
        first, last = (bisect_right(self._starts, at) - 1 for at in (span.start, span.end))
        below = bisect_right(self._firsts, last)
        return (
            self._firsts[bisect_right(self._firsts, first) - 1],
            self._firsts[below] if below < len(self._firsts) else len(self._starts),
        )


def _inner_rows(tree: ast.Module) -> frozenset[int]:
    """The rows, counted from 0, on which a statement at the top goes on."""
    return frozenset(row for first, last in _rows(tree) for row in range(first + 1, last + 1))


def _rows(tree: ast.Module) -> list[tuple[int, int]]:
    """The first and the last row of each statement at the top, counted from 0."""
    found = []
    for one in tree.body:
        first = min([one.lineno, *(each.lineno for each in getattr(one, "decorator_list", ()))])
        found.append((first - 1, (one.end_lineno or first) - 1))
    return found
