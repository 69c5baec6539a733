"""What can be done about findings: fix one, fix all that is safe, or suppress one."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from devlint.core.diagnostic import Fix
from devlint.engine.fixpoint import SUPPRESSION_RULES, splice
from devlint.engine.ruleset import SYNTAX_ERROR
from devlint.integrations.server.buffers import Open
from devlint.integrations.server.checks import Checked, Checks
from devlint.integrations.server.findings import Finding
from devlint.integrations.server.linter import only
from devlint.integrations.server.positions import BOM, touches
from devlint.integrations.server.session import EditorSession
from devlint.integrations.server.text_edits import text_edits
from devlint.sources.source import Source
from devlint.sources.suppressions.added_suppression import added_suppression
from devlint.sources.suppressions.suppression_settings import SuppressionSettings

FIX_ALL = "source.fixAll.devlint"
FIX_ALL_IN_NOTEBOOK = "notebook.source.fixAll.devlint"
KINDS = [types.CodeActionKind.QuickFix, FIX_ALL, FIX_ALL_IN_NOTEBOOK]
_FIX, _ALL, _SUPPRESS = "fix", "all", "suppress"


class OutdatedAction(Exception):
    """The text has changed since the action was offered."""


class Actions:
    """Offers actions for what is open, and works out their edits."""

    def __init__(self, session: EditorSession, checks: Checks) -> None:
        self._session = session
        self._checks = checks

    async def offered(self, opened: Open, params: types.CodeActionParams) -> list[types.CodeAction]:
        """The actions for a place, with their edits if the editor does not ask for these later."""
        checked = await self._checks.current(opened)
        if checked.state != self._checks.state_of(opened):
            return []
        wanted = params.context.only
        found = [one for one in self._actions(opened, checked, params) if _is_wanted(one.kind, wanted)]
        if not self._resolves():
            for action in found:
                action.edit = await self.edit(action)
                action.data = None
            return [action for action in found if action.edit is not None]
        return found

    async def edit(self, action: types.CodeAction) -> types.WorkspaceEdit | None:
        """The edit of an action that was offered; None where it would do nothing, OutdatedAction if it is old."""
        data = action.data if isinstance(action.data, dict) else {}
        opened = self._session.opened.get(str(data.get("uri")))
        checked = self._checks.known(opened) if opened is not None else None
        if opened is None or checked is None or list(checked.state) != data.get("state"):
            raise OutdatedAction
        if data["do"] == _ALL:
            return await self._fixed(opened, checked, None)
        finding = checked.findings[data["finding"]]
        if data["do"] == _FIX:
            return await self._fixed(opened, checked, finding)
        return self._suppressed(opened, checked, finding, data["word"])

    def _resolves(self) -> bool:
        """Whether the editor asks for an edit once an action is chosen."""
        text = self._session.capabilities.text_document
        support = text.code_action.resolve_support if text and text.code_action else None
        return support is not None and "edit" in support.properties

    def _actions(self, opened: Open, checked: Checked, params: types.CodeActionParams) -> Iterator[types.CodeAction]:
        # By their lines: some editors send other columns back than they were told.
        shown = {(one.code, one.range.start.line) for one in params.context.diagnostics}
        unsafe = self._session.settings_of(opened).show_unsafe_fixes
        data = {"uri": opened.uri, "state": list(checked.state)}
        for number, one in enumerate(checked.findings):
            code = one.diagnostic.code
            is_near = touches(one.range, params.range) or (code, one.range.start.line) in shown
            if one.uri == params.text_document.uri and is_near:
                fix = one.diagnostic.fix
                if fix is not None and (fix.is_safe or unsafe):
                    yield _quick_fix(one, fix, {**data, "do": _FIX, "finding": number})
                for word in self._words(checked) if code not in SUPPRESSION_RULES | {SYNTAX_ERROR} else ():
                    more = {"do": _SUPPRESS, "finding": number, "word": word}
                    yield types.CodeAction(
                        f"Suppress {code} on this line (`# {word or f'devlint: ignore[{code}]'}`)",
                        types.CodeActionKind.QuickFix,
                        [one.shown],
                        data={**data, **more},
                    )
        if any(one.diagnostic.fix is not None and one.diagnostic.fix.is_safe for one in checked.findings):
            kind = FIX_ALL_IN_NOTEBOOK if opened.is_notebook else FIX_ALL
            yield types.CodeAction("devlint: make all safe fixes", kind, data={**data, "do": _ALL})

    def _words(self, checked: Checked) -> tuple[str, ...]:
        """The words that suppression comments begin with: the project's own if it has one, and devlint's."""
        words = checked.look.settings.suppression_comments if checked.look is not None else ()
        return (*words[:1], "")

    async def _fixed(self, opened: Open, checked: Checked, finding: Finding | None) -> types.WorkspaceEdit | None:
        """The edit that makes one fix, or all that are safe."""
        report = await self._checks.fixed(opened, only(finding.diagnostic) if finding is not None else None)
        if checked.state != self._checks.state_of(opened):
            raise OutdatedAction
        if report is None or report.source is None or not report.changed:
            return None
        return self._edit(opened, report.source, report.before_text, report.after_text)

    def _suppressed(self, opened: Open, checked: Checked, finding: Finding, word: str) -> types.WorkspaceEdit | None:
        """The edit that suppresses a finding."""
        assert checked.look is not None
        source = checked.look.report.source
        assert source is not None
        settings = SuppressionSettings(True, checked.look.settings.suppression_comments)
        edit = added_suppression(source, finding.diagnostic, settings, word)
        return self._edit(opened, source, source.text, splice(source.text, [edit])) if edit is not None else None

    def _edit(self, opened: Open, source: Source, before: str, after: str) -> types.WorkspaceEdit:
        """What changes in the editor where one text of ``source`` becomes another."""
        changes: dict[str, list[types.TextEdit]] = {}
        for buffer, (_, old), (_, new) in zip(opened.parts, source.parts(before), source.parts(after)):
            if old != new:
                mark = BOM if buffer.text.startswith(BOM) else ""
                is_ended = len(old) > len(buffer.text)  # parts of notebooks all end in a newline
                changes[buffer.uri] = text_edits(buffer.seen, mark + (new[:-1] if is_ended else new))
        if not self._takes_versions():
            return types.WorkspaceEdit(changes)
        versions = {buffer.uri: buffer.version for buffer in opened.parts}
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, versions[uri]), edits)
                for uri, edits in changes.items()
            ]
        )

    def _takes_versions(self) -> bool:
        workspace = self._session.capabilities.workspace
        return bool(workspace and workspace.workspace_edit and workspace.workspace_edit.document_changes)


def _quick_fix(finding: Finding, fix: Fix, data: dict[str, object]) -> types.CodeAction:
    """The action that makes the fix of one finding."""
    title = fix.message if fix.is_safe else f"Unsafe: {fix.message}"
    return types.CodeAction(
        title, types.CodeActionKind.QuickFix, [finding.shown], is_preferred=fix.is_safe or None, data=data
    )


def _is_wanted(kind: types.CodeActionKind | str | None, wanted: object) -> bool:
    """Whether the editor asks for actions of a kind; it may name all of them by what they begin with."""
    if not isinstance(wanted, (list, tuple)):
        return True
    name = kind.value if isinstance(kind, types.CodeActionKind) else str(kind)
    asked = [one.value if isinstance(one, types.CodeActionKind) else str(one) for one in wanted]
    return any(name == one or name.startswith(f"{one}.") or one == "" for one in asked)
