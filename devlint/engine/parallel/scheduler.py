"""Decides from the work that the first files are whether a run starts worker processes."""

from __future__ import annotations

from itertools import chain, islice
from time import process_time

from devlint.engine.report import FileReport

TYPE_CHECKING = False
if TYPE_CHECKING:  # this is imported by runs over three files too
    from collections.abc import Generator, Iterator

    from devlint.engine.parallel.ordered_results import Item
    from devlint.engine.parallel.pool import FileRunner

_FIRST_LOOK = 0.1
"""Seconds of processor time, which other programs do not change, before which starting workers never pays."""
_LOOK_AHEAD = 4096
"""How many files are listed to see whether as many are left as have been done."""


def reports(runner: FileRunner, items: Iterator[Item], jobs: int | None) -> Generator[FileReport, None, None]:
    """The reports on all files, in order, by so many processes; None for as many as pay."""
    if jobs == 1:
        return _here(runner, items)
    return _as_it_pays(runner, items) if jobs is None else _by_workers(runner, items, jobs, 2)


def _as_it_pays(runner: FileRunner, items: Iterator[Item]) -> Generator[FileReport, None, None]:
    """Begin in this process, and continue with workers once half of the work or more is likely to be left.

    The slowest file does not count, for its time includes imports.
    """
    pays = _FIRST_LOOK
    spent = slowest = 0.0
    done = jobs = 0
    for item in items:
        if isinstance(item, FileReport):
            yield item
            continue
        start = process_time()
        report = runner.keep(item, runner.analyze(item))
        took = process_time() - start
        yield report
        done += 1
        spent += took
        slowest = max(slowest, took)
        if spent - slowest < pays:
            continue
        if not jobs:
            from devlint.engine.parallel import start_methods

            pays, jobs = start_methods.pays_after(), start_methods.usable_cpus()
        if jobs == 1 or spent - slowest >= pays:
            break
    yield from _by_workers(runner, items, jobs, done) if jobs > 1 else _here(runner, items)


def _by_workers(runner: FileRunner, items: Iterator[Item], jobs: int, least: int) -> Generator[FileReport, None, None]:
    """The reports by workers, unless fewer files than ``least`` are left."""
    ahead: list[Item] = []
    for item in islice(items, _LOOK_AHEAD):
        ahead.append(item)
        least -= not isinstance(item, FileReport)
        if least <= 0:
            break
    items = chain(ahead, items)
    if least > 0 and len(ahead) < _LOOK_AHEAD:
        return _here(runner, items)
    from devlint.engine.parallel.pool import Pool
    from devlint.engine.parallel.start_methods import worker_starter

    starter = worker_starter(runner)
    return Pool(runner, starter, jobs).reports(items) if starter else _here(runner, items)


def _here(runner: FileRunner, items: Iterator[Item]) -> Generator[FileReport, None, None]:
    """The reports on all files by this process."""
    for item in items:
        yield item if isinstance(item, FileReport) else runner.keep(item, runner.analyze(item))
