"""The server as pygls has it: what it shows, tells and asks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from devlint import __version__
from devlint.integrations.server.actions import Actions
from devlint.integrations.server.buffers import Open
from devlint.integrations.server.checks import Checked, Checks
from devlint.integrations.server.editor_settings import SECTION
from devlint.integrations.server.session import EditorSession

_SETTINGS_WAIT = 5.0
"""Seconds after which an editor that was asked for its settings has none."""
_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithCells(
            notebook=types.NotebookDocumentFilterNotebookType(notebook_type="jupyter-notebook"),
            cells=[types.NotebookCellLanguage(language="python")],
        )
    ],
    save=True,
)


class _Protocol(LanguageServerProtocol):
    """The protocol without pygls's own copies of texts: it ends lines at form feeds, and moves places to fit these."""

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Iterator[Any]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: types.DidChangeNotebookDocumentParams) -> Iterator[Any]:
        yield self.fm.features[types.NOTEBOOK_DOCUMENT_DID_CHANGE], (params,), None


class Server(LanguageServer):
    """devlint, as editors speak to it."""

    def __init__(self) -> None:
        super().__init__("devlint", __version__, notebook_document_sync=_NOTEBOOKS, protocol_cls=_Protocol)
        self.session = EditorSession()
        self.checks = Checks(self.session, self.publish)
        self.actions = Actions(self.session, self.checks)
        self._told: list[str] = []
        self._wrong: dict[str, str] = {}
        self._logged: dict[str, str] = {}

    def publish(self, opened: Open, checked: Checked) -> None:
        """Show what was found in a file or in the cells of a notebook, and say once what went wrong."""
        for buffer in opened.parts:
            shown = [one.shown for one in checked.findings if one.uri == buffer.uri]
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(buffer.uri, shown, version=buffer.version)
            )
        self._tell_of_configuration(opened, checked)
        failures = checked.look.report.failures if checked.look is not None else ()
        said = "; ".join(f"{one.path}: {one.message}" for one in failures)
        if said and self._logged.get(opened.uri) != said:
            self.log(said)
        self._logged[opened.uri] = said

    def closed(self, uri: str) -> None:
        """Forget a file or a notebook that is open no longer."""
        self.checks.close(uri)
        self._wrong.pop(uri, None)
        self._logged.pop(uri, None)
        self.withdraw(self.session.close(uri))

    def withdraw(self, uris: list[str]) -> None:
        """Show nothing any more for texts that are closed."""
        for uri in uris:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _tell_of_configuration(self, opened: Open, checked: Checked) -> None:
        """Say what is wrong with a configuration, once until it is right for all that is open."""
        before = set(self._wrong.values())
        self._wrong.pop(opened.uri, None)
        if checked.problem is not None:
            self._wrong[opened.uri] = str(checked.problem)
            if str(checked.problem) not in before:
                self.tell(str(checked.problem))

    def tell(self, message: str) -> None:
        """Show a message to the person."""
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"devlint: {message}"))

    def log(self, message: str) -> None:
        """Write one line to the editor's log."""
        line = " ".join(message.split())
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, f"devlint: {line}"))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Write an error of the server's own to the log; the editor goes on, and so does the server."""
        if not (isinstance(error, JsonRpcException) and error.code == types.LSPErrorCodes.ContentModified.value):
            self.log(f"internal error, please report it: {type(error).__name__}: {error}")

    def configure(self, settings: dict[str | None, object]) -> None:
        """Take the editor's settings, and look at everything again."""
        problems = self.session.configure(settings)
        for problem in problems:
            if problem not in self._told:
                self.tell(f"editor settings: {problem}")
        self._told = problems
        self.checks.begin()
        self.checks.again()

    async def ask_for_settings(self) -> None:
        """Ask the editor for the settings of all folders, if it can be asked."""
        workspace = self.session.capabilities.workspace
        scopes = self.session.scopes
        if not (workspace and workspace.configuration):
            self.configure({})
            return
        items = [types.ConfigurationItem(scope_uri=scope, section=SECTION) for scope in scopes]
        try:
            answer = self.workspace_configuration_async(types.ConfigurationParams(items))
            found = await asyncio.wait_for(answer, _SETTINGS_WAIT)
        except (asyncio.TimeoutError, JsonRpcException):
            found = []
        self.configure(dict(zip(scopes, found)))

    def changed_outside(self) -> None:
        """Look at everything again, with configurations and other files as they are now."""
        self.session.forget()
        self.checks.again()
