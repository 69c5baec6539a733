"""Does devlint do more work than it did? For CI: no seconds, but lines of Python that run, which are always the same.

    python -m benchmarks.speed_check             against results/work.json; exit code 1 if a figure grew by 15 %
    python -m benchmarks.speed_check --cpu       also processor time, as a multiple of that of a fixed program
    python -m benchmarks.speed_check --update    what is measured now is the baseline

A figure that grew for a good reason is accepted with --update, in the commit that made it grow. Lines differ between
versions of Python and between platforms, so each pair that is to be checked has a baseline of its own.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.speed_measure import SpeedError
from benchmarks.speed_yard import Yard

BASELINE = Path(__file__).parent / "results" / "work.json"
PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]} on {sys.platform}"
"""What a baseline holds for."""
PERCENT = 15
"""What a figure may grow by."""
LIBRARIES = ("click", "libcst", "pathspec")
"""Their lines are counted too, so they are compared only if the versions are those of the baseline."""
TIME = "processor time"
TRIES = 3
"""Processor time is too much only if it is each time, for a busy machine is no regression."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and compare with the baseline or become it."""
    options = _parser().parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="devlint-work-") as folder:
            return _check(Yard(Path(folder).resolve()), options)
    except SpeedError as error:
        print(f"speed-check: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--cpu", action="store_true", help="also processor time, as a multiple of that of a fixed program")
    add("--update", action="store_true", help="make what is measured now the baseline")
    add("--baseline", type=Path, default=BASELINE, metavar="FILE", help="default: benchmarks/results/work.json")
    return parser


def _check(yard: Yard, options: argparse.Namespace) -> int:
    known = json.loads(options.baseline.read_text(encoding="utf-8")) if options.baseline.is_file() else {}
    now = measured(yard, options.cpu or options.update)
    then = known.get(PYTHON, {**now, "counts": {}})
    if options.update:
        options.baseline.parent.mkdir(exist_ok=True)
        text = json.dumps({**known, PYTHON: now}, indent=1, sort_keys=True) + "\n"
        options.baseline.write_text(text, encoding="utf-8")
    elif PYTHON not in known:
        print(f"speed-check: no baseline for Python {PYTHON}, only for {', '.join(sorted(known))}: nothing is compared")
        return 0
    bad, good = compare(now, then)
    for _ in range(TRIES - 1):
        if not options.update and any(line.startswith(TIME) for line in bad):
            now["counts"][TIME] = yard.cpu()
            bad, good = compare(now, then)
    for line in good:
        print(line)
    for line in bad:
        print(f"GREW {line}")
    if bad and not options.update:
        print("If that is for a good reason: `make speed-baseline`, in the commit that made it grow.")
    return int(bool(bad) and not options.update)


def measured(yard: Yard, with_cpu: bool) -> dict[str, Any]:
    """All figures of today, and what they depend on."""
    counts = {name: yard.count(arguments) for name, arguments in yard.scenes()}
    if with_cpu:
        counts[TIME] = yard.cpu()
    return {"libraries": {name: importlib.metadata.version(name) for name in LIBRARIES}, "counts": counts}


def compare(now: Mapping[str, Any], then: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """What grew too much, and what else there is to say."""
    bad: list[str] = []
    good: list[str] = []
    is_alike = now["libraries"] == then["libraries"]
    if not is_alike:
        changes = (f"{name} {then['libraries'].get(name)} → {version}" for name, version in now["libraries"].items())
        good.append(f"lines of libraries are not compared: {', '.join(changes)}")
    for scene, counts in now["counts"].items():
        for part, value in counts.items():
            old = then["counts"].get(scene, {}).get(part)
            if old is None:
                good.append(f"{scene}, {part}: {value:,}, not in the baseline yet")
            elif is_alike or part != "libraries":
                change = f" ({100 * (value / old - 1):+.0f} %)" if old else ""
                (bad if 100 * (value - old) > PERCENT * old else good).append(
                    f"{scene}, {part}: {old:,} → {value:,}{change}"
                )
    lost = [scene for scene in then["counts"] if scene not in now["counts"] and scene != TIME]
    return bad + [f"{scene}: no longer measured" for scene in lost], good


if __name__ == "__main__":
    raise SystemExit(main())
