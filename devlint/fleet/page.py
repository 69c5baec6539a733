"""The overview of a run as one page, in the style of `devlint report`."""

from __future__ import annotations

from devlint.fleet.overview import AuditedRepository, Overview
from devlint.report.pages import rendered_page
from devlint.report.tally import Portability
from devlint.report.treemap import TreeNode, tiles

WIDTH, HEIGHT = 1140, 420
"""Of the treemap."""
_MOST_ROWS = 1_000
"""Repositories in the ranking; the tables have all."""
_MATRIX_ROWS = 60
"""Repositories in the table of rules."""
_TILES = 600


def overview_page(found: Overview, title: str, since: str) -> str:
    """The page; ``since`` is what the earlier run is called, empty without one."""
    shown = [one for one in found.repositories if one.portability is not Portability.NO_TORCH]
    matrix = [one for one in found.repositories[:_MATRIX_ROWS] if one.rules]
    codes = sorted({code for one in matrix for code in one.rules})
    most = max((count for one in matrix for count in one.rules.values()), default=1)
    changed = [one for one in found.repositories if one.new or one.gone]
    values = {
        "found": found,
        "title": title,
        "since": since,
        "tally": found.tally,
        "kinds": _kinds(found),
        "tiles": tiles(TreeNode("", 0, "", children=tuple(map(_node, shown[:_TILES]))), WIDTH, HEIGHT),
        "width": WIDTH,
        "height": HEIGHT,
        "ranking": found.repositories[:_MOST_ROWS],
        "matrix": matrix,
        "codes": codes,
        "shade": lambda count: round(15 + 75 * (count / most) ** 0.5) if count else 0,
        "changed": sorted(changed, key=lambda one: (-one.new, -one.gone, one.name))[:_MOST_ROWS],
    }
    return rendered_page("fleet.html", values, package="devlint.fleet", script="fleet.js")


def _kinds(found: Overview) -> dict[Portability, int]:
    """How many repositories there are of each kind."""
    counts = dict.fromkeys(Portability, 0)
    for one in found.repositories:
        counts[one.portability] += 1
    return counts


def _node(one: AuditedRepository) -> TreeNode:
    """A repository on the map, as large as it has files with code for devices."""
    files = sum(count for kind, count in one.tally.files.items() if kind.counts)
    findings = one.tally.finding_count
    label = f"{one.name}: {one.portability.label.lower()}, {findings:,} findings in {files:,} files with device code"
    return TreeNode(one.name, files, one.portability.value, one.name, label)
