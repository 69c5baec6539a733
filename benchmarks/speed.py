"""How fast devlint is, and how fast its peers are, over the same files in the same run.

    python benchmarks/speed.py                  everything, in half an hour; writes results/speed.json, docs/speed.md
    python benchmarks/speed.py --only ruff      beside Ruff alone, in minutes
    python benchmarks/speed.py --only files     devlint alone on single files
    python benchmarks/speed.py --show           the tables of what was kept last

The exit code is 1 if a figure that was measured does not reach its goal, 2 if nothing could be measured.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import speed_files
from benchmarks.corpus_packages import CorpusError
from benchmarks.speed_contests import CONTESTS, PARTS, hold, wanted
from benchmarks.speed_figures import FIGURES
from benchmarks.speed_ground import Ground
from benchmarks.speed_measure import SpeedError
from benchmarks.speed_table import PAGE, RESULTS, report, with_report
from benchmarks.speed_tools import PEERS, install_devlint, peer

NAMES = (*PEERS, *PARTS)
REPORTED = {"ruff": "ruff", "ast-grep": "ast-grep-cli", "torchfix": "torchfix", "fixit": "fixit", "flake8": "flake8"}
"""The distribution that a peer is, whose version is kept."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and keep them if all was measured."""
    options = _parser().parse_args(arguments)
    if options.show:
        record = json.loads(RESULTS.read_text(encoding="utf-8"))
        print(report(record), end="")
        _write_page(record)
        return 0
    names = frozenset(options.only or NAMES)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that nothing goes on running, and nothing stays
    try:
        record = run(names, options)
    except (CorpusError, SpeedError) as error:
        print(f"speed: {error}", file=sys.stderr)
        return 2
    print(report(record), end="")
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    elif options.keep or (names == frozenset(NAMES) and set(record["results"]) == set(CONTESTS)):
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(text, encoding="utf-8")
        _write_page(record)
    met = [figure.verdict(record["results"]).is_met for figure in FIGURES]
    return 1 if False in met else 0 if True in met else 2


def run(names: frozenset[str], options: argparse.Namespace) -> dict[str, Any]:
    """Install what is wanted, hold the contests, and tell all that belongs to them."""
    _say("installing")
    devlint, environment = install_devlint()
    peers = {name: peer(name) for name in PEERS if name in names}
    versions = {name: environment.versions()[name] for name in ("devlint", "libcst")}
    versions.update({name: tool.versions()[REPORTED[name]] for name, tool in peers.items()})
    with tempfile.TemporaryDirectory(prefix="devlint-speed-") as temporary:
        folder, python = Path(temporary).resolve(), environment.program("python")
        repeats = options.repeats, options.heavy_repeats
        ground = Ground(folder, devlint, python, peers, *repeats, options.two_processes)
        sizes = {name: speed_files.size(Path(ground.path(name))) for name in ("C", "S")}
        results = hold(ground, wanted(names), _say)
    return {
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "repeats": options.repeats,
        "heavy_repeats": options.heavy_repeats,
        "versions": versions,
        "sizes": sizes,
        "results": results,
    }


def _write_page(record: Mapping[str, Any]) -> None:
    PAGE.write_text(with_report(PAGE.read_text(encoding="utf-8"), record), encoding="utf-8")


def _say(what: str) -> None:
    print(f"{datetime.datetime.now():%H:%M:%S} {what}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--only", nargs="+", choices=NAMES, metavar="NAME", help=f"of {', '.join(NAMES)}; default: all")
    add("--repeats", type=int, default=5, metavar="N", help="runs of each command (default: 5)")
    add("--heavy-repeats", type=int, default=1, metavar="N", help="runs of those that take minutes (default: 1)")
    add("--two-processes", action="store_true", help="those that take minutes also with two processes")
    add("--output", type=Path, metavar="FILE", help="keep what was measured in FILE instead")
    add("--keep", action="store_true", help="keep what was measured though it is not everything")
    add("--show", action="store_true", help="measure nothing: print what was kept last, and put it on the page")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
