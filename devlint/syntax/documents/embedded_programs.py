"""The programs in a document, made of its blocks of Python, and the way of a fix back into the document.

A program goes on until a block imports torch, or something that it has imported already: what is read, or copied, by
itself. Above every block is a row that no fix puts anything below, as above the cells of a notebook. A block that no
parser takes, and a command to IPython, has a stand-in that no fix may touch.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from devlint.core.diagnostic import Diagnostic, Edit, Fix, Span
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.sources.encoding import SourceError
from devlint.sources.source import Source
from devlint.syntax.documents.code_blocks import Block, Row
from devlint.syntax.documents.doctest_prompts import Session
from devlint.syntax.notebooks.magics import COMMENT, is_python_cell, magics, names_in, stand_in
from devlint.syntax.parse import TooComplexError, parse_module
from devlint.syntax.python_tree.python_ast import syntax_tree

_IMPORT = regex(r"^(?:import[ \t]+([\w.]+)|from[ \t]+([\w.]+)[ \t]+import\b)", re.MULTILINE)


class EmbeddedProgram(Source):
    """Blocks of a document as the text of one program."""

    rows: tuple[Row | None, ...] = ()
    """For each row what it is in the document; None where it is no row of it."""
    document: Source = Source("", "")
    unwritable: tuple[str, ...] = ()
    """What cannot be written there without changing what is around it."""

    @property
    def is_fragment(self) -> bool:
        """An example may do without its imports."""
        return True

    @property
    def is_run(self) -> bool:
        """Nobody imports a document."""
        return True

    def in_document(self, found: Diagnostic) -> Diagnostic | None:
        """A finding at its place in the document; None for one that has none."""
        span = self._span(found.span)
        if span is None:
            return None
        first, last = self.document.location(span.start), self.document.location(span.end)
        fix = found.fix and self._fix(found.fix)
        return found.replace(span=span, location=first, end_location=last, fix=fix)

    def _span(self, span: Span) -> Span | None:
        """Where in the document the characters of a span are."""
        start = self._offset(span.start)
        end = self._offset(span.end if span.end == span.start else span.end - 1)
        return None if start is None or end is None else Span(start, end + (span.end > span.start))

    def _offset(self, offset: int) -> int | None:
        place = self.location(offset)
        row = self._row(place.row - 1)
        return None if row is None else row.start + min(place.column - 1, len(row.text))

    def _row(self, number: int) -> Row | None:
        return self.rows[number] if number < len(self.rows) else None

    def _fix(self, fix: Fix) -> Fix | None:
        """The same fix of the document; None where some edit has no place there, or prompts would be wrong."""
        edits = tuple(self._edit(edit) for edit in fix.edits)
        if any(edit is None for edit in edits) or not self._keeps_prompts(fix.edits):
            return None
        return fix.replace(edits=tuple(edit for edit in edits if edit is not None))

    def _edit(self, edit: Edit) -> Edit | None:
        """An edit of the document: of whole lines, or between characters of lines that stand below each other."""
        if any(one in edit.text for one in self.unwritable):
            return None
        first, last = self.location(edit.span.start), self.location(edit.span.end)
        is_whole = first.column == last.column == 1 and (not edit.text or edit.text.endswith("\n"))
        if is_whole and not (first == last and not edit.text):
            return self._whole_lines(edit, first.row - 1, last.row - 1)
        rows = self.rows[first.row - 1 : last.row]
        if not _are_joined(rows) or rows[0] is None or rows[-1] is None:
            return None
        head, *lines = edit.text.split("\n")
        text = head + "".join(self.document.newline + line for line in self._written(lines, edit, first.row, rows[0]))
        return Edit(Span(rows[0].start + first.column - 1, rows[-1].start + last.column - 1), text)

    def _whole_lines(self, edit: Edit, first: int, last: int) -> Edit | None:
        """Lines in the place of rows, or above one, or below the last one of a block."""
        rows = self.rows[first:last]
        model = self._row(first)
        if model is not None and _are_joined(rows) and not any(row and row.prints for row in rows):
            place = Span(model.line, rows[-1].after if rows and rows[-1] else model.line)
        elif model is None and not rows and first > 0:
            model = self.rows[first - 1]
            place = Span(model.after, model.after) if model is not None else Span(-1, -1)
        else:
            return None
        if model is None or place.end < 0:
            return None
        written = edit.text.rstrip("\n") if first < len(self.rows) and self.rows[first] is None else edit.text[:-1]
        lines = self._written(written.split("\n") if edit.text else [], edit, first, model)
        return Edit(place, "".join(line + self.document.newline for line in lines))

    def _written(self, lines: list[str], edit: Edit, row: int, model: Row) -> Iterator[str]:
        """New rows as lines of the document; a session has no empty ones."""
        if not model.prompt:
            yield from ((model.before + line if line else model.before.rstrip()) for line in lines)
            return
        inner = self._session.inner_after(edit)
        for number, line in enumerate(lines, row):
            if line:
                yield f"{model.before}{'...' if number in inner else '>>>'} {line}"

    def _keeps_prompts(self, edits: Iterable[Edit]) -> bool:
        """Whether each row with a prompt stays the first one of a statement, or stays another one."""
        return not self._has_prompts or self._session.keeps(edits, self._asked)

    @cached_property
    def _has_prompts(self) -> bool:
        return any(row is not None and row.prompt for row in self.rows)

    @cached_property
    def _session(self) -> Session:
        return Session(self.text)

    @cached_property
    def _asked(self) -> list[bool]:
        """The rows of the document that hold something."""
        return [row is not None and bool(row.text.strip()) for row in self.rows]


def _are_joined(rows: Iterable[Row | None]) -> bool:
    """Whether rows stand below each other in the document, with nothing between them."""
    listed = list(rows)
    pairs = zip(listed, listed[1:])
    return None not in listed and all(a and b and not a.prints and a.after == b.line for a, b in pairs)


class Section(Record):
    """Blocks whose programs have nothing to do with those of other sections."""

    blocks: tuple[Block, ...]
    unwritable: tuple[str, ...] = ()

    def heads(self) -> frozenset[int]:
        """The numbers of the blocks with which programs begin."""
        found = {0}
        known: set[str] = set()
        for number, block in enumerate(self.blocks):
            names = {name for pair in _IMPORT.findall(_text(block)) for name in pair if name}
            modules = names if names and _is_taken(_text(block)) else set()
            if "torch" in modules or not known.isdisjoint(modules):
                found.add(number)
                known = set()
            known |= modules
        return frozenset(found)

    def programs(self, document: Source, heads: Collection[int]) -> Iterator[EmbeddedProgram]:
        """The programs that begin with the blocks of these numbers, but for those of which no parser takes anything."""
        starts = sorted(heads)
        for start, end in zip(starts, [*starts[1:], len(self.blocks)]):
            group = [(block, _is_taken(_text(block))) for block in self.blocks[start:end]]
            if any(takes for _, takes in group):
                yield _program(document, group, self.unwritable)


def _text(block: Block) -> str:
    return "\n".join(row.text for row in block)


def _is_taken(text: str) -> bool:
    """Whether a parser takes a block for a program of its own."""
    try:
        return is_python_cell(text) and parse_module("\n".join(line for line, _ in _masked(text, ()))) is not None
    except (SourceError, TooComplexError):
        return False


def _program(document: Source, group: Iterable[tuple[Block, bool]], unwritable: tuple[str, ...]) -> EmbeddedProgram:
    """The program of some blocks, with whether a parser takes each."""
    names = {name for block, takes in group if takes for name in _bound(_text(block))}
    lines: list[tuple[str, Row | None]] = []
    for block, takes in group:
        text = _text(block)
        lines.append((COMMENT, None))
        if takes:
            masked = _masked(text, names)
            lines += ((line, row if is_kept else None) for (line, is_kept), row in zip(masked, block))
        else:
            lines.append((stand_in(text, names_in(text, names)), None))
    text = "".join(f"{line}\n" for line, _ in lines)
    return EmbeddedProgram(
        document.path, text, rows=tuple(row for _, row in lines), document=document, unwritable=unwritable
    )


def _bound(text: str) -> Iterator[str]:
    """The names that a block imports, defines or assigns to: those that a stand-in may use."""
    tree = syntax_tree("\n".join(line for line, _ in _masked(text, ())))
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]


def _masked(text: str, names: Collection[str]) -> list[tuple[str, bool]]:
    """The rows of a block, each with whether it is as it was and no stand-in for a command to IPython."""
    lines = [(line, True) for line in text.split("\n")]
    for one in magics(text, names):
        first, last = text.count("\n", 0, one.start), text.count("\n", 0, one.end)
        lines[first : last + 1] = [(one.stand_in, False), *[(COMMENT, False)] * (last - first)]
    return lines
