"""Run devlint over real notebooks and show that none is broken.

    python benchmarks/notebooks.py --dir FOLDER [--dir FOLDER …] [--show 30]

Looks at every .ipynb below each folder and writes nothing. A notebook is broken if its fixed text is no JSON, if
anything but the sources of code cells differs (and, outside of these, a single byte), if a line that is no Python
changed or went to another cell, if a cell that parsed no longer does, or if fixing it again changes it again. The exit
code is 1 if one is broken or devlint crashed, 2 if nothing was found, for then nothing was shown.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from devlint.cli.output import diff
from devlint.cli.output.style import Style
from devlint.config.finder import ConfigFinder
from devlint.engine.report import FileReport, Mode
from devlint.engine.runner import Runner
from devlint.syntax.notebooks.cells import open_notebook
from devlint.syntax.notebooks.magics import magics
from devlint.syntax.notebooks.notebook_file import Notebook


@dataclass
class Totals:
    """What a run met."""

    counts: Counter[str] = field(default_factory=Counter)
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    diffs: list[str] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, look at all notebooks, print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", action="append", required=True, type=Path, metavar="FOLDER")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print the changes of the first N notebooks")
    parser.add_argument("--unsafe-fixes", action="store_true", help="apply the unsafe fixes, too")
    options = parser.parse_args(arguments)
    finder = ConfigFinder({"unsafe-fixes": options.unsafe_fixes}, isolated=True)
    start = time.perf_counter()
    totals = Totals()
    for path in sorted(found for folder in options.dir for found in folder.rglob("*.ipynb") if found.is_file()):
        _look_at(path, finder, totals)
    for name, number in totals.counts.items():
        print(f"{number:7} {name}")
    for code in sorted(totals.before | totals.after):
        print(f"{code} {totals.before[code]:7} found {totals.after[code]:7} left after the fixes")
    for text in totals.diffs[: options.show]:
        print(text)
    for title, lines in [("failures", totals.failures), ("BROKEN", totals.broken)]:
        print(f"{title}: {len(lines)}", *lines, sep="\n  ")
    print(f"{time.perf_counter() - start:.1f} s in all")
    if totals.broken or any("internal error" in line for line in totals.failures):
        return 1
    return 0 if totals.before else 2


def _look_at(path: Path, finder: ConfigFinder, totals: Totals) -> None:
    """Check and fix one notebook, in memory."""
    data = path.read_bytes()
    totals.counts["notebooks"] += 1
    found = Runner(finder).text(str(path), data)
    fixed = Runner(finder, Mode.DIFF).text(str(path), data)
    totals.before.update(one.code for one in found.diagnostics)
    totals.after.update(one.code for one in fixed.diagnostics)
    totals.counts["notebooks with findings"] += bool(found.diagnostics)
    totals.counts["notebooks that cannot be read"] += any(one.location.cell is None for one in found.diagnostics)
    totals.counts["cells skipped"] += sum(
        one.code == "DEV001" and one.location.cell is not None for one in found.diagnostics
    )
    totals.failures += [f"{path}: {one.message}" for one in (*found.failures, *fixed.failures)]
    if not fixed.changed or fixed.source is None:
        return
    totals.counts["notebooks fixed"] += 1
    totals.counts["fixes"] += sum(fixed.fixed.values())
    totals.counts["cells changed"] += sum(before != after for _, before, after in fixed.parts())
    totals.broken += [f"{path}: {complaint}" for complaint in _complaints(path, data, fixed, finder)]
    totals.diffs.append("".join(diff.render(*part, Style()) for part in fixed.parts()))


def _complaints(path: Path, data: bytes, fixed: FileReport, finder: ConfigFinder) -> Iterator[str]:
    """What is wrong with a fixed notebook."""
    assert fixed.source is not None
    after = fixed.source.to_bytes(fixed.after_text)
    try:
        old, new = json.loads(data), json.loads(after)
    except ValueError as error:
        yield f"is no JSON: {error}"
        return
    if json.dumps(_without_sources(old)) != json.dumps(_without_sources(new)):
        yield "more than sources of code cells changed"
    first, second = Notebook.parse(data.decode("utf-8-sig")), Notebook.parse(after.decode("utf-8-sig"))
    if _around(first) != _around(second) or data[:3] != after[:3]:
        yield "bytes outside of the sources changed"
    for one, two in zip(first.cells, second.cells):
        if _commands(one.source) != _commands(two.source):
            yield f"cell {one.number}: a line that is no Python changed"
    before, now = open_notebook(str(path), data), open_notebook(str(path), after)
    if before is None or now is None or set(now.complaints) - set(before.complaints):
        yield "a cell that parsed no longer does"
    again = Runner(finder, Mode.DIFF).text(str(path), after)
    if again.changed:
        yield "fixed again, it changes again"


def _without_sources(notebook: Any) -> Any:
    """The notebook with the kind, not the text, of the sources of its code cells."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = type(cell["source"]).__name__
    return notebook


def _around(notebook: Notebook) -> list[str]:
    """The text between the sources of code cells."""
    ends = [0, *(cell.span.end for cell in notebook.cells)]
    starts = [*(cell.span.start for cell in notebook.cells), len(notebook.raw)]
    return [notebook.raw[end:start] for end, start in zip(ends, starts)]


def _commands(source: str) -> list[str]:
    """The commands to IPython in a cell."""
    return [source[one.start : one.end] for one in magics(source)]


if __name__ == "__main__":
    raise SystemExit(main())
