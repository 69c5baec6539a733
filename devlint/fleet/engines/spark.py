"""Partitions as tasks of Spark: on the cluster that `spark-submit` names, else on one that is started here."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence

from py4j.protocol import Py4JJavaError
from pyspark import SparkConf, SparkContext, TaskContext

from devlint.fleet.engines import ATTEMPTS, DIED
from devlint.fleet.partitions import PartitionOutcome, PartitionTask, do_partition, finished

_POLL = 0.5
"""Seconds between two looks at what is done."""


def run_spark(tasks: Sequence[PartitionTask], workers: int) -> Iterator[PartitionOutcome]:
    """Do tasks; Spark begins those again whose worker dies."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    own = SparkContext._active_spark_context is None
    context = SparkContext.getOrCreate(_settings(workers))
    context.setLogLevel("OFF")
    try:
        yield from _outcomes(context, tasks)
    finally:
        if own:
            context.stop()


def _settings(workers: int) -> SparkConf:
    """How to begin: a cluster of one's own has so many workers, and begins a task again whose worker dies."""
    settings = SparkConf().setAppName("devlint fleet")
    settings.setIfMissing("spark.master", f"local[{workers},{ATTEMPTS + 1}]")
    settings.setIfMissing("spark.task.maxFailures", str(ATTEMPTS + 1))
    settings.setIfMissing("spark.ui.enabled", "false")
    settings.setIfMissing("spark.ui.showConsoleProgress", "false")
    return settings


def _outcomes(context: SparkContext, tasks: Sequence[PartitionTask]) -> Iterator[PartitionOutcome]:
    """The outcomes of one job: those of finished partitions as they appear, the others when it ends."""
    job = _Job(lambda: context.parallelize(tasks, len(tasks)).map(_attempt).collect())
    left = {task.partition.number: task for task in tasks}
    while left and job.runs(_POLL):
        there = set(os.listdir(tasks[0].output))
        for task in [one for one in left.values() if one.partition.name in there]:
            done = finished(task.output, task.partition)
            if done is not None:
                del left[task.partition.number]
                yield done
    for outcome in job.result():
        if left.pop(outcome.number, None) is not None:
            yield outcome
    for number in left:
        yield PartitionOutcome(number, error=job.error)


def _attempt(task: PartitionTask) -> PartitionOutcome:
    """Do a task, but not for ever: on the last attempt that Spark allows, say that its worker dies on it."""
    context = TaskContext.get()
    if context is not None and context.attemptNumber() >= ATTEMPTS:
        return PartitionOutcome(task.partition.number, error=DIED)
    return do_partition(task)


class _Job:
    """A job of Spark's that runs beside the progress."""

    def __init__(self, work: Callable[[], list[PartitionOutcome]]) -> None:
        self._work = work
        self._found: list[PartitionOutcome] = []
        self.error = "Spark ended without it"
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found = self._work()
        except Py4JJavaError as error:
            self.error = " ".join(str(error.java_exception).split())[:300]

    def runs(self, seconds: float) -> bool:
        """Whether it still runs after so many seconds."""
        self._thread.join(seconds)
        return self._thread.is_alive()

    def result(self) -> list[PartitionOutcome]:
        """What it gave, once it has ended."""
        self._thread.join()
        return self._found
