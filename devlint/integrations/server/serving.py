"""Which message of the editor does what."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import IO, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import to_fs_path

from devlint.integrations.server import actions, hover
from devlint.integrations.server.buffers import Open
from devlint.integrations.server.editor_settings import ON_TYPE, SECTION
from devlint.integrations.server.language_server import Server

_WATCHED = ("**/*.py", "**/{pyproject,devlint}.toml", "**/{setup.cfg,requirements*.txt,README*,.gitignore}")
"""What findings depend on besides the text they are in."""


def make_server() -> Server:
    """A server with all its features."""
    server = Server()
    _add_life(server)
    _add_files(server)
    _add_notebooks(server)
    _add_answers(server)
    return server


def serve_editor(commands: IO[bytes], answers: IO[bytes]) -> None:
    """Speak with an editor over two streams until it leaves; pygls closes copies of them."""
    make_server().start_io(os.fdopen(os.dup(commands.fileno()), "rb"), os.fdopen(os.dup(answers.fileno()), "wb"))


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
        with suppress(JsonRpcException):  # then it tells of nothing; what is saved is looked at all the same
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
        server.closed(params.text_document.uri)


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
        server.closed(params.notebook_document.uri)


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
