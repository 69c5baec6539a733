"""Run devlint over whole repositories: is any file made worse, and does the program then run without CUDA?

    python -m benchmarks.programs FOLDER                         every repository in FOLDER
    python -m benchmarks.programs FOLDER --only pygcn TCN        some of them
    python -m benchmarks.programs FOLDER --python ENV/bin/python a Python with torch and what the programs import

FOLDER holds a copy of each repository, called ``name`` or ``owner+name``; nothing is downloaded. A repository runs if
there is a driver for it, benchmarks/programs/NAME.py, which calls its training or inference on made-up data, from the
folder of the repository: once as it is, once after the safe fixes, once after all fixes. The exit code is 1 if a file
was made worse or a program that ran does not run any more.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.corpus_run import Job, Report, run
from devlint.analysis.names.unbound_reads import new_unbound_reads
from devlint.syntax.python_tree.python_ast import syntax_tree

DRIVERS = Path(__file__).with_suffix("")
FIXES = {"before": None, "after safe": (), "after unsafe": ("--unsafe-fixes",)}
"""The options of ``devlint fix`` for each state in which a program runs; None for the program as it is."""
_START = (
    "import runpy, sys; sys.path[:1] = [sys.argv[1]]; sys.path.append(sys.argv[2]); runpy.run_path(sys.argv.pop(3))"
)


@dataclass
class Outcome:
    """What became of one repository."""

    name: str
    safe: Report = field(default_factory=Report)
    unsafe: Report = field(default_factory=Report)
    worse: list[str] = field(default_factory=list)
    runs: dict[str, str] = field(default_factory=dict)
    """The last line that each run wrote where it failed, or nothing where it ran."""


@dataclass(frozen=True)
class Task:
    """A repository, and how it is run."""

    folder: Path
    python: str
    seconds: int

    @property
    def name(self) -> str:
        """The name of the repository without its owner."""
        return self.folder.name.rpartition("+")[2]

    @property
    def driver(self) -> Path:
        """Where its driver is, if there is one."""
        return DRIVERS / f"{self.name.replace('.', '_').replace('-', '_').lower()}.py"


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, run over all repositories, print the table."""
    options = _parser().parse_args(arguments)
    folders = [one for one in sorted(options.folder.iterdir()) if one.is_dir()]
    tasks = [Task(one.resolve(), options.python, options.seconds) for one in folders]
    tasks = [one for one in tasks if not options.only or {one.name, one.folder.name} & set(options.only)]
    print(f"{'repository':40} {'found':>6} {'fixed':>6} {'left':>6}  {'  '.join(FIXES)}", flush=True)
    outcomes = []
    with multiprocessing.Pool(options.jobs) as pool:
        for outcome in pool.imap(examine, tasks):
            print(_row(outcome), flush=True)
            outcomes.append(outcome)
    return _summary(outcomes)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("folder", type=Path, metavar="FOLDER", help="where the repositories are")
    add("--only", nargs="+", metavar="NAME", help="the repositories to look at (default: all)")
    add("--python", default=sys.executable, metavar="PYTHON", help="runs the programs (default: this Python)")
    add("--seconds", type=int, default=120, metavar="N", help="how long a program may run (default: 120)")
    add("--jobs", type=int, default=2, metavar="N", help="repositories at a time (default: 2)")
    return parser


def examine(task: Task) -> Outcome:
    """Fix one repository in copies, judge every file, and run its program."""
    command = f"{sys.executable} -m devlint"
    outcome = Outcome(task.name)
    outcome.safe = run(Job(task.name, task.folder, command))
    outcome.unsafe = run(Job(task.name, task.folder, command, ("--unsafe-fixes",)))
    outcome.worse = [*outcome.safe.worse, *outcome.safe.crashes, *outcome.unsafe.worse, *outcome.unsafe.crashes]
    outcome.worse += [f"{task.name}: {code} is new after the fix" for code in outcome.safe.after - outcome.safe.before]
    with tempfile.TemporaryDirectory(prefix="devlint-programs-") as temporary:
        for state, fixes in FIXES.items():
            copy = Path(temporary) / state.replace(" ", "-")
            shutil.copytree(task.folder, copy, ignore=shutil.ignore_patterns(".git"), ignore_dangling_symlinks=True)
            if fixes is not None:
                subprocess.run(
                    [*command.split(), "fix", "--quiet", *fixes, str(copy)], capture_output=True, check=False
                )
                outcome.worse += _worse(task.folder, copy)
            if task.driver.exists():
                outcome.runs[state] = failure(task, copy)
    return outcome


def _worse(before: Path, after: Path) -> Iterator[str]:
    """Comments that went, and names that may now be read before they are bound."""
    for path in sorted(after.rglob("*.py")):
        old, new = (before / path.relative_to(after)).read_bytes(), path.read_bytes()
        if old == new:
            continue
        gone = comments(old) - comments(new)
        yield from (f"{path}: the comment {one!r} went" for one in gone)
        texts = [one.decode("utf-8", "replace") for one in (old, new)]
        if syntax_tree(texts[0]) is None:  # what Python could not read says nothing about its names
            continue
        yield from (f"{path}: {one} may be read before it is bound" for one in new_unbound_reads(*texts))


def comments(source: bytes) -> Counter[str]:
    """The words of every comment; nothing where Python cannot read the file."""
    try:
        tokens = list(tokenize.tokenize(io.BytesIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return Counter()
    return Counter(" ".join(one.string.split()) for one in tokens if one.type == tokenize.COMMENT)


def failure(task: Task, copy: Path) -> str:
    """The last line of what a driver wrote where it failed; nothing where the program ran to its end."""
    command = [task.python, "-c", _START, str(copy), str(DRIVERS), str(task.driver)]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, timeout=task.seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return f"ran longer than {task.seconds} s"
    if done.returncode == 0:
        return ""
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else f"exit code {done.returncode}"


def _row(outcome: Outcome) -> str:
    found, left = outcome.safe.before.total(), outcome.safe.after.total()
    states = [
        f"{'runs' if not outcome.runs[one] else 'fails' if one in outcome.runs else '-':>{len(one)}}"
        for one in outcome.runs
    ]
    lines = [f"{outcome.name:40} {found:6} {found - left:6} {left:6}  {'  '.join(states)}"]
    lines += [f"    {state}: {said[:150]}" for state, said in outcome.runs.items() if said]
    return "\n".join([*lines, *(f"    WORSE {one}" for one in outcome.worse)])


def _summary(outcomes: list[Outcome]) -> int:
    """Print the sums, and say whether anything was made worse."""
    driven = [one for one in outcomes if one.runs]
    found, left = (sum(getattr(one.safe, name).total() for one in outcomes) for name in ("before", "after"))
    print(f"{len(outcomes)} repositories, {found} found, {found - left} fixed, {left} left")
    for state in FIXES:
        print(f"{state}: {sum(not one.runs[state] for one in driven)} of {len(driven)} programs run")
    broken = [one.name for one in driven if not one.runs["before"] and any(one.runs.values())]
    worse = [line for one in outcomes for line in one.worse]
    print(f"{len(worse)} made worse; ran before and not after: {', '.join(broken) or 'none'}")
    return 1 if worse or broken else 0


if __name__ == "__main__":
    sys.exit(main())
