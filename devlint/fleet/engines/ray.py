"""Partitions as tasks of Ray: on the cluster that RAY_ADDRESS names, else on one that is started here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import ray
from ray.exceptions import RayError

from devlint.fleet.engines import ATTEMPTS, DIED
from devlint.fleet.partitions import PartitionOutcome, PartitionTask, do_partition

_AHEAD = 4
"""Tasks that Ray knows of, for each worker: so that none waits, and a million are not all in its memory."""


def run_ray(tasks: Sequence[PartitionTask], workers: int) -> Iterator[PartitionOutcome]:
    """Do tasks; Ray begins those again whose worker dies."""
    started = not ray.is_initialized()
    if started:
        ray.init(**_settings(workers))
    try:
        yield from _outcomes(tasks, max(workers, int(ray.cluster_resources().get("CPU", 1))) * _AHEAD)
    finally:
        if started:
            ray.shutdown()


def _settings(workers: int) -> dict[str, object]:
    """How to begin: a cluster of one's own has so many workers, and prints nothing."""
    import os

    if os.environ.get("RAY_ADDRESS"):
        return {"log_to_driver": False}
    return {"num_cpus": workers, "include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}


def _outcomes(tasks: Sequence[PartitionTask], most: int) -> Iterator[PartitionOutcome]:
    remote = ray.remote(max_retries=ATTEMPTS - 1)(do_partition)
    waiting = iter(tasks)
    running = {remote.remote(task): task for task in islice(waiting, most)}
    while running:
        for reference in ray.wait(list(running))[0]:
            task = running.pop(reference)
            try:
                yield ray.get(reference)
            except RayError as error:
                died = "died" in str(error) or "crash" in str(error)
                words = DIED if died else " ".join(str(error).split())[:300]
                yield PartitionOutcome(task.partition.number, error=words)
            following = next(waiting, None)
            if following is not None:
                running[remote.remote(following)] = following
