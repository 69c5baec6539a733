"""Decides by what its first files take whether a run is worth several processes: most stay in the one there is."""

from __future__ import annotations

from itertools import chain, islice
from time import perf_counter

from devlint.engine.report import FileReport

TYPE_CHECKING = False
if TYPE_CHECKING:  # this is imported by runs over three files too
    from collections.abc import Generator, Iterator

    from devlint.engine.parallel.ordered_results import Item
    from devlint.engine.parallel.pool import Runs

_FIRST_LOOK = 0.1
"""Seconds of work after which it is asked what kind of processes there may be, and whether they pay."""
_LOOK_AHEAD = 4096
"""Files and known reports among which as many files as have been done are looked for."""


def reports(runner: Runs, items: Iterator[Item], jobs: int | None) -> Generator[FileReport, None, None]:
    """The reports on all files, in order, by so many processes; None for as many as pay."""
    return _as_it_pays(runner, items) if jobs is None else _by_workers(runner, items, jobs, 2)


def _as_it_pays(runner: Runs, items: Iterator[Item]) -> Generator[FileReport, None, None]:
    """Begin here, and go on with workers where the work up to now is likely to be half of all or less.

    What the dearest file took does not count, for it has paid for imports too.
    """
    pays = _FIRST_LOOK
    spent = dearest = 0.0
    done = jobs = 0
    for item in items:
        if isinstance(item, FileReport):
            yield item
            continue
        start = perf_counter()
        report = runner.settled(item, runner.look(item))
        took = perf_counter() - start
        yield report
        done += 1
        spent += took
        dearest = max(dearest, took)
        if spent - dearest < pays:
            continue
        if not jobs:
            from devlint.engine.parallel import start_methods

            pays, jobs = start_methods.pays_after(), start_methods.usable_cpus()
        if jobs == 1 or spent - dearest >= pays:
            break
    yield from _by_workers(runner, items, jobs, done) if jobs > 1 else _here(runner, items)


def _by_workers(runner: Runs, items: Iterator[Item], jobs: int, least: int) -> Generator[FileReport, None, None]:
    """By workers, unless fewer files than ``least`` are left."""
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
    from devlint.engine.parallel.start_methods import crew_for

    crew = crew_for(runner)
    return Pool(runner, crew, jobs).reports(items) if crew else _here(runner, items)


def _here(runner: Runs, items: Iterator[Item]) -> Generator[FileReport, None, None]:
    """All in this process."""
    for item in items:
        yield item if isinstance(item, FileReport) else runner.settled(item, runner.look(item))
