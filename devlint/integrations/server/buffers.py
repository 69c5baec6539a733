"""What is open in the editor: the texts of files and of the cells of notebooks, as they are there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence

from lsprotocol.types import (
    NotebookCell,
    NotebookCellKind,
    NotebookDocumentCellChanges,
    TextDocumentContentChangeEvent,
    TextDocumentContentChangePartial,
    TextDocumentItem,
)
from pygls.uris import to_fs_path

from devlint.integrations.server.positions import EditorText, Encoding
from devlint.sources.discovery import NOTEBOOK, is_looked_at

_PYTHON = "python"


class Buffer:
    """One text: a file, or a cell of a notebook."""

    def __init__(self, item: TextDocumentItem, encoding: Encoding) -> None:
        self.uri = item.uri
        self.language = item.language_id
        self.version = item.version
        self._encoding = encoding
        self.seen = EditorText(item.text, encoding)

    @property
    def text(self) -> str:
        """All of it."""
        return self.seen.text

    def change(self, version: int, changes: Iterable[TextDocumentContentChangeEvent]) -> None:
        """Change it as the editor did."""
        for one in changes:
            text = one.text
            if isinstance(one, TextDocumentContentChangePartial):
                start, end = self.seen.offset(one.range.start), self.seen.offset(one.range.end)
                text = self.text[:start] + text + self.text[end:]
            self.seen = EditorText(text, self._encoding)
        self.version = version


class OpenFile:
    """A file that is open in the editor, or a text that no file holds yet."""

    is_notebook = False

    def __init__(self, buffer: Buffer) -> None:
        self.uri = buffer.uri
        self.buffer = buffer

    def path(self, folder: str) -> str | None:
        """The path under which devlint looks at it; None where it is nothing to look at."""
        path = _path(self.uri, folder, ".py" if self.buffer.language == _PYTHON else "")
        is_wanted = self.buffer.language == _PYTHON or is_looked_at(os.path.basename(path).lower())
        return path if is_wanted and not path.endswith(NOTEBOOK) else None

    @property
    def contents(self) -> str:
        """What the file would hold, were it saved now."""
        return self.buffer.text

    @property
    def state(self) -> tuple[int, ...]:
        """Another one after every change."""
        return (self.buffer.version,)

    @property
    def parts(self) -> Sequence[Buffer]:
        """Its texts, in the order in which a report has them."""
        return [self.buffer]

    def part(self, cell: int | None) -> Buffer:
        """The text that a finding is in."""
        return self.buffer


class OpenNotebook:
    """A notebook that is open in the editor."""

    is_notebook = True

    def __init__(self, uri: str, cells: Sequence[NotebookCell], buffers: dict[str, Buffer]) -> None:
        """``buffers`` are all that are open; those of the cells are among them."""
        self.uri = uri
        self._cells = list(cells)
        self._buffers = buffers
        self._changes = 0

    def path(self, folder: str) -> str | None:
        """The path under which devlint looks at it."""
        path = _path(self.uri, folder, NOTEBOOK)
        return path if path.endswith(NOTEBOOK) else path + NOTEBOOK

    @property
    def contents(self) -> str:
        """A file with the same cells."""
        cells = []
        for cell in self._cells:
            buffer = self._buffers.get(cell.document)
            if cell.kind is NotebookCellKind.Code and buffer is not None:
                language = {} if buffer.language == _PYTHON else {"vscode": {"languageId": buffer.language}}
                cells.append({"cell_type": "code", "metadata": language, "source": buffer.text})
            else:
                cells.append({"cell_type": "markdown", "metadata": {}, "source": ""})
        return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    @property
    def state(self) -> tuple[int, ...]:
        """Another one after every change."""
        return (self._changes, *(one.version for one in self.parts))

    @property
    def parts(self) -> Sequence[Buffer]:
        """The code cells, in order."""
        code = [cell.document for cell in self._cells if cell.kind is NotebookCellKind.Code]
        return [self._buffers[uri] for uri in code if uri in self._buffers]

    def part(self, cell: int | None) -> Buffer:
        """The cell that a finding is in."""
        return self._buffers[self._cells[(cell or 1) - 1].document]

    def rearrange(self, change: NotebookDocumentCellChanges) -> Iterator[str]:
        """Add, remove or move cells; gives the addresses of those that are gone."""
        self._changes += 1
        known = {cell.document: index for index, cell in enumerate(self._cells)}
        for cell in change.data or ():
            if cell.document in known:
                self._cells[known[cell.document]] = cell
        if change.structure is not None:
            array = change.structure.array
            gone = {one.uri for one in change.structure.did_close or ()}
            self._cells[array.start : array.start + array.delete_count] = array.cells or ()
            yield from gone


Open = OpenFile | OpenNotebook


def _path(uri: str, folder: str, suffix: str) -> str:
    """The path of a file; for a text without one, a name in the folder of the workspace."""
    path = to_fs_path(uri)
    if path is not None:
        return os.path.normpath(path)
    name = os.path.basename(uri.partition(":")[2]) or "untitled"
    return os.path.join(folder, name if name.endswith(suffix) else name + suffix)
