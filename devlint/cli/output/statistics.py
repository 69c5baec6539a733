"""Counts of findings by rule, most frequent first."""

from __future__ import annotations

from collections.abc import Mapping

from devlint.cli.output.style import Style


def rows(found: Mapping[str, int], fixable: Mapping[str, int], names: Mapping[str, str]) -> list[dict[str, object]]:
    """One object a rule: code, name, count, and how many of them ``devlint fix`` would fix."""
    ordered = sorted(found, key=lambda code: (-found[code], code))
    return [
        {"code": code, "name": names.get(code, ""), "count": found[code], "fixable": fixable.get(code, 0)}
        for code in ordered
    ]


def render(rows: list[dict[str, object]], style: Style) -> str:
    """The table, ending in a newline unless it is empty; a star where all are fixable, a dash where some are."""
    width = max((len(str(row["count"])) for row in rows), default=0)
    lines = []
    for row in rows:
        mark = "*" if row["fixable"] == row["count"] else "-" if row["fixable"] else " "
        count = style(str(row["count"]).rjust(width), "bold")
        lines.append(f"{count}  {style(str(row['code']), 'bold', 'red')}  [{style(mark, 'cyan')}]  {row['name']}\n")
    return "".join(lines)
