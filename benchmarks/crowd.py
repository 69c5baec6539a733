"""Fix real programs in all ways that devlint has, and show that none is made worse: `make crowd`.

    python -m benchmarks.crowd                      the pinned packages (corpus_packages.txt, crowd_packages.txt)
    python -m benchmarks.crowd FOLDER ...           also every folder in each FOLDER
    python -m benchmarks.crowd --ways safe FOLDER   in one way
    python -m benchmarks.crowd --record             make these findings and fixes the ones that later runs compare with

Each project is checked, fixed, checked and fixed again with safe fixes, with all fixes, and for the other two targets;
corpus_checks.py judges every file. What a rule found and fixed is compared with the last recorded run over each.
The exit code is 1 if a file was made worse or devlint crashed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchmarks.corpus_packages import MORE, REQUIREMENTS, CorpusError, pinned, projects
from benchmarks.corpus_run import Job, Report, run_ways

RECORD = Path(__file__).parent / "results" / "crowd.json"
WAYS = {
    "safe": (),
    "unsafe": ("--unsafe-fixes",),
    # A project that runs on older versions of torch as well says so, and would be refused.
    "accelerator": ("--unsafe-fixes", "--target", "accelerator", "--torch-min-version", "2.6"),
    "project": (
        *("--unsafe-fixes", "--target", "project", "--device", "crowd_device()"),
        *("--device-import", "from crowd.devices import crowd_device"),
    ),
}
Counts = dict[str, list[int]]
"""By rule, how many findings there are and how many are fixed."""
Record = dict[str, dict[str, Counts]]
"""By way and project."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, run all ways over each project, print what is wrong and what has changed."""
    options = _parser().parse_args(arguments)
    try:
        found = list(_projects(options.folders, options.packages))
    except CorpusError as error:
        print(f"crowd: {error}", file=sys.stderr)
        return 2
    record: Record = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    before = {way: dict(record.get(way, {})) for way in options.ways}
    totals = {way: Report() for way in options.ways}
    here: Record = {way: {} for way in options.ways}
    jobs = [[Job(name, folder, options.devlint, (), WAYS[way]) for way in options.ways] for name, folder in found]
    start = time.perf_counter()
    with multiprocessing.Pool(options.jobs, maxtasksperchild=1) as pool:
        for (job, *_), reports in pool.imap_unordered(_run, jobs):
            for way, report in zip(options.ways, reports):
                totals[way].add(report)
                here[way][job.name] = _counts(report)
                for line in (*report.crashes, *report.worse):
                    print(f"  {way}: {line}", flush=True)
            if options.record:
                for way in options.ways:
                    record.setdefault(way, {}).update(here[way])
                RECORD.write_text(_written(record), "utf-8")
    for way, report in totals.items():
        print(_line(way, report))
        for line in changes(before[way], here[way]):
            print(f"  {line}")
    print(f"{time.perf_counter() - start:.0f} s")
    return 1 if any(report.crashes or report.worse for report in totals.values()) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="also every folder in FOLDER")
    parser.add_argument("--packages", nargs="*", metavar="NAME", help="of the pinned packages; default: all")
    parser.add_argument("--ways", nargs="+", choices=tuple(WAYS), default=tuple(WAYS))
    parser.add_argument("--jobs", type=int, default=2, help="projects at a time (default: 2)")
    parser.add_argument("--record", action="store_true", help="keep the counts for later runs to compare with")
    parser.add_argument("--devlint", default=shlex.join([sys.executable, "-m", "devlint"]), metavar="COMMAND")
    return parser


def _projects(folders: Sequence[Path], packages: Sequence[str] | None) -> Iterator[tuple[str, Path]]:
    lists = (REQUIREMENTS, MORE)
    yield from projects(pinned(*lists) if packages is None else packages, *lists)
    for folder in folders:
        if not folder.is_dir():
            raise CorpusError(f"no folder {folder}")
        yield from ((child.name, child) for child in sorted(folder.iterdir()) if child.is_dir())


def _run(jobs: list[Job]) -> tuple[list[Job], list[Report]]:
    return jobs, run_ways(jobs)


def _line(way: str, report: Report) -> str:
    before, after = sum(report.before.values()), sum(report.after.values())
    return (
        f"{way}: {report.files:,} files, {report.notebooks:,} of them notebooks; {before:,} findings, "
        f"{before - after:,} fixed in {report.changed:,} files; {len(report.crashes) + len(report.worse)} offenders, "
        f"{len(report.failures)} refused; check {report.check_seconds:.0f} s, fix {report.fix_seconds:.0f} s, "
        f"{report.kilobytes >> 10} MB"
    )


def _counts(report: Report) -> Counts:
    codes = sorted(report.before | report.after)
    return {code: [report.before[code], report.before[code] - report.after[code]] for code in codes}


def changes(record: dict[str, Counts], here: dict[str, Counts]) -> Iterator[str]:
    """What each rule finds and fixes more or less than in the recorded runs over the same projects."""
    known = sorted(record.keys() & here.keys())
    if new := len(here) - len(known):
        yield f"no run over {new:,} of these projects is recorded"
    old, now = _sums(record[name] for name in known), _sums(here[name] for name in known)
    for code in sorted({**old, **now}):
        (found, fixed), (found_now, fixed_now) = old.get(code, (0, 0)), now.get(code, (0, 0))
        if (found, fixed) != (found_now, fixed_now):
            yield f"{code}: {found:,} findings became {found_now:,}, {fixed:,} fixed became {fixed_now:,}"
    for name in known:
        if record[name] != here[name]:
            yield f"changed in {name}"


def _sums(counts: Iterable[Counts]) -> Counts:
    sums: Counts = {}
    for code, (found, fixed) in (item for one in counts for item in one.items()):
        before = sums.get(code, [0, 0])
        sums[code] = [before[0] + found, before[1] + fixed]
    return sums


def _written(record: Record) -> str:
    """As JSON, with each project in a line of its own."""
    ways = []
    for way, found in record.items():
        lines = [f"  {json.dumps(name)}: {json.dumps(counts)}" for name, counts in sorted(found.items())]
        ways.append(f" {json.dumps(way)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(ways) + "\n}\n"


if __name__ == "__main__":
    raise SystemExit(main())
