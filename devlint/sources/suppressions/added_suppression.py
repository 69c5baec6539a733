"""Writes the comment that suppresses a finding, on the first of its rows where that is possible."""

from __future__ import annotations

from devlint.core.diagnostic import Diagnostic, Edit, Location, Span
from devlint.sources.source import Source
from devlint.sources.suppressions.suppression_settings import SuppressionSettings
from devlint.sources.suppressions.suppression_syntax import directives_in, find_directives
from devlint.sources.suppressions.suppressions import Suppressions
from devlint.sources.text_kinds import kind_of

_FURTHER = 200
"""Rows below a finding where its comment may stand: at the end of the string, or of the joined lines, that it is in."""


def added_suppression(
    source: Source, finding: Diagnostic, settings: SuppressionSettings, word: str = ""
) -> Edit | None:
    """The edit that suppresses a finding; None where no comment can.

    With ``word`` the comment is that of the project which begins so; else it is devlint's own, which may be there
    already for other rules.
    """
    first, last = source.location(finding.span.start).row, source.location(finding.span.end).row
    own = None if word else _joined(source, finding.code, first, last, settings)
    if own is not None and _suppresses(source, own, finding, settings):
        return own
    comment = f"# {word}" if word else f"# devlint: ignore[{finding.code}]"
    for row in range(first, min(last + _FURTHER, source.row_count) + 1):
        if source.line(row).endswith("\\"):
            continue  # it is joined to the next one
        edit = comment_behind(source, row, comment)
        if not source.protects(edit.span) and _suppresses(source, edit, finding, settings):
            return edit
    return None


def comment_behind(source: Source, row: int, comment: str) -> Edit:
    """The edit that writes a comment behind all that is on a row."""
    line = source.line(row)
    start = source.offset(Location(row, len(line.rstrip(" \t")) + 1))
    return Edit(Span(start, source.offset(Location(row, len(line) + 1))), f"  {comment}")


def _joined(source: Source, code: str, first: int, last: int, settings: SuppressionSettings) -> Edit | None:
    """The edit that adds a code to a comment of devlint's own on these rows; None without one."""
    kind = kind_of(source.path)
    found = find_directives(source, settings) if kind is None else directives_in(source, kind, settings)
    for one in found:
        if one.own and one.codes and one.rows is not None and one.rows.start <= last and first < one.rows.stop:
            at = one.codes[-1][1].end
            return Edit(Span(at, at), f", {code}")
    return None


def _suppresses(source: Source, edit: Edit, finding: Diagnostic, settings: SuppressionSettings) -> bool:
    """Whether the finding is suppressed once the edit is made, in a text that says the same."""
    text = source.text[: edit.span.start] + edit.text + source.text[edit.span.end :]
    after = source.replace(text=text)
    moved = len(edit.text) - (edit.span.end - edit.span.start)
    span = finding.span
    start = span.start + moved * (span.start >= edit.span.end)
    end = span.end + moved * (span.end > edit.span.start)
    kind = kind_of(source.path)
    found = find_directives(after, settings) if kind is None else directives_in(after, kind, settings)
    rows = after.location(start).row, after.location(end).row
    return Suppressions(after, settings, found).suppresses(finding.code, *rows)
