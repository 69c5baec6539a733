"""How many small mistakes in a part of devlint do the tests notice?

python -m benchmarks.mutation [--count 400] [--seed 0] [--code PATH ...] [--tests PATH ...]

Runs the tests once to learn which of them run which line; then makes a random part of all mistakes, each in a process
of its own that has everything imported, and runs the tests of that line until one fails.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import os
import pickle
import resource
import signal
import sys
import tempfile
import time
import types
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import coverage
import pytest

from benchmarks.mutation_sites import Mutant, mutated, sample

CODE = ("devlint/analysis", "devlint/fixes", "devlint/engine")
TESTS = (
    *("tests/analysis", "tests/fixes", "tests/rules"),
    *(f"tests/engine/test_{name}.py" for name in ("runner", "lint", "bad_input", "bounds", "cache", "cache_files")),
    *(
        f"tests/engine/test_{name}.py"
        for name in (
            "observed_findings",
            "parallel_pool",
            "chosen_fixes",
            "finding_filter",
            "clean_after_fix",
            "settling",
            "stopped_run",
        )
    ),
    *(f"tests/syntax/test_{name}.py" for name in ("documents", "notebooks", "kept_comments", "long_lines")),
    *(f"tests/cli/test_{name}.py" for name in ("add_ignore", "cli", "formats", "interactive", "output", "run_options")),
    *("tests/config/test_baseline.py", "tests/sources/suppressions", "tests/sources/test_text_files.py"),
    "tests/verify/test_projects_verified.py::test_the_fixes_are_the_expected_ones",
    "tests/engine/test_fixtures.py::test_findings_and_fixes_are_the_golden_ones",
    "tests/engine/test_fixtures.py::test_fixes_for_other_targets_are_the_golden_ones",
)
NOT = ("--ignore=tests/rules/test_hazards.py", "--ignore=tests/rules/test_spellings.py")
"""Tests that take many seconds each."""
QUIET = ("-s", *(f"-pno:{plugin}" for plugin in ("terminal", "randomly", "cacheprovider", "xdist")))
MEMORY = 8 << 30
SURVIVED, KILLED, OUT_OF_TIME = range(3)
FATES = {SURVIVED: "survived", OUT_OF_TIME: "survived so far", -signal.SIGALRM: "survived so far"}
"""What became of a mistake, by how its process ended: all else has noticed it. The alarm is for a busy computer."""
T = TypeVar("T")
Lines = dict[str, dict[int, set[int]]]
"""For each file and line the numbers of the tests that run it."""


class Mutation:
    """A plugin that, in place of the tests, runs those of each mutant."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.files = sorted(path for place in options.code for path in _python_files(Path(place)))
        self.fates: dict[Mutant, str] = {}

    def pytest_configure(self) -> None:
        import hypothesis  # which pytest wants to import itself

        hypothesis.settings.register_profile("mutation", database=None, derandomize=True, deadline=None)
        hypothesis.settings.load_profile("mutation")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.session = session
        for path in self.files:
            importlib.import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))
        self.functions = _functions()
        self.caches = _caches({str(path.resolve()) for path in self.files})
        gc.freeze()
        self._learn()
        chosen, of = sample(self.files, self.options.count, self.options.seed)
        print(f"{len(chosen)} of {of:,} mutants; {len(self.seconds):,} tests", flush=True)
        jobs = ((mutant, self._attempt(mutant)) for mutant in chosen if self._is_run(mutant))
        for mutant, code in _forked(jobs, self.options.jobs, self.options.limit * 60):
            self.fates[mutant] = FATES.get(code, "killed")
            print(f"{len(self.fates)} {self.fates[mutant]}: {mutant}", file=sys.stderr, flush=True)
        return True

    def _learn(self) -> None:
        """Which tests run which line, how long each takes, and which of them fail or are skipped anyway."""
        self.lines: Lines = defaultdict(lambda: defaultdict(set))
        self.seconds: dict[int, float] = {}
        with tempfile.TemporaryDirectory() as folder:
            parts = [(part, self._measure(part, Path(folder))) for part in range(self.options.jobs)]
            for part, code in _forked(parts, self.options.jobs, 36_000):
                assert code == SURVIVED, f"measuring the tests ended with {code}"
                lines, seconds = pickle.loads((Path(folder) / str(part)).read_bytes())
                self.seconds.update(seconds)
                for path, line, tests in lines:
                    self.lines[path][line] |= tests & seconds.keys()

    def _measure(self, part: int, folder: Path) -> Callable[[], int]:
        """Runs a part of the tests under coverage, and leaves what was learnt in a file."""

        def measure() -> int:
            seconds = {}
            measured = coverage.Coverage(None, include=[str(path) for path in self.files], config_file=False)
            measured.start()
            failed = self.session.testsfailed
            for number, run in self._runs(range(part, len(self.session.items), self.options.jobs)):
                measured.switch_context(str(number))
                for one in self.caches:  # so that every test runs what an earlier one has asked, too
                    one.cache_clear()
                before = time.process_time()
                run()
                if self.session.testsfailed == failed:
                    seconds[number] = time.process_time() - before
                failed = self.session.testsfailed
            measured.stop()
            (folder / str(part)).write_bytes(pickle.dumps((list(_lines(measured)), seconds)))
            return SURVIVED

        return measure

    def _runs(self, numbers: Sequence[int]) -> Iterator[tuple[int, Callable[[], object]]]:
        """The tests with these numbers, each with what runs it."""
        items = [self.session.items[number] for number in numbers]
        for number, item, after in zip(numbers, items, [*items[1:], None]):
            yield number, functools.partial(item.config.hook.pytest_runtest_protocol, item=item, nextitem=after)

    def _tests(self, mutant: Mutant) -> set[int]:
        lines = self.lines[str(mutant.path.resolve())]
        return lines[mutant.line] or lines[mutant.statement]

    def _is_run(self, mutant: Mutant) -> bool:
        if not self._tests(mutant):
            self.fates[mutant] = "run by no test"
        return bool(self._tests(mutant))

    def _attempt(self, mutant: Mutant) -> Callable[[], int]:
        """Makes a mistake, and runs the tests of its line, the quick ones first; a test that hangs has noticed it."""

        def attempt() -> int:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            for key, code in mutated(mutant).items():
                for function in self.functions[(code.co_filename, *key)]:
                    function.__code__ = code
            tests = sorted(self._tests(mutant), key=lambda one: (self.seconds[one], one))
            for number, run in self._runs(tests):
                signal.setitimer(signal.ITIMER_PROF, 5 + 10 * self.seconds[number])
                run()
                if self.session.testsfailed:
                    return KILLED
                if time.process_time() > self.options.limit:
                    return OUT_OF_TIME
            return SURVIVED

        return attempt


