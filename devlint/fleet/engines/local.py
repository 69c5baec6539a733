"""Partitions by processes of this computer; one that dies is replaced, and what it was doing is done again."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from devlint.fleet.engines import ATTEMPTS, DIED
from devlint.fleet.partitions import PartitionOutcome, PartitionTask, do_partition


def run_local(tasks: Sequence[PartitionTask], workers: int) -> Iterator[PartitionOutcome]:
    """Do tasks, in this process if one worker is to do them."""
    if workers == 1:
        return map(do_partition, tasks)
    return _by_processes(tasks, workers)


class _Work:
    """What is left to do. What was being done when a worker died is done again by one worker alone, to find whose
    fault it was."""

    def __init__(self, tasks: Sequence[PartitionTask], workers: int) -> None:
        self._waiting = list(reversed(tasks))
        self._workers = workers
        self._deaths: dict[int, int] = {}
        self.running: dict[Future[PartitionOutcome], PartitionTask] = {}

    @property
    def is_left(self) -> bool:
        """Whether there is something to do, or to wait for."""
        return bool(self._waiting or self.running)

    def begin(self, pool: ProcessPoolExecutor) -> None:
        """Give tasks to idle workers."""
        while self._waiting and len(self.running) < self._at_a_time():
            task = self._waiting[-1]
            self.running[pool.submit(do_partition, task)] = task  # raises if a worker has died
            self._waiting.pop()

    def _at_a_time(self) -> int:
        nearest = [*self.running.values(), self._waiting[-1]]
        return 1 if any(task.partition.number in self._deaths for task in nearest) else self._workers

    def give_up_or_repeat(self) -> Iterator[PartitionOutcome]:
        """After a death: what was running is to be done again; what is given up has an outcome."""
        for task in self.running.values():
            number = task.partition.number
            self._deaths[number] = self._deaths.get(number, 0) + 1
            if self._deaths[number] == ATTEMPTS:
                yield PartitionOutcome(number, error=DIED)
            else:
                self._waiting.append(task)
        self.running = {}


def _by_processes(tasks: Sequence[PartitionTask], workers: int) -> Iterator[PartitionOutcome]:
    work = _Work(tasks, workers)
    while work.is_left:
        with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _follow_parent) as pool:
            try:
                while work.is_left:
                    work.begin(pool)
                    for future in wait(work.running, return_when=FIRST_COMPLETED).done:
                        outcome = future.result()
                        del work.running[future]
                        yield outcome
            except BrokenProcessPool:  # it ends all workers
                yield from work.give_up_or_repeat()


def _follow_parent() -> None:
    """End this process when the one that started it ends, however that does."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()
