"""What one fix changes in a file, piece by piece: only the rows that it touches, so that many fixes cost no more."""

from __future__ import annotations

from devlint.cli.output.diff import AROUND
from devlint.cli.output.findings import Change
from devlint.core.diagnostic import Edit, Location, Span
from devlint.engine.fixpoint import splice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.core.diagnostic import Fix
    from devlint.sources.source import Source


def changes_in(source: Source, fix: Fix) -> Iterator[Change]:
    """What a fix changes in a text."""
    return _in_cells(source, fix) if source.has_parts else _in_rows(source, fix)


def _in_cells(source: Source, fix: Fix) -> Iterator[Change]:
    """The cells of a notebook that change."""
    for (name, before), (_, after) in zip(source.parts(source.text), source.parts(splice(source.text, fix.edits))):
        if before != after:
            yield Change(name, 1, 1, before, after)


def _in_rows(source: Source, fix: Fix) -> Iterator[Change]:
    """The rows that change, with those around them."""
    added = 0
    for group in _neighbours(source, fix):
        first = max(source.location(group[0].span.start).row - AROUND, 1)
        last = min(source.location(group[-1].span.end).row + AROUND, source.row_count)
        start = source.offset(Location(first, 1))
        end = source.offset(Location(last + 1, 1)) if last < source.row_count else len(source.text)
        before = source.text[start:end]
        moved = (Edit(Span(one.span.start - start, one.span.end - start), one.text) for one in group)
        after = splice(before, moved)
        yield Change("", first, first + added, before, after)
        added += len(after.splitlines()) - len(before.splitlines())


def _neighbours(source: Source, fix: Fix) -> Iterator[list[Edit]]:
    """The edits of a fix in groups whose rows, with those around them, do not touch."""
    group: list[Edit] = []
    for edit in sorted(fix.edits):
        row = source.location(edit.span.start).row
        if group and row - source.location(group[-1].span.end).row > 2 * AROUND:
            yield group
            group = []
        group.append(edit)
    if group:
        yield group
