"""The server itself: which message of the editor does what."""

from __future__ import annotations

import asyncio
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from devlint import __version__
from devlint.integrations.server import actions, hover
from devlint.integrations.server.buffers import Open
from devlint.integrations.server.checks import Checked, Checks
from devlint.integrations.server.editor_settings import ON_TYPE, SECTION
from devlint.integrations.server.session import Session

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
_WATCHED = ("**/*.py", "**/{pyproject,devlint}.toml", "**/{setup.cfg,requirements.txt,.gitignore}")
"""What findings depend on besides the text they are in."""


class Server(LanguageServer):
    """devlint, as editors speak to it."""

    def __init__(self) -> None:
        super().__init__("devlint", __version__, notebook_document_sync=_NOTEBOOKS)
        self.session = Session()
        self.checks = Checks(self.session, self.publish)
        self.actions = actions.Actions(self.session, self.checks)
        self._told: set[str] = set()
        self._logged: dict[str, str] = {}

    def publish(self, opened: Open, checked: Checked) -> None:
        """Show what was found in a file or in the cells of a notebook, and say once what went wrong."""
        for buffer in opened.parts:
            shown = [one.shown for one in checked.findings if one.uri == buffer.uri]
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(buffer.uri, shown, version=buffer.version)
            )
        if checked.problem is not None:
            self.tell(str(checked.problem))
        failures = checked.look.report.failures if checked.look is not None else ()
        said = "; ".join(f"{one.path}: {one.message}" for one in failures)
        if said and self._logged.get(opened.uri) != said:
            self.log(said)
        self._logged[opened.uri] = said

    def withdraw(self, uris: list[str]) -> None:
        """Show nothing any more for texts that are closed."""
        for uri in uris:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def tell(self, message: str) -> None:
        """Show a message to the person, unless it was shown since settings or configurations last changed."""
        if message not in self._told:
            self._told.add(message)
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
        self._told.clear()
        for problem in self.session.configure(settings):
            self.tell(f"editor settings: {problem}")
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
        self._told.clear()
        self.session.forget()
        self.checks.again()


def make_server() -> Server:
    """A server with all its features."""
    server = Server()
    _add_life(server)
    _add_files(server)
    _add_notebooks(server)
    _add_answers(server)
    return server


def serve() -> None:
    """Speak with an editor over standard input and output until it leaves."""
    make_server().start_io()


def _add_life(server: Server) -> None:
    """From the first message to the last, and settings."""

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        root = to_fs_path(params.root_uri) if params.root_uri else params.root_path
        session = server.session
        session.begin(params.capabilities, server.workspace.position_encoding or "utf-16", root)
        session.add_folders(params.workspace_folders or ())
        session.first_settings = params.initialization_options
        session.configure({})

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        server.checks.warm_up(server.session.root_linter())
        await server.ask_for_settings()
        await _register(server)

    @server.feature(types.SHUTDOWN)
    def shutdown(params: None) -> None:
        server.checks.end()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        workspace = server.session.capabilities.workspace
        if workspace and workspace.configuration:
            await server.ask_for_settings()
        else:
            server.configure({None: params.settings})

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        server.changed_outside()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def did_change_workspace_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.session.remove_folders(params.event.removed)
        server.session.add_folders(params.event.added)
        await server.ask_for_settings()


async def _register(server: Server) -> None:
    """Ask the editor to tell of changed settings and files, where it is to be asked."""
    workspace = server.session.capabilities.workspace
    wanted: list[types.Registration] = []
    told = workspace.did_change_configuration if workspace else None
    if told and told.dynamic_registration:
        options: Any = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        wanted.append(types.Registration("devlint-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options))
    watched = workspace.did_change_watched_files if workspace else None
    if watched and watched.dynamic_registration:
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(one) for one in _WATCHED])
        wanted.append(types.Registration("devlint-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if wanted:
        await server.client_register_capability_async(types.RegistrationParams(wanted))


def _add_files(server: Server) -> None:
    """Files that are opened, changed, saved and closed."""
    session, checks = server.session, server.checks

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        checks.schedule(session.open_file(params.text_document))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        buffer = session.buffers.get(params.text_document.uri)
        opened = session.owner(params.text_document.uri)
        if buffer is not None and opened is not None:
            buffer.change(params.text_document.version, params.content_changes)
            _changed(server, opened)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        if params.text_document.uri in session.opened:
            server.changed_outside()  # what is in it may matter for the others

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        checks.close(params.text_document.uri)
        server.withdraw(session.close(params.text_document.uri))


def _add_notebooks(server: Server) -> None:
    """Notebooks that are opened, changed, saved and closed."""
    session, checks = server.session, server.checks

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenNotebookDocumentParams) -> None:
        checks.schedule(session.open_notebook(params.notebook_document, params.cell_text_documents))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeNotebookDocumentParams) -> None:
        opened, gone = session.change_notebook(params)
        server.withdraw(gone)
        if opened is not None:
            _changed(server, opened)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveNotebookDocumentParams) -> None:
        server.changed_outside()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseNotebookDocumentParams) -> None:
        checks.close(params.notebook_document.uri)
        server.withdraw(session.close(params.notebook_document.uri))


def _changed(server: Server, opened: Open) -> None:
    """Look at something that was changed, once it is no longer changed."""
    settings = server.session.settings_of(opened)
    if settings.run == ON_TYPE:
        server.checks.schedule(opened, settings.debounce / 1000)
    else:
        server.checks.cancel(opened.uri)


def _add_answers(server: Server) -> None:
    """What the editor asks for."""
    session, checks = server.session, server.checks

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=list(actions.KINDS), resolve_provider=True),
    )
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        opened = session.owner(params.text_document.uri)
        return await server.actions.offered(opened, params) if opened is not None else []

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        try:
            action.edit = await server.actions.edit(action)
        except actions.OutdatedAction:
            code = types.LSPErrorCodes.ContentModified.value
            raise JsonRpcException("the text has changed since", code) from None
        if action.edit is None:
            message = f"devlint: not possible here: {action.title}"
            server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))
        return action

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover_at(params: types.HoverParams) -> types.Hover | None:
        uri, position = params.text_document.uri, params.position
        opened, buffer = session.owner(uri), session.buffers.get(uri)
        if opened is None or buffer is None:
            return None
        kind = session.hover_format
        checked = await checks.current(opened)
        finding = hover.finding_at(checked.findings, uri, position)
        if finding is not None:
            return await checks.in_thread(lambda: hover.hover_of_finding(finding, kind))
        named = hover.rule_named_at(buffer, position)
        return await checks.in_thread(lambda: hover.hover_of_rule(*named, kind)) if named is not None else None
