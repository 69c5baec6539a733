"""Distributes files to workers; a file that kills its worker is found and reported, and the run goes on.

The unreported files of a worker that dies are done again one by one. A file on which a worker dies then is given to a
new worker alone; if that one dies too, the file is to blame and not the state of a process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from typing import Protocol

from devlint.core.diagnostic import Failure
from devlint.engine.parallel.messages import FrameBuffer, TaskWriter, framed
from devlint.engine.parallel.ordered_results import Item, Order, Place
from devlint.engine.parallel.worker import FileAnalyzer
from devlint.engine.parallel.worker_process import WorkerProcess, WorkerStarter
from devlint.engine.report import FileReport
from devlint.sources.discovery import Found


class FileRunner(FileAnalyzer, Protocol):
    """Analyzes files, and keeps what was found in the main process."""

    def keep(self, found: Found, report: FileReport) -> FileReport:
        """The report, which goes into the cache; never raises."""
        ...


class _Worker:
    """A worker and the files it is working on."""

    def __init__(self, process: WorkerProcess) -> None:
        self.process = process
        self.buffer = FrameBuffer()
        self.writer = TaskWriter()
        self.is_ready = False
        """Whether it has reported that it waits for tasks."""
        self.tasks = 0
        """How many tasks it has been given."""
        self.was_alone = False
        """Whether the last task was a single file."""
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
        self.process.send(framed(self.writer.packed([place.found for place in task if place.found])))


class Pool:
    """One run over many files."""

    def __init__(self, runner: FileRunner, starter: WorkerStarter, jobs: int) -> None:
        self._runner = runner
        self._starter = starter
        self._jobs = jobs
        self._can_start = True
        self._workers: dict[WorkerProcess, _Worker] = {}
        self._again: deque[Place] = deque()
        """Files to be done one by one."""
        self._alone: deque[Place] = deque()
        """Files to be done by a new worker each."""

    def reports(self, items: Iterator[Item]) -> Generator[FileReport, None, None]:
        """The reports on all files, in order; this process keeps them, so that none is lost with a worker."""
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
                    yield report if first.found is None else self._runner.keep(first.found, report)
                    self._receive(order, wait=False)
                elif self._workers:
                    self._receive(order, wait=not self._wants_worker(order))
                elif not self._can_start:
                    self._do_here(order, first)
        finally:
            for process in self._workers:
                process.end()

    def _hand_out(self, order: Order) -> None:
        """Give tasks to idle workers, and start another worker if more files are left."""
        for worker in self._workers.values():
            if worker.is_idle:
                task = self._task(order, worker)
                if task:
                    worker.begin(task)
        if self._wants_worker(order):
            try:
                process = self._starter.start()
            except OSError:
                self._can_start = False
            else:
                self._workers[process] = _Worker(process)

    def _task(self, order: Order, worker: _Worker) -> list[Place]:
        """The next files for a worker."""
        if self._alone and (not worker.tasks or not self._can_start):
            return [self._alone.popleft()]
        if self._again:
            return [self._again.popleft()]
        return order.task()

    def _wants_worker(self, order: Order) -> bool:
        """Whether another worker can be started and would have something to do."""
        if not self._can_start or len(self._workers) >= self._jobs:
            return False
        unused = sum(not worker.tasks for worker in self._workers.values())
        if len(self._alone) > unused:
            return True
        free = sum(not worker.left for worker in self._workers.values())
        return len(self._again) + order.new > free

    def _receive(self, order: Order, wait: bool) -> None:
        """Store the answers that workers have sent."""
        for process, chunk in self._starter.receive(wait):
            worker = self._workers[process]
            if not chunk:
                self._requeue_files(worker)
            for frame in worker.buffer.frames(chunk):
                if worker.is_ready:
                    order.answer(worker.left.popleft(), frame)
                worker.is_ready = True

    def _requeue_files(self, worker: _Worker) -> None:
        """Queue the files of a dead worker again."""
        del self._workers[worker.process]
        how = worker.process.end()
        self._can_start = (
            self._can_start and worker.is_ready
        )  # another worker that dies before its first task would not help
        if not worker.was_alone:
            self._again.extendleft(reversed(worker.left))
        elif worker.left:
            place = worker.left[0]
            if worker.tasks == 1 or not self._can_start:
                place.answer = _failed(place, f"a worker process died on this file ({how})")
            else:
                self._alone.append(place)

    def _do_here(self, order: Order, place: Place) -> None:
        """Analyze the next file in this process, unless it may have killed a worker."""
        if place in self._again or place in self._alone:
            place.answer = _failed(
                place, "a worker process died on this file or one near it, and no other can be started"
            )
        elif place.found is not None:
            order.next_new()
            place.answer = self._runner.analyze(place.found)


def _failed(place: Place, message: str) -> FileReport:
    assert place.found is not None
    return FileReport(place.found.path, failures=(Failure(place.found.path, message),))