def _python_files(place: Path) -> Iterable[Path]:
    return [place] if place.is_file() else place.rglob("*.py")


def _functions() -> dict[tuple[str, str, int], list[types.FunctionType]]:
    """All functions there are, by file, name and first line."""
    found = defaultdict(list)
    for one in gc.get_objects():
        if type(one) is types.FunctionType:  # asking the class of an odd object runs code
            code = one.__code__
            found[code.co_filename, code.co_name, code.co_firstlineno].append(one)
    return found


def _caches(paths: Container[str]) -> list[functools._lru_cache_wrapper[object]]:
    """All functions of some files that keep what they have answered."""
    found = [one for one in gc.get_objects() if type(one) is functools._lru_cache_wrapper]
    codes = [(one, getattr(one.__wrapped__, "__code__", None)) for one in found]  # a builtin has none
    return [one for one, code in codes if code is not None and code.co_filename in paths]


def _lines(measured: coverage.Coverage) -> Iterator[tuple[str, int, set[int]]]:
    data = measured.get_data()
    for path in data.measured_files():
        for line, contexts in data.contexts_by_lineno(path).items():
            yield path, line, {int(one) for one in contexts if one}


def _forked(jobs: Iterable[tuple[T, Callable[[], int]]], most: int, seconds: float) -> Iterator[tuple[T, int]]:
    """What each job returned in a process of its own, or minus the signal that ended it."""
    running: dict[int, T] = {}
    for name, job in jobs:
        if len(running) == most:
            yield _ended(running)
        running[_fork(job, seconds)] = name
    while running:
        yield _ended(running)


def _ended(running: dict[int, T]) -> tuple[T, int]:
    pid, status = os.wait()
    return running.pop(pid), os.waitstatus_to_exitcode(status)


def _fork(job: Callable[[], int], seconds: float) -> int:
    """Starts a job in a process that dies after so many seconds; what it prints is lost."""
    child = os.fork()
    if child:
        return child
    code = KILLED
    try:
        signal.alarm(int(seconds))
        os.setpgid(0, 0)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        with tempfile.TemporaryDirectory() as folder:
            os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
            code = job()
    finally:
        os._exit(code)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--code", nargs="+", default=CODE, metavar="PATH", help="make mistakes in these files and folders"
    )
    parser.add_argument("--tests", nargs="+", default=TESTS, metavar="PATH", help="files and folders of tests")
    parser.add_argument("--count", type=int, default=400, help="how many mistakes")
    parser.add_argument("--seed", type=int, default=0, help="which mistakes")
    parser.add_argument("--limit", type=float, default=60, help="processor seconds for each")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    return parser.parse_args()


def main() -> int:
    os.environ["COVERAGE_CORE"] = "ctrace"  # the others cannot tell which test runs a line
    options = arguments()
    plugin = Mutation(options)
    code = pytest.main([*QUIET, *NOT, *options.tests], plugins=[plugin])
    counts = Counter(plugin.fates.values())
    for mutant, fate in sorted(plugin.fates.items(), key=lambda one: (one[1], str(one[0]))):
        if fate != "killed":
            print(f"{fate}: {mutant}")
    print(", ".join(f"{count} {fate}" for fate, count in counts.most_common()))
    print(f"{counts['killed'] / max(len(plugin.fates), 1):.1%} killed")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
