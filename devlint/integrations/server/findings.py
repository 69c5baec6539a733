"""Findings as editors show them."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from devlint.core.addresses import rule_address
from devlint.core.diagnostic import Diagnostic
from devlint.core.record import Record
from devlint.engine.report import FileReport
from devlint.engine.ruleset import SYNTAX_ERROR, UNUSED_SUPPRESSION
from devlint.integrations.server.buffers import Open

SOURCE = "devlint"


class Finding(Record):
    """A finding, and where it is in the editor."""

    diagnostic: Diagnostic
    uri: str
    """Of the file, or of the cell of a notebook."""
    range: types.Range

    @property
    def shown(self) -> types.Diagnostic:
        """As the editor gets it."""
        code = self.diagnostic.code
        return types.Diagnostic(
            range=self.range,
            severity=types.DiagnosticSeverity.Error if code == SYNTAX_ERROR else types.DiagnosticSeverity.Warning,
            code=code,
            code_description=types.CodeDescription(rule_address(code)),
            source=SOURCE,
            message=self.diagnostic.message,
            tags=[types.DiagnosticTag.Unnecessary] if code == UNUSED_SUPPRESSION else None,
        )


def findings_in(report: FileReport, opened: Open, syntax_errors: bool) -> Iterator[Finding]:
    """The findings of a report, with or without syntax errors."""
    for one in report.diagnostics:
        if syntax_errors or one.code != SYNTAX_ERROR:
            buffer = opened.part(one.location.cell)
            yield Finding(one, buffer.uri, buffer.seen.range(one.location, one.end_location))
