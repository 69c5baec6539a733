"""Run devlint over a copy of one project: check, fix, check again, fix again; then judge every file."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # Windows has none
    resource = None  # type: ignore[assignment]

from benchmarks.corpus_checks import Verdict, compare
from benchmarks.corpus_packages import ROOT, WANTED

SOURCES = {".py", ".pyi", ".ipynb"}
_CRASH = re.compile(r"Traceback|please report|\bbug\b", re.IGNORECASE)


@dataclass
class Report:
    """What devlint did to one project, or to all of them."""

    files: int = 0
    changed: int = 0
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    check_seconds: float = 0.0
    fix_seconds: float = 0.0
    failures: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    worse: list[str] = field(default_factory=list)
    lint: list[str] = field(default_factory=list)
    notebooks: int = 0
    kilobytes: int = 0
    """The most memory that devlint took for a project."""

    def add(self, other: Report) -> None:
        """Sum with another project's report."""
        most = max(self.kilobytes, other.kilobytes)
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)
        self.kilobytes = most


@dataclass(frozen=True)
class Job:
    """One project to run over, with the command that is devlint."""

    name: str
    folder: Path
    command: str
    fix_options: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    """Of both commands."""


def run(job: Job) -> Report:
    """Everything the corpus asks of one project."""
    return run_ways([job])[0]


def run_ways(jobs: Sequence[Job]) -> list[Report]:
    """The same for jobs over one project that differ in their options: what the cache keeps serves all."""
    name, folder = jobs[0].name, jobs[0].folder
    with tempfile.TemporaryDirectory(prefix="devlint-corpus-") as temporary:
        copy = Path(temporary) / name
        _copy(folder, copy)
        (copy / ".git").mkdir(exist_ok=True)  # one project, whose files know of each other
        original = dict(_contents(copy))
        reports = []
        for job in jobs:
            for path, data in _contents(copy):
                if data != original[path]:
                    (copy / path).write_bytes(original[path])
            reports.append(_report(job, copy, original))
    return reports


def _report(job: Job, copy: Path, original: dict[str, bytes]) -> Report:
    report = Report(files=len(original), notebooks=sum(path.endswith(".ipynb") for path in original))
    report.before, report.check_seconds = _check(job, copy, report)
    report.fix_seconds = _fix(job, copy, report)
    fixed = dict(_contents(copy))
    report.after, _ = _check(job, copy, report)
    _fix(job, copy, Report())
    settled = dict(_contents(copy))
    for path, before in original.items():
        after, again = fixed.get(path, b""), settled.get(path, b"")
        _judge(f"{job.name}/{path}", compare(before, after, again, path.endswith(".ipynb")), report)
    return report


def _judge(name: str, verdict: Verdict, report: Report) -> None:
    report.changed += verdict.changed
    report.worse += [f"{name}: {complaint}" for complaint in verdict.worse]
    report.lint += [f"{name}: {message}" for message in verdict.lint]


def _copy(folder: Path, target: Path) -> None:
    """The sources and settings of a project; links and caches stay behind."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in WANTED and path.is_file() and not path.is_symlink():
            place = target / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
    target.mkdir(exist_ok=True)


def _contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in SOURCES and path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _check(job: Job, folder: Path, report: Report) -> tuple[Counter[str], float]:
    output, seconds = _devlint(job, ["check", "--output-format", "json"], folder, report)
    try:
        found: list[dict[str, Any]] = json.loads(output)
    except ValueError as error:
        report.crashes.append(f"{job.name}: check wrote no JSON: {error}")
        found = []
    return Counter(str(item["code"]) for item in found), seconds


def _fix(job: Job, folder: Path, report: Report) -> float:
    return _devlint(job, ["fix", "--quiet", *job.fix_options], folder, report)[1]


def _devlint(job: Job, arguments: list[str], folder: Path, report: Report) -> tuple[str, float]:
    """Run devlint on a folder; what it could not do are failures, what it should never say are crashes."""
    start = time.perf_counter()
    command = [*shlex.split(job.command), *arguments, *job.options, str(folder)]
    done = subprocess.run(command, capture_output=True, check=False, cwd=ROOT)
    seconds = time.perf_counter() - start
    if resource is not None:
        report.kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    said = done.stderr.decode("utf-8", "replace")
    name = f"{job.name}: {arguments[0]}"
    report.failures += [f"{job.name}: {line}" for line in said.replace(f"{folder}/", "").splitlines() if line.strip()]
    if done.returncode not in (0, 1, 2):
        report.crashes.append(f"{name} ended with exit code {done.returncode}")
    if _CRASH.search(said):
        report.crashes.append(f"{name} said: {said.strip().splitlines()[-1]}")
    return done.stdout.decode("utf-8", "replace"), seconds
