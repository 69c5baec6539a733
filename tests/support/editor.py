"""An editor that speaks with the language server: it has texts, settings and folders, and shows what it is told."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

from devlint.integrations.server.positions import EditorText
from tests.support.paths import ROOT

COMMAND = [sys.executable, "-m", "devlint", "server", "--stdio"]
_PATIENCE = 300.0
"""Seconds after which nothing more is to come, on the busiest machine."""


class Editor:
    """A client, and the texts that are open in it."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.encoding: types.PositionEncodingKind | str = "utf-16"
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.published: list[types.PublishDiagnosticsParams] = []
        self.arrived = asyncio.Event()
        self.registered: list[str] = []

    def uri(self, name: str) -> str:
        """The address of a file in the folder."""
        return (self.folder / name).as_uri()

    @property
    def messages(self) -> list[str]:
        """What the person was told."""
        return [one.message for one in self.client.messages]

    @property
    def log(self) -> list[str]:
        """What was written to the log."""
        return [one.message for one in self.client.log_messages]

    def open(self, name: str, text: str, language: str = "python") -> str:
        """Open a text under the name of a file, which need not exist."""
        uri = name if ":" in name else self.uri(name)
        self.texts[uri], self.versions[uri] = text, 1
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, 1, text))
        )
        return uri

    def change(self, uri: str, *changes: tuple[int, int, str]) -> None:
        """Replace characters, one change after the other, and tell only of these."""
        told: list[types.TextDocumentContentChangeEvent] = []
        for start, end, text in changes:
            told.append(types.TextDocumentContentChangePartial(self.place(uri, start, end), text))
            self.texts[uri] = self.texts[uri][:start] + text + self.texts[uri][end:]
        self.versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, told))

    def append(self, uri: str, text: str) -> None:
        """Write something at the end."""
        self.change(uri, (len(self.texts[uri]), len(self.texts[uri]), text))

    def save(self, uri: str) -> None:
        """Say that a text was saved."""
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def close(self, uri: str) -> None:
        """Close a text."""
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def place(self, uri: str, start: int, end: int) -> types.Range:
        """What is between two characters of a text."""
        seen = EditorText(self.texts[uri], self.encoding)
        return types.Range(seen.position(start), seen.position(end))

    def marked(self, uri: str, one: types.Diagnostic) -> str:
        """The text that a finding marks."""
        seen = EditorText(self.texts[uri], self.encoding)
        return self.texts[uri][seen.offset(one.range.start) : seen.offset(one.range.end)]

    async def until(self, is_true: Callable[[], Any]) -> None:
        """Wait for something to become true when a message comes in."""
        end = time.monotonic() + _PATIENCE
        while not is_true():
            self.arrived.clear()
            await asyncio.wait_for(self.arrived.wait(), max(end - time.monotonic(), 0.01))

    async def shown(self, uri: str, after: int = -1) -> Sequence[types.Diagnostic]:
        """What is shown for a text as it is; ``after`` is how many messages had come before."""

        def found() -> list[types.PublishDiagnosticsParams]:
            version = self.versions.get(uri)
            return [one for one in self.published[max(after, 0) :] if one.uri == uri and one.version == version]

        await self.until(found)
        return found()[-1].diagnostics

    async def codes(self, uri: str, after: int = -1) -> list[str]:
        """The codes of what is shown for a text as it is."""
        return [str(one.code) for one in await self.shown(uri, after)]

    async def actions(
        self, uri: str, place: types.Range, only: Sequence[str] | None = None, shown: Sequence[types.Diagnostic] = ()
    ) -> list[types.CodeAction]:
        """The actions offered for a place."""
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(uri), place, types.CodeActionContext(list(shown), only=only)
        )
        found = await self.client.text_document_code_action_async(params)
        return [one for one in found or () if isinstance(one, types.CodeAction)]

    async def choose(self, action: types.CodeAction) -> None:
        """Do what an action does."""
        if action.edit is None:
            action = await self.client.code_action_resolve_async(action)
        assert action.edit is not None, action.title
        changes = dict(action.edit.changes or {})
        for one in action.edit.document_changes or ():
            assert isinstance(one, types.TextDocumentEdit)
            assert one.text_document.version == self.versions[one.text_document.uri]
            changes[one.text_document.uri] = one.edits  # type: ignore[assignment]
        for uri, edits in changes.items():
            seen = EditorText(self.texts[uri], self.encoding)
            places = [(seen.offset(one.range.start), seen.offset(one.range.end), one.new_text) for one in edits]
            self.change(uri, *sorted(places, key=lambda place: place[:2], reverse=True))

    async def hover(self, uri: str, offset: int) -> str:
        """What is shown of a place; empty for nothing."""
        place = self.place(uri, offset, offset).start
        params = types.HoverParams(types.TextDocumentIdentifier(uri), place)
        found = await self.client.text_document_hover_async(params)
        if found is None:
            return ""
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value


