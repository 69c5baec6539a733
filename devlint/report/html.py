"""The report as one page: whatever of it has thousands of rows is data, of which the page shows what is asked for."""

from __future__ import annotations

from devlint.report.estimate import time_range
from devlint.report.folders import tree_of, worst_first
from devlint.report.pages import rendered_page
from devlint.report.tally import Portability, Remedy
from devlint.report.treemap import tiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from devlint.report.model import MigrationReport, ReportedFile, ReportedFinding, RowPair, SourceRow

WIDTH, HEIGHT = 1140, 460
"""Of the treemap."""
_MOST_FILES = 40
"""Files in the table of those that need most work."""
_MOST_PLACES = 500
"""Rows in a table of the page."""


def render(report: MigrationReport) -> str:
    """The page."""
    tally = report.tally
    values = {
        "report": report,
        "tally": tally,
        "tiles": tiles(tree_of(report.files), WIDTH, HEIGHT),
        "width": WIDTH,
        "height": HEIGHT,
        "hardest": _hardest(report.files),
        "needs_work": sum(_needs_work(one) for one in report.files),
        "blockers": report.blockers[:_MOST_PLACES],
        "names": {one.path: one.name for one in report.files},
        "problems": report.not_analyzed[:_MOST_PLACES],
        "by_hand": tally.share(Portability.HAND, Portability.BLOCKED, Portability.UNKNOWN),
        "duration": time_range(sum(one.total_low for one in report.work), sum(one.total_high for one in report.work)),
        "time_range": time_range,
        "remedies": list(Remedy),
        "data": page_data(report),
    }
    return rendered_page("report.html", values)


def _needs_work(file: ReportedFile) -> bool:
    return file.portability not in (Portability.PORTABLE, Portability.NO_TORCH)


def _hardest(files: Sequence[ReportedFile]) -> list[ReportedFile]:
    """The files that need most work."""
    found = [one for one in files if _needs_work(one)]
    found.sort(key=lambda one: (worst_first(one.portability), -len(one.findings), one.name))
    return found[:_MOST_FILES]


def page_data(report: MigrationReport) -> dict[str, Any]:
    """What the page's script is given: findings as lists, whose strings that repeat are in tables."""
    paths = {one.path: number for number, one in enumerate(report.files)}
    rules = {one.code: number for number, one in enumerate(report.rules)}
    texts: dict[str, int] = {}
    remedies = list(Remedy)

    def index(text: str) -> int:
        return texts.setdefault(text, len(texts))

    found = [
        [
            rules[one.code],
            paths[one.path],
            one.place,
            remedies.index(one.remedy),
            index(one.message),
            index(one.fix_message),
            [_row(row) for row in one.excerpt],
            [[_pair(pair) for pair in place] for place in one.diff],
        ]
        for one in _in_order(report)
        if one.code in rules and one.path in paths
    ]
    return {
        "files": [one.name for one in report.files],
        "rules": [[one.code, one.name, one.summary, one.advice, one.address] for one in report.rules],
        "remedies": [[one.value, one.label] for one in remedies],
        "texts": list(texts),
        "findings": found,
    }


def _in_order(report: MigrationReport) -> list[ReportedFinding]:
    """The findings by file and place."""
    return [one for file in report.files for one in file.findings]


def _row(row: SourceRow) -> list[Any]:
    return [row.number, row.text, _flat(row)]


def _pair(pair: RowPair) -> list[Any]:
    """A row that stays as it is: number and text. Else: number, text and marks before, text and marks after."""
    before, after = pair.before, pair.after
    number = before.number if before is not None else 0
    if not pair.is_changed and before is not None:
        return [number, before.text]
    old: list[Any] = [before.text, _flat(before)] if before is not None else [None, []]
    new: list[Any] = [after.text, _flat(after)] if after is not None else [None, []]
    return [number, *old, *new]


def _flat(row: SourceRow) -> list[int]:
    return [at for mark in row.marks for at in mark]
