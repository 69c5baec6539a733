"""Writes suppressions: a comment with a reason on each line with a finding, where it works and changes nothing else."""

from __future__ import annotations

import ast
from collections import defaultdict

from devlint.core.errors import DevlintError
from devlint.core.record import Record
from devlint.engine.fixpoint import SUPPRESSION_RULES, splice
from devlint.engine.report import FileReport
from devlint.sources.comments import joined_rows
from devlint.sources.encoding import SourceError
from devlint.sources.suppressions.added_suppression import comment_behind
from devlint.sources.text_kinds import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from devlint.core.diagnostic import Diagnostic, Edit, Span
    from devlint.engine.runner import Runner
    from devlint.sources.discovery import Found
    from devlint.sources.source import Source

_ROUNDS = 3
"""How often suppressions that do not work are left out before none is written."""


class Suppressed(Record):
    """What was made of one file."""

    report: FileReport
    """With the text to be written, if it differs."""
    done: tuple[Diagnostic, ...] = ()
    """The findings that are suppressed now."""
    edits: tuple[Edit, ...] = ()
    """The comments that were added."""


def check_reason(reason: str) -> str:
    """A reason without space around it; raises DevlintError where it cannot stand in a comment."""
    text = reason.strip()
    if not text or "#" in text or not text.isprintable():
        raise DevlintError(f"a reason is one line of text without #, not {reason!r}")
    return text


def suppressed(
    runner: Runner,
    found: Found,
    reason: str,
    wanted: Collection[Diagnostic] | None = None,
    data: bytes | None = None,
) -> Suppressed:
    """Suppress what a check finds in a file, or the ``wanted`` of it; a comment that would not work is not made.

    ``data`` is what the file holds, if not what is on the disk.
    """
    report = runner.analyze(found, data)
    source = report.source
    if source is None or report.failures or not report.diagnostics:
        return Suppressed(report)
    chosen = [one for one in report.diagnostics if one.code not in SUPPRESSION_RULES]
    left = chosen if wanted is None else [one for one in chosen if (one.code, one.span) in _places(wanted)]
    for _ in range(_ROUNDS):
        edits = _edits(source, left, reason)
        text = splice(source.text, edits.values())
        done = [one for one in left if edits and _row(source, one) in _covered(edits)]
        if not done or not _means_the_same(source, text):
            break
        failed = _remaining(runner, found, source, text)
        if failed is None:
            break
        left = [one for one in done if (one.code, _row(source, one)) not in failed]
        if len(left) == len(done):
            written = report.replace(before_text=source.text, after_text=text)
            return Suppressed(written, tuple(done), tuple(edits.values()))
    return Suppressed(report)


def _places(found: Iterable[Diagnostic]) -> set[tuple[str, Span]]:
    return {(one.code, one.span) for one in found}


def _row(source: Source, one: Diagnostic) -> int:
    """The row of the text in which a finding begins."""
    return source.location(one.span.start).row


def _covered(edits: Mapping[range, Edit]) -> set[int]:
    return {row for rows in edits for row in rows}


def _edits(source: Source, found: Iterable[Diagnostic], reason: str) -> dict[range, Edit]:
    """A comment for the findings of each line, by the rows that it speaks for; none where it has no place."""
    if kind_of(source.path) is not None:
        return {}
    try:
        lines = {row: rows for rows in joined_rows(source) for row in rows}
    except ValueError:
        return {}
    codes: dict[range, set[str]] = defaultdict(set)
    for one in found:
        rows = lines.get(_row(source, one))
        if rows is not None:
            codes[rows].add(one.code)
    made: dict[range, Edit] = {}
    for rows, named in codes.items():
        comment = f"# devlint: ignore[{', '.join(sorted(named))}] {reason}"
        edit = comment_behind(source, rows.stop - 1, comment)
        if not source.protects(edit.span):
            made[rows] = edit
    return made


def _means_the_same(source: Source, text: str) -> bool:
    """Whether a text is the same program."""
    try:
        source.to_bytes(text)
        return ast.dump(ast.parse(text)) == ast.dump(ast.parse(source.text))
    except (SourceError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _remaining(runner: Runner, found: Found, source: Source, text: str) -> set[tuple[str, int]] | None:
    """The codes and rows of what a check finds in the new text; None where it fails."""
    report = runner.analyze(found, source.to_bytes(text))
    if report.failures:
        return None
    return {(one.code, _row(report.source, one)) for one in report.diagnostics if report.source is not None}
