"""Looks for misspelled environment variables in files that are no Python, and mends them."""

from __future__ import annotations

from collections.abc import Collection

from devlint.core.diagnostic import Applicability, Diagnostic, Edit, Fix, Span
from devlint.core.errors import DevlintError
from devlint.engine.finding_filter import Screen
from devlint.engine.report import FileReport, Mode
from devlint.sources.environment_mentions import mentions
from devlint.sources.source import Source, SourceError
from devlint.sources.suppression_settings import USUAL, Heeded
from devlint.sources.suppression_syntax import directives_in
from devlint.sources.suppressions import Suppressions
from devlint.sources.text_kinds import RULE, TextKind
from devlint.torch_api.environment_variables import fix_message, may_hold_variables, message

MAX_TEXT = 4_000_000
"""Bytes of a text with names of variables; each line may be a finding."""


def read_text(path: str, data: bytes, kind: TextKind, explicit: bool) -> Source | None:
    """The text of a file; None where there is nothing to look for, SourceError where it is needed and no text."""
    holds = may_hold_variables(data)
    if not holds and not explicit:
        return None
    if holds and len(data) > MAX_TEXT:
        raise DevlintError(f"is larger than {MAX_TEXT:,} bytes, left alone")
    try:
        return Source.from_bytes(path, data)
    except SourceError:
        # In latin-1 every byte is a character, and no letter of a name can be another one.
        if not explicit and not mentions(data.decode("latin-1"), kind.syntax):
            return None
        raise


def lint_text(
    source: Source, kind: TextKind, enabled: Collection[str], heeded: Heeded = USUAL
) -> tuple[Diagnostic, ...]:
    """The misspelled names in a text, without suppressed ones."""
    found = mentions(source.text, kind.syntax) if RULE in enabled else []
    if not found:
        return ()
    suppressions = Suppressions(source, heeded, directives_in(source, kind, heeded))
    shown = []
    for one in found:
        first, last = source.location(one.start), source.location(one.end)
        if not suppressions.suppresses(RULE, first.row, first.row):
            place = Span(one.start, one.end)
            fix = Fix((Edit(place, one.known),), Applicability.SAFE, fix_message(one.name, one.known))
            text = message(one.name, one.known)
            shown.append(Diagnostic(source.path, RULE, text, place, first, last, fix))
    return tuple(shown)


def report(
    source: Source,
    kind: TextKind,
    enabled: Collection[str],
    mode: Mode = Mode.CHECK,
    heeded: Heeded = USUAL,
    screen: Screen | None = None,
) -> FileReport:
    """What there is to say about a text, mended in memory unless ``mode`` is that of a check."""
    screen = screen or Screen()
    screen.begin(source)
    found = screen.passing(lint_text(source, kind, enabled, heeded))
    if mode is Mode.CHECK or not found:
        return FileReport(source.path, found, source=source, known=screen.known)
    from devlint.engine.fixpoint import splice

    edits = [edit for one in found if one.fix for edit in one.fix.edits]
    after = source.replace(text=splice(source.text, edits))
    screen.edited(edits)
    left = screen.passing(lint_text(after, kind, enabled, heeded))
    return FileReport(source.path, left, (), found, after, source.text, after.text, known=screen.known)
