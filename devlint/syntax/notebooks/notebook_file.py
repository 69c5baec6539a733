"""A Jupyter notebook as its file has it: where in the JSON the source of each cell stands, and how to change it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from devlint.core.diagnostic import Span
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.sources.encoding import SourceError
from devlint.syntax.notebooks.json_offsets import JsonReader

_STRING = regex(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_UNIT = regex(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|[^\\]", re.DOTALL)
_LINE = regex(r"[^\n]*\n|[^\n]+\Z")


class Cell(Record):
    """One code cell."""

    number: int
    """Among all cells of the notebook, from 1."""
    source: str
    span: Span
    """Of the JSON value in the file: a string, or a list of lines."""
    language: str = ""
    """Where the cell says so itself."""


class Notebook(Record):
    """The JSON text of a notebook, and its code cells in order."""

    raw: str
    cells: tuple[Cell, ...]
    is_python: bool = True

    @classmethod
    def parse(cls, raw: str) -> Notebook:
        """Read the JSON text of a notebook; raise SourceError where it is none that can be read."""
        try:
            return _read(raw)
        except json.JSONDecodeError as error:
            raise SourceError(f"is no notebook: {error.msg}", error.lineno, error.colno) from None
        except RecursionError:
            raise SourceError("is no notebook: its JSON is nested too deeply") from None

    def with_sources(self, sources: Mapping[int, str]) -> str:
        """The JSON text with other sources in some cells, by their numbers, and every other character kept."""
        pieces: list[str] = []
        at = 0
        for cell in self.cells:
            if cell.number in sources:
                pieces += (self.raw[at : cell.span.start], self._value(cell, sources[cell.number]))
                at = cell.span.end
        return "".join((*pieces, self.raw[at:]))

    def row_of(self, cell: Cell, row: int) -> int:
        """The row of the file in which a row of a cell begins."""
        value = self.raw[cell.span.start : cell.span.end]
        found, at = 1, cell.span.start
        for string in _STRING.finditer(value) if value.startswith("[") else ():
            if found <= row:
                at = cell.span.start + string.start()
            found += json.loads(string.group()).count("\n")
        return self.raw.count("\n", 0, at) + 1

    def _value(self, cell: Cell, source: str) -> str:
        """``source`` as JSON, in the form and with the escapes that the cell had."""
        old = self.raw[cell.span.start : cell.span.end]
        strings = list(_STRING.finditer(old))
        contents = [string.group()[1:-1] for string in strings]
        writer = _Writer(contents, self.raw.isascii())
        if not old.startswith("["):
            return f'"{"".join(map(writer.line, _LINE.findall(source)))}"'
        lines = source.splitlines(keepends=True)
        elements = json.loads(old)
        if elements != "".join(elements).splitlines(keepends=True):
            lines = _LINE.findall(source)
        if not strings or not lines:
            return "[" + ", ".join(f'"{writer.line(line)}"' for line in lines) + "]"
        before, after = old[: strings[0].start()], old[strings[-1].end() :]
        between = old[strings[0].end() : strings[1].start()] if len(strings) > 1 else "," + (before[1:] or " ")
        return before + between.join(f'"{writer.line(line)}"' for line in lines) + after


class _Writer:
    """Writes lines as the contents of JSON strings, each line and character as it was written before."""

    def __init__(self, contents: list[str], ascii_only: bool) -> None:
        self._ascii_only = ascii_only
        self._lines: dict[str, str] = {}
        self._characters: dict[str, str] = {}
        for content in contents:
            line: list[str] = []
            raw: list[str] = []
            for unit in _UNIT.findall(content):
                character = unit if len(unit) == 1 else str(json.loads(f'"{unit}"'))
                self._characters.setdefault(character, unit)
                line.append(character)
                raw.append(unit)
                if character == "\n":
                    self._lines.setdefault("".join(line), "".join(raw))
                    line, raw = [], []
            self._lines.setdefault("".join(line), "".join(raw))

    def line(self, text: str) -> str:
        """One line as the contents of a JSON string."""
        known = self._lines.get(text)
        return known if known is not None else "".join(map(self._character, text))

    def _character(self, character: str) -> str:
        if character not in self._characters:
            self._characters[character] = json.dumps(character, ensure_ascii=self._ascii_only)[1:-1]
        return self._characters[character]


def _read(raw: str) -> Notebook:
    """The notebook in ``raw``; json.JSONDecodeError where that is no JSON."""
    reader = JsonReader(raw)
    cells: list[Cell] = []
    values: dict[str, Any] = {}
    if reader.peek() != "{":
        reader.value()
        raise SourceError("is no notebook: its JSON is no object")
    for key in reader.members():
        if key == "cells" and reader.peek() == "[":
            values[key] = cells = [cell for number in reader.items("[]") for cell in _code_cell(reader, number)]
        else:
            values[key] = reader.value()
    if reader.peek():
        raise json.JSONDecodeError("Extra data", raw, reader.at)
    if isinstance(values.get("worksheets"), list):
        raise SourceError("is a notebook of format 3: convert it with `jupyter nbconvert --to notebook --inplace`")
    if not isinstance(values.get("cells"), list):
        raise SourceError("is no notebook: it has no list of cells")
    return Notebook(raw, tuple(cells), _is_python(values.get("metadata")))


def _code_cell(reader: JsonReader, number: int) -> Iterator[Cell]:
    """The next item of the list of cells, if it is a code cell."""
    if reader.peek() != "{":
        reader.value()
        return
    values: dict[str, Any] = {}
    span = Span(0, 0)
    for key in reader.members():
        reader.peek()
        start = reader.at
        values[key] = reader.value()
        if key == "source":
            span = Span(start, reader.at)
    source: str | Any = values.get("source")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if values.get("cell_type") == "code" and isinstance(source, str):
        yield Cell(number, source, span, _word(values.get("metadata"), "vscode", "languageId"))


def _is_python(metadata: object) -> bool:
    """Whether the kernel of a notebook is one for Python; one that says nothing is."""
    language = _word(metadata, "language_info", "name") or _word(metadata, "kernelspec", "language")
    return not language or language.lower().startswith(("python", "ipython"))


def _word(values: object, outer: str, inner: str) -> str:
    """A text in an object in an object, or nothing."""
    found = values.get(outer) if isinstance(values, dict) else None
    word = found.get(inner) if isinstance(found, dict) else None
    return word if isinstance(word, str) else ""
