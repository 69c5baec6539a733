"""Does one partition: checks its files and writes its tables, which appear all at once or not at all.

The folder of a partition exists only when it is complete. Whoever is killed leaves a temporary folder, which the next
run removes; whoever finds that another worker was faster drops its own, which would hold the same.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from time import perf_counter, process_time

import pyarrow as pa

from devlint.core.errors import DevlintError
from devlint.core.record import Record
from devlint.fleet.batches import checked_files
from devlint.fleet.file_checker import FileChecker, Row
from devlint.fleet.inputs.folders import FolderTree
from devlint.fleet.inputs.git import GitTree
from devlint.fleet.inputs.parquet import parquet_rows
from devlint.fleet.inputs.partition import Partition, Slice
from devlint.fleet.options import FleetOptions
from devlint.fleet.tables import TableWriter

TEMPORARY = ".partition-"
SUMMARY = "summary.json"
_THRESHOLD = 50_000
"""As in `devlint check`: LibCST makes many objects, and few in circles."""


class PartitionTask(Record):
    """A partition, and what to do with it: all that a worker is sent."""

    partition: Partition
    options: FleetOptions
    fixing: bool
    output: str
    """The folder of the run, which all workers see."""


class PartitionOutcome(Record):
    """What has become of a partition."""

    number: int
    files: int = 0
    findings: int = 0
    failed: int = 0
    """Files that could not be checked."""
    fixed: int = 0
    """Files that fixes change."""
    bytes: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    memory: int = 0
    """The most bytes that the worker has held so far; 0 where the system does not say."""
    error: str = ""
    """Why the partition is not done; it has no tables then."""


def do_partition(task: PartitionTask) -> PartitionOutcome:
    """Check a partition and put its tables in their place, unless they are there; raises nothing for bad input."""
    done = finished(task.output, task.partition)
    if done is not None:
        return done
    thresholds = gc.get_threshold()
    gc.set_threshold(_THRESHOLD)
    try:
        return _written(task)
    except (OSError, DevlintError, pa.ArrowException, MemoryError) as error:
        return PartitionOutcome(task.partition.number, error=" ".join(f"{type(error).__name__}: {error}".split()))
    finally:
        gc.set_threshold(*thresholds)


def finished(output: str, partition: Partition) -> PartitionOutcome | None:
    """What an earlier worker has written about a partition; None where it is not done."""
    try:
        with open(os.path.join(output, partition.name, SUMMARY), encoding="utf-8") as file:
            return PartitionOutcome(**json.load(file))
    except (OSError, ValueError):
        return None


def remove_unfinished(output: str) -> None:
    """Remove what workers that were killed have left."""
    with suppress(OSError), os.scandir(output) as listing:
        for one in [one.path for one in listing if one.name.startswith(TEMPORARY)]:
            shutil.rmtree(one, ignore_errors=True)


def _written(task: PartitionTask) -> PartitionOutcome:
    temporary = os.path.join(task.output, f"{TEMPORARY}{task.partition.number:06}-{os.urandom(6).hex()}")
    os.mkdir(temporary)
    start, cpu = perf_counter(), process_time()
    try:
        with TableWriter(temporary) as writer:
            for one in task.partition.slices:
                for row in _rows(one, task.options, task.fixing):
                    writer.add(row)
        outcome = PartitionOutcome(task.partition.number).replace(
            **writer.counts,
            seconds=round(perf_counter() - start, 3),
            cpu_seconds=round(process_time() - cpu, 3),
            memory=_peak_memory(),
        )
        _put(os.path.join(temporary, SUMMARY), json.dumps(outcome._as_dict(), indent=1) + "\n")
        return _published(task, temporary) or outcome
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _peak_memory() -> int:
    """The most memory that this process has had; 0 where the system does not say."""
    if sys.platform == "win32":
        return 0
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _put(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _published(task: PartitionTask, temporary: str) -> PartitionOutcome | None:
    """Move a complete folder to its place; if another worker was faster, what that has written counts."""
    try:
        os.rename(temporary, os.path.join(task.output, task.partition.name))
    except OSError:
        done = finished(task.output, task.partition)
        if done is None:
            raise
        return done
    return None


def _rows(one: Slice, options: FleetOptions, fixing: bool) -> Iterator[Row]:
    """A row for each file of a slice."""
    if one.kind == "parquet":
        for files in parquet_rows(one, options.whole_repositories):
            yield from checked_files(files, options, fixing)
        return
    if one.kind == "folder":
        yield from _tree_rows(one, FolderTree(one.location), one.paths, options, fixing)
        return
    with closing(GitTree(one.location, one.commit)) as tree:
        yield from _tree_rows(one, tree, tree.wanted()[one.start : one.stop], options, fixing)


def _tree_rows(
    one: Slice, tree: FolderTree | GitTree, paths: list[str] | tuple[str, ...], options: FleetOptions, fixing: bool
) -> Iterator[Row]:
    checker = FileChecker(tree, options, fixing)
    for path in paths:
        try:
            content, problem = tree.content(path), ""
        except (OSError, ValueError) as error:
            content, problem = None, f"cannot be read: {getattr(error, 'strerror', None) or error}"
        yield checker.row(one.repo, path, content, problem)
