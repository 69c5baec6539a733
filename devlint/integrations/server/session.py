"""What the server knows of the editor: its folders, its settings, and what is open."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping

from lsprotocol.types import (
    ClientCapabilities,
    DidChangeNotebookDocumentParams,
    MarkupKind,
    NotebookDocument,
    PositionEncodingKind,
    TextDocumentItem,
    WorkspaceFolder,
)
from pygls.uris import to_fs_path

from devlint.integrations.server.buffers import Buffer, Open, OpenFile, OpenNotebook
from devlint.integrations.server.editor_settings import EditorSettings, read_settings
from devlint.integrations.server.linter import Linter
from devlint.integrations.server.positions import Encoding
from devlint.sources.discovery import is_at_or_below


class EditorSession:
    """One editor, from its first message to its last."""

    def __init__(self) -> None:
        self.capabilities = ClientCapabilities()
        self.encoding: Encoding = PositionEncodingKind.Utf16
        self.buffers: dict[str, Buffer] = {}
        self.opened: dict[str, Open] = {}
        """Files and notebooks, by their addresses."""
        self._notebook_of: dict[str, str] = {}
        self._root = os.getcwd()
        self._folders: dict[str, str] = {}
        self.first_settings: object = None
        """Those that came with the first message."""
        self._settings: dict[str, EditorSettings] = {}
        self._linters: dict[tuple[str, str], Linter] = {}

    def begin(self, capabilities: ClientCapabilities, encoding: Encoding, root: str | None) -> None:
        """Take what the editor says of itself."""
        self.capabilities = capabilities
        self.encoding = encoding
        self._root = os.path.normpath(root) if root else self._root

    @property
    def hover_format(self) -> MarkupKind:
        """In which format the editor shows what a hover says."""
        text = self.capabilities.text_document
        formats = text.hover.content_format if text and text.hover else None
        return formats[0] if formats else MarkupKind.PlainText

    # Folders and settings

    def add_folders(self, folders: Iterable[WorkspaceFolder]) -> None:
        """Folders of the workspace, which may have settings of their own."""
        for folder in folders:
            path = to_fs_path(folder.uri)
            if path is not None:
                self._folders[folder.uri] = os.path.normpath(path)

    def remove_folders(self, folders: Iterable[WorkspaceFolder]) -> None:
        """Folders that no longer belong to the workspace."""
        for folder in folders:
            self._folders.pop(folder.uri, None)

    @property
    def scopes(self) -> list[str | None]:
        """What the editor may have other settings for: the addresses of the folders, and all that is in none."""
        return [None, *self._folders]

    def configure(self, settings: Mapping[str | None, object]) -> list[str]:
        """Take the settings of each scope; gives what is wrong with them, once."""
        problems: list[str] = []
        self._settings = {}
        for scope in self.scopes:
            found, wrong = read_settings(self.first_settings, settings.get(None), settings.get(scope))
            self._settings[self._folders.get(scope, "") if scope else ""] = found
            problems += wrong
        self._linters = {}
        return list(dict.fromkeys(problems))

    def folder_of(self, opened: Open) -> str:
        """The folder of the workspace that something is in; the innermost, where they are in each other."""
        path = os.path.normpath(to_fs_path(opened.uri) or "")
        around = [one for one in self._folders.values() if is_at_or_below(path, one)]
        return max(around, key=len, default=self._root)

    def settings_of(self, opened: Open) -> EditorSettings:
        """The editor's settings for something that is open."""
        return self._settings.get(self.folder_of(opened)) or self._settings[""]

    def linter_of(self, opened: Open) -> Linter:
        """What looks at it."""
        return self._linter(self.folder_of(opened), self.settings_of(opened))

    def root_linter(self) -> Linter:
        """What looks at files of no folder."""
        return self._linter(self._root, self._settings[""])

    def _linter(self, folder: str, settings: EditorSettings) -> Linter:
        asked = json.dumps([settings.overrides, settings.config, settings.isolated], sort_keys=True, default=repr)
        key = folder, asked
        if key not in self._linters:
            self._linters[key] = Linter(folder, settings.overrides, settings.config, settings.isolated)
        return self._linters[key]

    def forget(self) -> None:
        """Read configurations and files of projects again."""
        for linter in self._linters.values():
            linter.forget()

    # What is open

    def open_file(self, item: TextDocumentItem) -> OpenFile:
        """Take a file that the editor has opened."""
        buffer = self.buffers[item.uri] = Buffer(item, self.encoding)
        opened = self.opened[item.uri] = OpenFile(buffer)
        return opened

    def open_notebook(self, notebook: NotebookDocument, items: Iterable[TextDocumentItem]) -> OpenNotebook:
        """Take a notebook that the editor has opened, and the texts of its cells."""
        self._take_cells(notebook.uri, items)
        opened = self.opened[notebook.uri] = OpenNotebook(notebook.uri, notebook.cells, self.buffers)
        return opened

    def change_notebook(self, params: DidChangeNotebookDocumentParams) -> tuple[Open | None, list[str]]:
        """Change a notebook as the editor did; gives it, and the cells that are gone."""
        opened = self.opened.get(params.notebook_document.uri)
        change = params.change.cells
        if not isinstance(opened, OpenNotebook) or change is None:
            return opened, []
        if change.structure is not None:
            self._take_cells(opened.uri, change.structure.did_open or ())
        gone = list(opened.rearrange(change))
        self._drop_cells(gone)
        for one in change.text_content or ():
            if one.document.uri in self.buffers:
                self.buffers[one.document.uri].change(one.document.version, one.changes)
        return opened, gone

    def close(self, uri: str) -> list[str]:
        """Take something as closed; gives the addresses of its texts."""
        opened = self.opened.pop(uri, None)
        texts = [] if opened is None else [one.uri for one in opened.parts]
        self._drop_cells(texts)
        return texts

    def owner(self, uri: str) -> Open | None:
        """The file, or the notebook with the cell, at an address."""
        return self.opened.get(self._notebook_of.get(uri, uri))

    def _take_cells(self, notebook: str, items: Iterable[TextDocumentItem]) -> None:
        for item in items:
            self.buffers[item.uri] = Buffer(item, self.encoding)
            self._notebook_of[item.uri] = notebook

    def _drop_cells(self, uris: Iterable[str]) -> None:
        for uri in uris:
            self.buffers.pop(uri, None)
            self._notebook_of.pop(uri, None)
