"""What was measured, as tables of Markdown, and the page of the documentation that shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.corpus_packages import ROOT
from benchmarks.speed_figures import FIGURES, Verdict, seconds
from benchmarks.speed_tools import NOTES

PAGE = ROOT / "docs" / "speed.md"
RESULTS = Path(__file__).parent / "results" / "speed.json"
BEGIN, END = "<!-- measured: written by `make speed` -->\n", "<!-- end of what was measured -->\n"
TITLES = {
    "cold": "C, cold",
    "warm": "C, warm",
    "files": "Single files",
    "growth": "Copies of C",
    "rules": "Rules",
}


def report(record: Mapping[str, Any]) -> str:
    """All tables of a run."""
    results = record["results"]
    parts = [_machine(record), _goals([figure.verdict(results) for figure in FIGURES]), *_contests(results)]
    return "\n\n".join(part for part in parts if part) + "\n"


def with_report(page: str, record: Mapping[str, Any]) -> str:
    """The page with the tables of a run in place of those it has."""
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{report(record)}\n{END}{after}"


def _machine(record: Mapping[str, Any]) -> str:
    """When and on what."""
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    sizes = ", ".join(
        f"{name}: {count:,} files, {size / 1e6:.1f} MB" for name, (count, size) in record["sizes"].items()
    )
    cores = record["cores"]
    # Written by hand where what is kept was not all measured in one run.
    remark = f" {record['remark']}" if "remark" in record else ""
    return (
        f"{record['date']}, Python {record['python']}, {cores} core{'' if cores == 1 else 's'}. {versions}. {sizes}. "
        f"Medians of at most {record['repeats']} runs, of {record['heavy_repeats']} of those that take minutes.{remark}"
    )


def _goals(verdicts: Iterable[Verdict]) -> str:
    words = {True: "yes", False: "**no**", None: "–"}
    rows = [(one.what, one.goal, one.shown, words[one.is_met], one.measured) for one in verdicts]
    return _table(("figure", "goal", "reached", "met", "measured"), rows)


def _contests(results: Mapping[str, Any]) -> Iterator[str]:
    """What every command took."""
    if "sample" in results or "heavy" in results:
        yield f"The field on S, in seconds of processor time:\n\n{_field(results)}"
    for name, title in TITLES.items():
        if name in results and name != "rules":
            yield f"{title}:\n\n{_costs(results[name])}"


def _field(results: Mapping[str, Any]) -> str:
    """Everything that ran over S, the fastest first, as multiples of devlint beside it."""
    rows = []
    for contest in ("sample", "heavy"):
        measured = results.get(contest, {})
        own = measured.get("devlint", {}).get("cpu")
        for name, cost in measured.items():
            if name != "devlint" or contest == "sample" or "sample" not in results:
                ratio = f"{_ratio(cost['cpu'] / own)} ×" if own and "cpu" in cost else ""
                rows.append(
                    (cost.get("cpu", float("inf")), (name, *_cells(cost), ratio, NOTES.get(name.partition(",")[0], "")))
                )
    rows.sort(key=lambda row: row[0])
    return _table(("tool", "CPU", "wall", "memory", "of devlint's CPU", "what was run"), [row for _, row in rows])


def _costs(contest: Mapping[str, Any]) -> str:
    rows = [(name, *_cells(cost), str(cost.get("runs", ""))) for name, cost in contest.items()]
    return _table(("command", "CPU", "wall", "memory", "runs"), rows)


def _cells(cost: Mapping[str, Any]) -> tuple[str, str, str]:
    if "missing" in cost:
        return str(cost["missing"]), "", ""
    return seconds(cost["cpu"]), seconds(cost["wall"]), f"{cost['memory']:.0f} MB"


def _ratio(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
