"""Checks the files of one repository, and gives a row for each: whatever a file holds, the others go on."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from devlint.analysis.project.project import Index
from devlint.config.finder import ConfigFinder
from devlint.core.catalogue import RULES
from devlint.core.diagnostic import Diagnostic
from devlint.core.hashing import digest
from devlint.engine.report import FileReport, Mode
from devlint.engine.runner import Runner
from devlint.fleet.options import FleetOptions
from devlint.fleet.repository import TOP, RepositoryDisk, RepositoryTree, virtual_path
from devlint.sources.discovery import Found, is_looked_at
from devlint.sources.source import Source, SourceError

Row = dict[str, Any]
"""A row of ``CHECKED_SCHEMA``."""

_NAMES = {rule.code: rule.name for rule in RULES}
_SYNTAX_ERROR = "DEV001"


class FileChecker:
    """Checks files of one repository; raises ConfigError where the options are wrong."""

    def __init__(self, tree: RepositoryTree, options: FleetOptions, fixing: bool) -> None:
        finder = ConfigFinder(options.overrides(), isolated=True, cwd=TOP, origin="options", on_disk=False)
        index = Index(RepositoryDisk(tree))
        self._settings = finder.settings(TOP)
        self._options = options
        self._check = Runner(finder, index=index)
        self._fix = Runner(finder, Mode.DIFF, index=index) if fixing else None

    def row(self, repo: str | None, path: str | None, content: bytes | str | None, problem: str = "") -> Row:
        """What there is to say about a file; ``problem`` is what prevents a look at it."""
        start = perf_counter()
        size = len(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content or b"")
        row: Row = {
            "repo": _writable(repo),
            "path": _writable(path),
            "bytes": None if content is None else size,
            "digest": None if content is None else _digest(content),
            "parsed": None,
            "error": problem or self._problem(path, content, size) or None,
            "fixed_content": None,
            "findings": [],
        }
        if row["error"] is None and path is not None and content is not None and is_looked_at(path):
            self._look(row, path, content)
        row["seconds"] = perf_counter() - start
        return row

    def _problem(self, path: str | None, content: bytes | str | None, size: int) -> str:
        """Why there is nothing to check."""
        if not path:
            return "the path is missing"
        if content is None:
            return "the content is missing"
        return f"is larger than {self._options.max_bytes:,} bytes, left alone" if size > self._options.max_bytes else ""

    def _look(self, row: Row, path: str, content: bytes | str) -> None:
        """Fill in what the check of a file says."""
        place = virtual_path(path)
        found = Found(place, place, self._settings, False)
        report = self._check.file(found, content)
        row["findings"] = [_finding(one, report) for one in report.diagnostics]
        errors = [one.message for one in report.failures]
        refused = next((one.message for one in report.diagnostics if one.code == _SYNTAX_ERROR), None)
        if report.source is not None or errors or refused:
            row["parsed"] = not errors and refused is None
        row["error"] = errors[0] if errors else refused if report.source is None else None
        if self._fix is not None and report.diagnostics:
            row["fixed_content"] = _fixed(self._fix.file(found, content))


def _writable(name: str | None) -> str | None:
    """A name as a table can hold it: bytes of a file name that are no UTF-8 are escaped."""
    return name and name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _digest(content: bytes | str) -> str:
    return digest(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)


def _fixed(report: FileReport) -> bytes | None:
    """The bytes of a file after its fixes; None where they change nothing."""
    if report.source is None or not report.changed:
        return None
    try:
        return report.source.to_bytes(report.after_text)
    except SourceError:
        return None


def _finding(one: Diagnostic, report: FileReport) -> Row:
    fix = one.fix
    return {
        "code": one.code,
        "name": _NAMES.get(one.code),
        "row": one.location.row,
        "column": one.location.column,
        "end_row": one.end_location.row,
        "end_column": one.end_location.column,
        "cell": one.location.cell,
        "message": one.message,
        "applicability": None if fix is None else fix.applicability.value,
        "fix_message": None if fix is None else fix.message,
        "edits": [] if fix is None or report.source is None else _edits(one, report.source),
    }


def _edits(one: Diagnostic, source: Source) -> list[Row]:
    """The edits of a finding's fix, at the places that people are told."""
    found = []
    for edit in one.fix.edits if one.fix is not None else ():
        start, end = source.place(edit.span.start), source.place(edit.span.end)
        found.append(
            {
                "row": start.row,
                "column": start.column,
                "end_row": end.row,
                "end_column": end.column,
                "content": edit.text,
            }
        )
    return found
