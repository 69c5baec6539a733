"""The findings of a report as the renderers take them; those of a notebook by cell, or by row of the file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from devlint.cli.output.findings import FileFindings
from devlint.engine.report import FileReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from devlint.cli.output.findings import Change
    from devlint.core.diagnostic import Fix
    from devlint.sources.source import Source


def file_findings(report: FileReport, knows_cells: bool) -> Iterator[FileFindings]:
    """The findings of a report: of a notebook by cell or, where a format has no cells, by row of the file."""
    source = report.source
    unsafe, changes = report.unsafe_fixes, None if source is None else _changes_in(source)
    if source is None or all(one.location.cell is None for one in report.diagnostics):
        line, location = (source.line, source.location) if source else (None, None)
        yield FileFindings(report.path, report.diagnostics, report.failures, line, location, unsafe, changes)
    elif knows_cells:
        if report.failures:
            yield FileFindings(report.path, (), report.failures)
        for _, group in groupby(report.diagnostics, key=lambda one: one.location.cell):
            found = tuple(group)
            lines = source.lines_of(found[0].location)
            yield FileFindings(report.path, found, (), lines, source.place, unsafe, changes)
    else:
        moved = tuple(
            one.replace(
                message=f"{one.location}: {one.message}",
                location=source.in_file(one.location),
                end_location=source.in_file(one.end_location),
                fix=None,
            )
            for one in report.diagnostics
        )
        yield FileFindings(report.path, moved, report.failures, None, None, report.unsafe_fixes)


def _changes_in(source: Source) -> Callable[[Fix], Iterable[Change]]:
    """What a fix changes in a text, worked out where that is shown."""

    def changes(fix: Fix) -> Iterable[Change]:
        from devlint.cli.fix_changes import changes_in

        return changes_in(source, fix)

    return changes