@asynccontextmanager
async def editing(
    folder: Path,
    settings: dict[str, Any] | None = None,
    options: dict[str, Any] | None = None,
    encodings: Sequence[types.PositionEncodingKind] = (),
    spec: str = "visual-studio-code",
    folders: Sequence[Path] = (),
    command: Sequence[str] = COMMAND,
    resolves: bool = True,
) -> AsyncIterator[Editor]:
    """An editor with a folder open, and devlint's server behind it; it shuts the server down properly.

    ``settings`` are what it answers when it is asked for them, ``options`` come with the first message. It asks for the
    edits of actions later if it ``resolves`` them.
    """
    capabilities = client_capabilities(spec)
    assert capabilities.general is not None or not encodings
    if encodings and capabilities.general is not None:
        capabilities.general.position_encodings = list(encodings)
    text = capabilities.text_document
    if not resolves and text is not None and text.code_action is not None:
        text.code_action.resolve_support = None
    made: list[Editor] = []

    def client() -> LanguageClient:
        one = LanguageClient(converter_factory=default_converter, configuration={"": {"devlint": settings or {}}})
        editor = Editor(one, folder)
        made.append(editor)
        register_lsp_features(one, {**DEFAULT_CLIENT_FEATURES, **_features(editor)})
        return one

    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    client_ = await ClientServerConfig(list(command), client, environment).start()
    assert isinstance(client_, LanguageClient)
    editor = made[0]
    workspace = [types.WorkspaceFolder(one.as_uri(), one.name) for one in (folders or (folder,))]
    result = await client_.initialize_session(
        types.InitializeParams(
            capabilities, root_uri=folder.as_uri(), workspace_folders=workspace, initialization_options=options
        )
    )
    editor.encoding = result.capabilities.position_encoding or "utf-16"
    try:
        yield editor
        await client_.shutdown_session()
    except BaseException:  # the client would wait for a server that has nothing to end for
        process: Any = client_._server
        if process is not None and process.returncode is None:
            process.kill()
        raise
    finally:
        await client_.stop()


def _features(editor: Editor) -> dict[str, Callable[..., Any]]:
    """What the client does with messages besides what it does anyway."""

    def publish(client: LanguageClient, params: types.PublishDiagnosticsParams) -> None:
        client.diagnostics[params.uri] = params.diagnostics
        editor.published.append(params)
        editor.arrived.set()

    def log(client: LanguageClient, params: types.LogMessageParams) -> None:
        client.log_messages.append(params)
        editor.arrived.set()

    def show(client: LanguageClient, params: types.ShowMessageParams) -> None:
        client.messages.append(params)
        editor.arrived.set()

    def register(client: LanguageClient, params: types.RegistrationParams) -> None:
        editor.registered += [one.method for one in params.registrations]
        editor.arrived.set()

    return {
        types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: publish,
        types.WINDOW_LOG_MESSAGE: log,
        types.WINDOW_SHOW_MESSAGE: show,
        types.CLIENT_REGISTER_CAPABILITY: register,
    }
