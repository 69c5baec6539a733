"""Finds misspelled environment variables in files that are no Python."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.core.diagnostic import Applicability, Diagnostic, Edit, Fix, Span
from devlint.core.errors import DevlintError
from devlint.engine.fixpoint import Analysis
from devlint.engine.request import Result
from devlint.sources.environment_mentions import mentions
from devlint.sources.source import Source, SourceError
from devlint.sources.suppression_syntax import directives_in
from devlint.sources.suppressions import Suppressions
from devlint.sources.text_kinds import RULE, TextKind, kind_of
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


class TextAnalysis(Analysis):
    """Looks for misspelled names in a text."""

    def findings(self, source: Source) -> Result:
        """All that is found in a text that is not suppressed."""
        kind = kind_of(source.path)
        found = mentions(source.text, kind.syntax) if kind and RULE in self.request.enabled else []
        if kind is None or not found:
            return Result(source.text)
        settings = self.request.suppression_settings
        suppressions = Suppressions(source, settings, directives_in(source, kind, settings))
        visible = []
        for one in found:
            first, last = source.location(one.start), source.location(one.end)
            if not suppressions.suppresses(RULE, first.row, first.row):
                place = Span(one.start, one.end)
                fix = Fix((Edit(place, one.correct_name),), Applicability.SAFE, fix_message(one.name, one.correct_name))
                text = message(one.name, one.correct_name)
                visible.append(Diagnostic(source.path, RULE, text, place, first, last, fix))
        return Result(source.text, tuple(visible))

    def complaint(self, source: Source, text: str, comment_edits: Iterable[Edit] = ()) -> str | None:
        """Nothing: a name in the place of another one breaks no text."""
        return None
