"""Hands out files to workers; a file on which a worker dies is found and named, and the others go on.

The unreported files of a worker that dies are done again one by one. A file on which one dies then is given to a new
worker alone; when that dies too it is the file's fault, and no older trouble of a process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from typing import Protocol

from devlint.core.diagnostic import Failure
from devlint.engine.parallel.messages import Inbox, TaskWriter, framed
from devlint.engine.parallel.ordered_results import Item, Order, Place
from devlint.engine.parallel.worker import Looks
from devlint.engine.parallel.worker_process import Crew, Hand
from devlint.engine.report import FileReport
from devlint.sources.discovery import Found


class Runs(Looks, Protocol):
    """Looks at files, and does in the first process what is to be done about them."""

    def settled(self, found: Found, report: FileReport) -> FileReport:
        """The report, once the file holds what it says; never raises."""
        ...


class _Worker:
    """A worker and what it is at."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.inbox = Inbox()
        self.writer = TaskWriter()
        self.is_ready = False
        """Whether it has said that it waits for tasks."""
        self.tasks = 0
        """How many it has been given."""
        self.was_alone = False
        """Whether the last one was a single file."""
        self.left: deque[Place] = deque()
        """The files of its task that it has not reported."""

    @property
    def is_idle(self) -> bool:
        """Whether it waits for a task."""
        return self.is_ready and not self.left

    def begin(self, task: list[Place]) -> None:
        """Give it files."""
        self.left.extend(task)
        self.tasks += 1
        self.was_alone = len(task) == 1
        self.hand.send(framed(self.writer.packed([place.found for place in task if place.found])))


class Pool:
    """One run over many files."""

    def __init__(self, runner: Runs, crew: Crew, jobs: int) -> None:
        self._runner = runner
        self._crew = crew
        self._jobs = jobs
        self._can_start = True
        self._workers: dict[Hand, _Worker] = {}
        self._again: deque[Place] = deque()
        """Files to be done one by one."""
        self._alone: deque[Place] = deque()
        """Files to be done by a new worker each."""

    def reports(self, items: Iterator[Item]) -> Generator[FileReport, None, None]:
        """The reports on all files, in order; files are written here, so that nothing is lost with a worker."""
        order = Order(items, self._jobs)
        try:
            while True:
                order.look_ahead()
                self._hand_out(order)
                first = order.first()
                if first is None:
                    return
                if first.answer is not None:
                    report = order.remove_first()
                    yield report if first.found is None else self._runner.settled(first.found, report)
                    self._hear(order, wait=False)
                elif self._workers:
                    self._hear(order, wait=not self._wants_worker(order))
                elif not self._can_start:
                    self._do_here(order, first)
        finally:
            for hand in self._workers:
                hand.end()

    def _hand_out(self, order: Order) -> None:
        """Give work to those who wait for some, and start a worker if there is more."""
        for worker in self._workers.values():
            if worker.is_idle:
                task = self._task(order, worker)
                if task:
                    worker.begin(task)
        if self._wants_worker(order):
            try:
                hand = self._crew.start()
            except OSError:
                self._can_start = False
            else:
                self._workers[hand] = _Worker(hand)

    def _task(self, order: Order, worker: _Worker) -> list[Place]:
        """The next files for a worker."""
        if self._alone and (not worker.tasks or not self._can_start):
            return [self._alone.popleft()]
        if self._again:
            return [self._again.popleft()]
        return order.task()

    def _wants_worker(self, order: Order) -> bool:
        """Whether one more can be started and would have something to do."""
        if not self._can_start or len(self._workers) >= self._jobs:
            return False
        unused = sum(not worker.tasks for worker in self._workers.values())
        if len(self._alone) > unused:
            return True
        free = sum(not worker.left for worker in self._workers.values())
        return len(self._again) + order.new > free

    def _hear(self, order: Order, wait: bool) -> None:
        """Take in what workers say."""
        for hand, piece in self._crew.hear(wait):
            worker = self._workers[hand]
            if not piece:
                self._bury(worker)
            for frame in worker.inbox.frames(piece):
                if worker.is_ready:
                    order.answer(worker.left.popleft(), frame)
                worker.is_ready = True

    def _bury(self, worker: _Worker) -> None:
        """Take up the files of a worker that has died."""
        del self._workers[worker.hand]
        how = worker.hand.end()
        self._can_start = self._can_start and worker.is_ready  # who dies before it began would do so again
        if not worker.was_alone:
            self._again.extendleft(reversed(worker.left))
        elif worker.left:
            place = worker.left[0]
            if worker.tasks == 1 or not self._can_start:
                place.answer = _failed(place, f"a worker process died on this file ({how})")
            else:
                self._alone.append(place)

    def _do_here(self, order: Order, place: Place) -> None:
        """Do the next file without a worker, but not one that may have killed some."""
        if place in self._again or place in self._alone:
            place.answer = _failed(
                place, "a worker process died on this file or one near it, and no other can be started"
            )
        elif place.found is not None:
            order.next_new()
            place.answer = self._runner.look(place.found)


def _failed(place: Place, message: str) -> FileReport:
    assert place.found is not None
    return FileReport(place.found.path, failures=(Failure(place.found.path, message),))
