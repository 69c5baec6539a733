"""The report as a table: a row for each finding, blocker and problem."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO

from devlint.report.model import MigrationReport, ReportedFile

COLUMNS = "path cell row column portability kind code name remedy message fix".split()
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that a spreadsheet would compute."""


def render(report: MigrationReport) -> str:
    """The table, with its head; a text that a spreadsheet would take for a formula has an apostrophe before it."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    rules = {one.code: one.name for one in report.rules}
    listed = {file.path for file in report.files}
    for file in report.files:
        for row in _rows(file, rules):
            writer.writerow([_inert(one) for one in (file.path, *row)])
    for path, said in report.not_analyzed:
        if path not in listed:
            writer.writerow([_inert(one) for one in (path, "", "", "", "unknown", "problem", "", "", "", said, "")])
    return text.getvalue()


def _rows(file: ReportedFile, rules: dict[str, str]) -> Iterator[tuple[object, ...]]:
    """The rows of a file, from the second column on."""
    state = file.portability.value
    for said in file.problems:
        yield "", "", "", state, "problem", "", "", "", said, ""
    for one in file.blockers:
        kind = "optional blocker" if one.is_optional else "blocker"
        yield "", one.row, "", state, kind, "", one.kind.value, "", one.detail, ""
    for found in file.findings:
        place = (found.cell or "", found.row, found.column)
        name = rules.get(found.code, "")
        yield *place, state, "finding", found.code, name, found.remedy.value, found.message, found.fix_message


def _inert(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
