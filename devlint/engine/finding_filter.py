"""Which findings of a file count if there is a baseline, or only changed lines count.

This is decided on the text as it was read. After fixes, places are traced back to that text, so that a finding stays in
the baseline although its line has changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence

from devlint.core.diagnostic import Diagnostic, Edit, Span
from devlint.sources.source import Source


class FindingFilter:
    """Filters the findings of one file."""

    def __init__(self, known: Counter[tuple[str, str]] | None = None, changed: Container[int] | None = None) -> None:
        """``known`` says how often the baseline has a code on a line of text, ``changed`` holds the rows that count."""
        self._listed = known or Counter()
        self._changed = changed
        self.begin(None)

    def begin(self, source: Source | None) -> None:
        """Start with the file as it was read; None if it cannot be decoded."""
        self._source = source
        self._passes: list[list[Edit]] = []
        self._held: set[tuple[str, int]] | None = None
        self.baselined = 0
        """How many findings the baseline held back in the last call of ``passing``."""

    def edited(self, edits: Iterable[Edit]) -> None:
        """Take note of edits that have been made in the text."""
        self._passes.append(sorted(edits))

    def passing(self, diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        """The findings that count, of all findings in the current text."""
        if not self._listed and self._changed is None:
            return tuple(diagnostics)
        traced = [(one, self.origin(one.span)) for one in diagnostics]
        if self._held is None:
            self._held = self._decide(traced)
        new = [(one, span) for one, span in traced if (one.code, span.start) not in self._held]
        self.baselined = len(traced) - len(new)
        return tuple(one for one, span in new if self._is_changed(one, span))

    def _decide(self, found: Iterable[tuple[Diagnostic, Span]]) -> set[tuple[str, int]]:
        """The findings in the baseline; if a line has more than it lists, those that nobody changed, then the first."""
        if not self._listed:
            return set()
        from devlint.config.baseline import Lines

        lines = Lines(self._source)
        left = self._listed.copy()
        held = set()
        for one, span in sorted(found, key=lambda pair: (self._is_changed(*pair), pair[1], pair[0].code)):
            key = one.code, lines.at(span.start)
            if left[key] > 0:
                left[key] -= 1
                held.add((one.code, span.start))
        return held

    def _is_changed(self, one: Diagnostic, span: Span) -> bool:
        """Whether a finding touches a changed row."""
        if self._changed is None:
            return True
        if self._source is None:
            return one.location.row in self._changed
        rows = [self._source.file_row(offset) for offset in (span.start, max(span.start, span.end - 1))]
        return any(row in self._changed for row in range(rows[0], rows[1] + 1))

    def origin(self, span: Span) -> Span:
        """The place in the file as it was read that the text at a place came from."""
        start, end = span.start, span.end
        for edits in reversed(self._passes):
            start, end = _before(edits, start, is_end=False), _before(edits, end, is_end=True)
        return Span(min(start, end), end)


def _before(edits: Iterable[Edit], offset: int, is_end: bool) -> int:
    """Where a character, or the end of a span, was before ``edits``; for new text, the edge of what it replaced."""
    shift = 0
    for edit in edits:
        start = edit.span.start + shift
        end = start + len(edit.text)
        if (start < offset <= end) if is_end else (start <= offset < end):
            return edit.span.end if is_end else edit.span.start
        if offset < end:
            break
        shift += len(edit.text) - (edit.span.end - edit.span.start)
    return offset - shift
