"""Suppression comments: which findings they cover, which are unused, and which give no reason."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate

from devlint.core.diagnostic import Edit, Location, Span
from devlint.core.record import Record
from devlint.sources.source import Source
from devlint.sources.suppressions.suppression_codes import OURS
from devlint.sources.suppressions.suppression_settings import DEFAULT_SUPPRESSIONS, SuppressionSettings
from devlint.sources.suppressions.suppression_syntax import Directive, find_directives
from devlint.sources.suppressions.unknown_suppressions import unknown_suppressions

_NO_REASON = " \t\f-–—:;,."


class Unused(Record):
    """A suppression, or some codes of one, that suppressed nothing, and the edit that removes it."""

    codes: tuple[str, ...]
    """Empty for ``# devlint: ignore`` without codes."""
    span: Span
    edit: Edit


class Suppressions:
    """All suppressions of one file; remembers which of them were needed."""

    def __init__(
        self,
        source: Source,
        settings: SuppressionSettings = DEFAULT_SUPPRESSIONS,
        found: Sequence[Directive] | None = None,
    ) -> None:
        """``settings`` says which comments count besides devlint's own; ``found`` are the comments if already found."""
        self.source = source
        self._directives = _all_directives(source, settings) if found is None else list(found)
        self.unknown = unknown_suppressions(source, settings.noqa) if found is None else []
        """Comments that are meant as suppressions and suppress nothing."""
        self._forbidden: dict[str, set[int]] = {}
        self._groups: _Groups | None = None

    @classmethod
    def of(cls, text: str, settings: SuppressionSettings = DEFAULT_SUPPRESSIONS) -> Suppressions:
        """The suppressions in ``text``."""
        return cls(Source.from_text("", text), settings)

    @property
    def _covering(self) -> list[Directive]:
        """The suppressions, those of blocks as the parts in which the same codes are off."""
        return [part for one in self._directives for part in (one.parts if one.parts is not None else (one,))]

    def __bool__(self) -> bool:
        return bool(self._directives or self.unknown)

    def suppresses(self, code: str, first_row: int, last_row: int) -> bool:
        """Whether a finding of ``code`` on these rows is suppressed; every comment that covers it counts as used."""
        if self._groups is None:
            self._groups = _Groups(self._covering)
        covered = [group.cover(code) for group in self._groups.on(first_row, last_row)]
        return any(covered)

    def used(self) -> list[Span]:
        """The suppressions that suppressed something, once ``suppresses`` was asked."""
        return [one.span for one in self._directives if one.used]

    def rows(self, code: str) -> set[int]:
        """The rows that no fix of ``code`` may touch; until it is mended, those of an unknown suppression, too."""
        found = self._forbidden.get(code)
        if found is None:
            ranges = {one.rows for one in self._covering if one.covers(code)}
            ranges.update(one.rows for one in self.unknown if one.rows is not None or one.edit is not None)
            rows = (range(1, self.source.row_count + 1) if one is None else one for one in ranges)
            found = self._forbidden[code] = set().union(*rows)
        return found

    def unused(self, enabled: Collection[str], default: Collection[str] = ()) -> list[Unused]:
        """Suppressions that were of no use, once ``suppresses`` was asked about every finding.

        A code is judged where a rule it names is in ``enabled``; ``# devlint: ignore`` without codes only where all of
        ``default`` is; ``# devlint: enable`` wherever it ends nothing.
        """
        found = []
        for one in self._directives:
            stale = tuple(code for code, _ in one.codes if _is_stale(code, one.used, enabled))
            is_judged = one.ends or (one.own and set(default).issubset(enabled))
            whole = is_judged and not one.codes and not one.used
            if stale or whole:
                found.append(Unused(stale, one.span, _removal(self.source, one, stale)))
        return found

    def without_reason(self) -> list[Span]:
        """Suppressions of devlint's rules with no text after them that says why."""
        ours = (one for one in self._directives if (one.codes or one.own or one.theirs) and not one.ends)
        return [one.span for one in ours if not one.reason.strip(_NO_REASON)]


def _all_directives(source: Source, settings: SuppressionSettings) -> list[Directive]:
    """The suppressions of a program, of lines, blocks and the file."""
    from devlint.sources.suppressions.block_suppressions import block_directives

    return [*find_directives(source, settings), *block_directives(source)]


class _Group:
    """The suppressions of the same rows."""

    def __init__(self) -> None:
        self.directives: list[Directive] = []
        self._covered: dict[str, bool] = {}

    def cover(self, code: str) -> bool:
        """Whether one of them covers ``code``; all that do count as used."""
        if code not in self._covered:
            found = [one for one in self.directives if one.covers(code)]
            for one in found:
                one.used.add(code)
            self._covered[code] = bool(found)
        return self._covered[code]


class _Groups:
    """Suppressions by their rows."""

    def __init__(self, directives: Sequence[Directive]) -> None:
        self._everywhere = _Group()
        by_rows: dict[tuple[int, int], _Group] = {}
        for one in directives:
            rows = one.rows
            group = self._everywhere if rows is None else by_rows.setdefault((rows.start, rows.stop), _Group())
            group.directives.append(one)
        self._rows = sorted(by_rows)
        self._groups = [by_rows[one] for one in self._rows]
        self._furthest = list(accumulate((stop for _, stop in self._rows), max))

    def on(self, first: int, last: int) -> Iterator[_Group]:
        """The groups that have a row from ``first`` to ``last``."""
        yield self._everywhere
        at = bisect_right(self._rows, (last + 1, 0)) - 1
        while at >= 0 and self._furthest[at] > first:
            if self._rows[at][1] > first:
                yield self._groups[at]
            at -= 1


def _is_stale(code: str, used: Collection[str], enabled: Collection[str]) -> bool:
    """Whether a code of ours in a comment was not needed, as far as this run can tell."""
    if not code.startswith(OURS) or any(one.startswith(code) for one in used):
        return False
    return any(one.startswith(code) for one in enabled)


def _removal(source: Source, directive: Directive, stale: Sequence[str]) -> Edit:
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
