"""Comments that switch devlint off: which findings they cover, which are of no use, which give no reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Optional

from devlint.comments import Comment, comments, lines_like_comments
from devlint.diagnostic import Edit, Location, Span
from devlint.source import Source

_CODE = re.compile(r"[A-Z]+[0-9]+", re.IGNORECASE)
_CODES = rf"{_CODE.pattern}(?:[,\s]+{_CODE.pattern})*\b"
_NOQA = re.compile(
    rf"#[ \t]*(?P<file>(?:flake8|ruff)[ \t]*[:=][ \t]*)?noqa\b(?:[ \t]*:[ \t]*(?P<codes>{_CODES}))?", re.IGNORECASE
)
_OWN = re.compile(
    r"#[ \t]*devlint[ \t]*:[ \t]*ignore(?P<file>-file)?(?![\w-])(?:[ \t]*\[(?P<codes>[^\]]*)\])?", re.IGNORECASE
)
_HINT = re.compile(r"noqa|devlint[ \t]*:", re.IGNORECASE)
_OURS = "DEV"
_NO_REASON = " \t\f-–—:;,."


@dataclass
class _Directive:
    """One suppression in a comment."""

    span: Span
    """From its ``#`` to the next ``#`` or the end of the comment."""
    codes: tuple[tuple[str, Span], ...]
    """Empty where it covers every code."""
    rows: Optional[range]
    """None for the whole file."""
    own: bool
    """Whether it is devlint's own, so that it is ours to judge even without a code."""
    reason: str
    used: set[str] = field(default_factory=set)

    def covers(self, code: str) -> bool:
        """Whether it switches ``code`` off."""
        return not self.codes or any(code.startswith(prefix) for prefix, _ in self.codes)

    def concerns_us(self) -> bool:
        """Whether it may switch off any rule of devlint."""
        return not self.codes or any(code.startswith(_OURS) for code, _ in self.codes)


@dataclass(frozen=True)
class Unused:
    """A suppression, or some codes of one, that suppressed nothing, and the edit that removes it."""

    codes: tuple[str, ...]
    """Empty for ``# devlint: ignore`` without codes."""
    span: Span
    edit: Edit


class Suppressions:
    """All suppressions of one file; remembers which of them were needed."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._directives = _find(source)

    @classmethod
    def of(cls, text: str) -> Suppressions:
        """The suppressions in ``text``."""
        return cls(Source.from_text("", text))

    def __bool__(self) -> bool:
        return bool(self._directives)

    def suppresses(self, code: str, first_row: int, last_row: int) -> bool:
        """Whether a finding of ``code`` on these rows is suppressed; every comment that covers it counts as used."""
        found = False
        for directive in self._directives:
            rows = directive.rows
            if directive.covers(code) and (rows is None or (rows.start <= last_row and first_row < rows.stop)):
                directive.used.add(code)
                found = True
        return found

    def rows(self, code: str) -> set[int]:
        """The rows that no fix of ``code`` may touch."""
        found: set[int] = set()
        for directive in self._directives:
            if directive.covers(code):
                found.update(range(1, self._source.row_count + 1) if directive.rows is None else directive.rows)
        return found

    def unused(self, enabled: Iterable[str], known: Optional[Iterable[str]] = None) -> list[Unused]:
        """Suppressions that were of no use, once ``suppresses`` was asked about every finding.

        A code is judged where a rule it names is in ``enabled`` or none is in ``known`` (all codes there are);
        ``# devlint: ignore`` without codes only where all of ``known`` is enabled.
        """
        judged = frozenset(enabled)
        everything = judged if known is None else frozenset(known)
        found = []
        for one in self._directives:
            stale = tuple(code for code, _ in one.codes if _is_stale(code, one.used, judged, everything))
            if stale or (one.own and not one.codes and not one.used and everything <= judged):
                found.append(Unused(stale, one.span, _removal(self._source, one, stale)))
        return found

    def without_reason(self) -> list[Span]:
        """Suppressions of devlint's rules with no text after them that says why."""
        return [one.span for one in self._directives if (one.codes or one.own) and not one.reason.strip(_NO_REASON)]


def _find(source: Source) -> list[_Directive]:
    """The suppressions that may concern devlint; tokens are asked for only where a line looks like one."""
    if not _HINT.search(source.text):
        return []
    likely = [one for one in _directives(lines_like_comments(source, _HINT)) if one.concerns_us()]
    if not likely:
        return []
    try:
        return [one for one in _directives(comments(source)) if one.concerns_us()]
    except ValueError:
        return likely


def _directives(found: Iterable[Comment]) -> Iterator[_Directive]:
    """The suppressions in comments."""
    for comment in found:
        for pattern in (_NOQA, _OWN):
            for match in pattern.finditer(comment.text):
                codes = _codes(comment.start + match.start("codes"), match["codes"] or "")
                if match["codes"] is not None and not codes:
                    continue
                following = comment.text.find("#", match.end())
                end = len(comment.text) if following < 0 else following
                span = Span(comment.start + match.start(), comment.start + end)
                rows = None if match["file"] else comment.rows
                yield _Directive(span, codes, rows, pattern is _OWN, comment.text[match.end() : end])


def _codes(start: int, text: str) -> tuple[tuple[str, Span], ...]:
    """The codes in ``text``, with their places when it begins at ``start``."""
    return tuple(
        (code.group().upper(), Span(start + code.start(), start + code.end())) for code in _CODE.finditer(text)
    )


def _is_stale(code: str, used: set[str], enabled: frozenset[str], known: frozenset[str]) -> bool:
    """Whether a code of ours in a comment was not needed, as far as this run can tell."""
    if not code.startswith(_OURS) or any(one.startswith(code) for one in used):
        return False
    return any(one.startswith(code) for one in enabled) or not any(one.startswith(code) for one in known)


def _removal(source: Source, directive: _Directive, stale: Sequence[str]) -> Edit:
    """The edit that removes the stale codes of a suppression, or all of it where none is left."""
    kept = [source.text[span.start : span.end] for code, span in directive.codes if code not in stale]
    if kept:
        first, second, last = directive.codes[0][1], directive.codes[1][1], directive.codes[-1][1]
        separator = source.text[first.end : second.start]
        return Edit(Span(first.start, last.end), separator.join(kept))
    span = directive.span
    row = source.location(span.start).row
    if source.text[span.end : span.end + 1] == "#":
        return Edit(span, "")
    line_start = source.offset(Location(row, 1))
    before = source.text[line_start : span.start].rstrip(" \t\f")
    if before:
        return Edit(Span(line_start + len(before), span.end), "")
    last_row = row == source.row_count
    return Edit(Span(line_start, span.end if last_row else source.offset(Location(row + 1, 1))), "")
