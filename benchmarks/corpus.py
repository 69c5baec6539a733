"""Run devlint over real code and show that no file is made worse.

    python benchmarks/corpus.py                          every pinned package
    python benchmarks/corpus.py --packages timm vissl    some of them
    python benchmarks/corpus.py --packages --dir FOLDER  none of them, but each folder in FOLDER

The exit code is 1 if devlint made a file worse or crashed, 2 if the corpus cannot be had or devlint found nothing
in it, for then nothing was shown.
"""

from __future__ import annotations

import argparse
import multiprocessing
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.corpus_packages import CorpusError, pinned, projects
from benchmarks.corpus_run import Job, Report, run

SHOWN = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, run all projects, print the tables."""
    options = _parser().parse_args(arguments)
    try:
        jobs = _jobs(options)
    except CorpusError as error:
        print(f"corpus: {error}", file=sys.stderr)
        return 2
    start = time.perf_counter()
    total, reports = Report(), []
    with multiprocessing.Pool(options.jobs, maxtasksperchild=8) as pool:
        for job, report in zip(jobs, pool.imap(run, jobs)):
            print(_row(job.name, report), flush=True)
            reports.append(report)
            total.add(report)
    print(_row(f"all {len(reports)}", total))
    _print_rules(total)
    for title, lines in [("failures", total.failures), ("new pyflakes messages", total.lint)]:
        _print_list(title, lines, SHOWN if not options.verbose else len(lines))
    for title, lines in [("crashes", total.crashes), ("FILES MADE WORSE", total.worse)]:
        _print_list(title, lines, len(lines))
    print(f"{time.perf_counter() - start:.1f} s in all")
    if total.worse or total.crashes:
        return 1
    if not total.before:
        print("corpus: no findings at all, so this run shows nothing", file=sys.stderr)
    return 0 if total.before else 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--packages", nargs="*", metavar="NAME", help=f"of {', '.join(pinned())}; default: all")
    add("--dir", action="append", default=[], type=Path, metavar="FOLDER", help="also every folder in FOLDER")
    add("--jobs", type=int, default=2, metavar="N", help="projects at a time (default: 2)")
    add("--unsafe-fixes", action="store_true", help="apply the unsafe fixes, too")
    add("--devlint", metavar="COMMAND", help="the command to run (default: this devlint)")
    add("--verbose", action="store_true", help=f"print more than {SHOWN} lines of a list")
    return parser


def _jobs(options: argparse.Namespace) -> list[Job]:
    command = options.devlint or shlex.join([sys.executable, "-m", "devlint"])
    extra = ("--unsafe-fixes",) if options.unsafe_fixes else ()
    found = list(projects(pinned() if options.packages is None else options.packages))
    for folder in options.dir:
        if not folder.is_dir():
            raise CorpusError(f"no folder {folder}")
        found += [(child.name, child) for child in sorted(folder.iterdir()) if child.is_dir()]
    return [Job(name, folder, command, extra) for name, folder in found]


def _row(name: str, report: Report) -> str:
    before, after = sum(report.before.values()), sum(report.after.values())
    return (
        f"{name:45} {report.files:6} files {before:6} findings {before - after:6} fixed {after:6} remain"
        f" {report.changed:5} changed {len(report.failures):4} failures {len(report.worse):3} worse"
        f" {report.check_seconds:6.1f} s check {report.fix_seconds:6.1f} s fix"
    )


def _print_rules(total: Report) -> None:
    print(f"\n{'rule':10} {'findings':>8} {'fixed':>8} {'remain':>8}")
    for code in sorted(total.before | total.after):
        before, after = total.before[code], total.after[code]
        print(f"{code:10} {before:8} {before - after:8} {after:8}")


def _print_list(title: str, lines: list[str], shown: int) -> None:
    print(f"\n{title}: {len(lines)}")
    for line in lines[:shown]:
        print(f"  {line}")
    if len(lines) > shown:
        print(f"  … and {len(lines) - shown} more (--verbose)")


if __name__ == "__main__":
    raise SystemExit(main())
