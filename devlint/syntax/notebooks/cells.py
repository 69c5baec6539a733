"""From the file of a notebook to the program of its cells: which are Python, and what stands for the rest."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from itertools import count

from devlint.core.lazy_regex import regex
from devlint.sources.device_mentions import may_name_device
from devlint.sources.encoding import SourceError
from devlint.sources.environment_mentions import Mention, mentions
from devlint.sources.source import Source
from devlint.sources.suppressions.suppression_syntax import directives_in
from devlint.sources.suppressions.suppressions import Suppressions
from devlint.sources.text_kinds import RULE, TextKind
from devlint.syntax.notebooks.magics import has_heading, is_python_cell, magics, names_in, stand_in
from devlint.syntax.notebooks.notebook_file import Cell, Notebook
from devlint.syntax.notebooks.notebook_source import Masks, NotebookSource
from devlint.syntax.parse import TooComplexError, parse_module

_NEWLINE = regex(r"\r\n|\r|\n")
_NAME = regex(r"[^\W\d]\w*")
_OLD_KEYWORD = regex(r"\basync(?=[ \t]*=[^=])")
_BOM = "\ufeff"


def open_notebook(path: str, data: bytes | str) -> NotebookSource | None:
    """The notebook as a source; None where it is none of Python, SourceError where it cannot be read."""
    try:
        raw = data.decode("utf-8") if isinstance(data, bytes) else data
    except UnicodeDecodeError as error:
        raise SourceError(
            f"is no notebook: it cannot be decoded as utf-8: byte 0x{error.object[error.start]:02x}"
        ) from None
    bom = raw.startswith(_BOM)
    notebook = Notebook.parse(raw[len(_BOM) :] if bom else raw)
    return _program(path, notebook, bom) if notebook.is_python else None


def _program(path: str, notebook: Notebook, bom: bool) -> NotebookSource:
    """The cells of a notebook as one program."""
    complaints: dict[int, SourceError] = {}
    python: list[Cell] = []
    for cell in notebook.cells:
        error = _complaint(cell) if _speaks_python(cell) else None
        if error is not None:
            complaints[cell.number] = error
        elif _speaks_python(cell):
            python.append(cell)
    writer = _Writer(notebook, python)
    text = "".join(map(writer.cell, notebook.cells))
    whole = frozenset(cell.number for cell in notebook.cells) - {cell.number for cell in python}
    headed = frozenset(cell.number for cell in python if has_heading(cell.source))
    masks = Masks(writer.mark, tuple(writer.commands), tuple(writer.mentions), whole, headed)
    shown = {one.number: complaints[one.number] for one in notebook.cells if _is_shown(path, one, complaints)}
    return NotebookSource(path, text, "utf-8", bom, notebook, masks, shown)


def _speaks_python(cell: Cell) -> bool:
    return cell.language in ("", "python") and is_python_cell(cell.source)


def _complaint(cell: Cell) -> SourceError | None:
    """Why no parser takes a cell; None where one does, or would but for ``async=``, for which there is a fix."""
    text = _without_commands(cell.source)
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        return SourceError("a character that no Python file can hold")
    if text.rstrip().endswith("\\"):
        return SourceError("a line joined to nothing", text.rstrip().count("\n") + 1)
    try:
        parse_module(text)
    except TooComplexError as error:
        return SourceError(f"this cell {error}")
    except SourceError as error:
        return None if _is_old(text) else error
    return None


def _without_commands(source: str) -> str:
    """A cell with a statement, and an empty line for each line joined to it, for every command to IPython."""
    pieces: list[str] = []
    at = 0
    for one in magics(source):
        command = source[one.start : one.end]
        pieces += (source[at : one.start], one.stand_in, "\n" * len(_NEWLINE.findall(command)))
        at = one.end
    return "".join((*pieces, source[at:]))


def _is_old(text: str) -> bool:
    """Whether a cell is Python but for ``async=``."""
    renamed = _OLD_KEYWORD.sub("non_blocking", text)
    try:
        return renamed != text and parse_module(renamed) is not None
    except (SourceError, TooComplexError):
        return False


def _is_shown(path: str, cell: Cell, complaints: Mapping[int, SourceError]) -> bool:
    """Whether there is a complaint about a cell that the cell itself does not suppress."""
    error = complaints.get(cell.number)
    if error is None or _is_indented(cell):
        return False
    return not Suppressions(Source.from_text(path, cell.source)).suppresses("DEV001", error.row, error.row)


def _is_indented(cell: Cell) -> bool:
    """Whether a cell is Python once it is moved to the left, which is what IPython does with it."""
    text = _without_commands(cell.source)
    if text.lstrip("\r\n")[:1] not in (" ", "\t"):
        return False
    try:
        return parse_module(textwrap.dedent(text)) is not None
    except (SourceError, TooComplexError):
        return False


class _Writer:
    """Writes the program, and remembers what it masks."""

    def __init__(self, notebook: Notebook, python: Iterable[Cell]) -> None:
        everything = "\n".join(cell.source for cell in notebook.cells)
        ending = _NEWLINE.search(everything)
        self._newline = "\r\n" if ending and ending.group() == "\r\n" else "\n"
        self._python = frozenset(cell.number for cell in python)
        self._names = frozenset(name for cell in python for name in _NAME.findall(_without_commands(cell.source)))
        self.mark = next(mark for mark in (f"cell-{n}" for n in count()) if mark not in everything)
        self.commands: list[str] = []
        self.mentions: list[tuple[Mention, ...]] = []

    def cell(self, cell: Cell) -> str:
        """One cell with the line above it."""
        rows = len(_NEWLINE.findall(cell.source))
        if cell.number in self._python:
            body = self._masked(cell.source)
        else:
            body = stand_in(cell.source, names_in(cell.source, self._names))
            if misspelled(cell.source) or may_name_device(cell.source.encode("utf-8", "replace")):
                body += f"  #{self.mark}={self._command(cell.source)}"
            body += self._newline * rows
        return f"#!{self.mark} {cell.number}{self._newline}{body}{self._newline}"

    def _masked(self, source: str) -> str:
        """The source of a cell with its commands masked."""
        pieces: list[str] = []
        at = 0
        for one in magics(source, self._names):
            command = source[one.start : one.end]
            joined = f"{self._newline}#!{self.mark}+" * len(_NEWLINE.findall(command))
            pieces += (source[at : one.start], f"{one.stand_in}  #{self.mark}={self._command(command)}{joined}")
            at = one.end
        return "".join((*pieces, source[at:]))

    def _command(self, command: str) -> str:
        """Remember a command: its number, and the misspelled names in it."""
        self.commands.append(command)
        self.mentions.append(misspelled(command))
        return " ".join((str(len(self.commands) - 1), *(one.name for one in self.mentions[-1])))


def misspelled(command: str) -> tuple[Mention, ...]:
    """The misspelled names of environment variables in text that is no Python, without suppressed ones."""
    found = mentions(command)
    if not found:
        return ()
    source = Source("", command)
    suppressions = Suppressions(source, found=directives_in(source, TextKind("shell")))
    rows = [(one, source.location(one.start).row) for one in found]
    return tuple(one for one, row in rows if not suppressions.suppresses(RULE, row, row))
