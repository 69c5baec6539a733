"""A run over all partitions of an input: begun, or resumed where an earlier one has ended, however that was."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from devlint import __version__
from devlint.core.errors import DevlintError
from devlint.core.record import Record
from devlint.fleet.engines import Engine
from devlint.fleet.inputs.partition import Partition, Slice
from devlint.fleet.inputs.plan import plan
from devlint.fleet.options import FleetOptions
from devlint.fleet.partitions import PartitionOutcome, PartitionTask, finished, remove_unfinished
from devlint.fleet.schemas import SCHEMA_VERSION
from devlint.sources.file_writing import remove_leftovers, replace_file

RUN = "run.json"
_LOCK = "run.lock"
PARTITION_SIZE = 2_000
"""Files in a partition: what is lost with a worker, and the most that one may be behind the others."""
ENGINES = {"local": "pyarrow", "ray": "ray", "spark": "pyspark"}
"""The engines, and the package that each needs."""


class AuditRequest(Record):
    """What to look at, how, and where to put the tables."""

    input: str
    output: str
    options: FleetOptions = FleetOptions()
    fixing: bool = False
    """Whether the tables hold what `devlint fix` would write."""
    partition_size: int = PARTITION_SIZE

    def as_json(self) -> dict[str, Any]:
        """All that decides what the tables hold."""
        return {
            "devlint": __version__,
            "schema": SCHEMA_VERSION,
            "input": os.path.abspath(self.input),
            "options": self.options.as_json(),
            "fixing": self.fixing,
            "partition_size": self.partition_size,
        }


class Audit(Record):
    """One run."""

    request: AuditRequest
    partitions: tuple[Partition, ...]
    problems: tuple[str, ...] = ()
    """What of the input cannot be read."""

    @property
    def files(self) -> int:
        """How many files there are, done or not."""
        return sum(one.count for one in self.partitions)

    def done(self) -> list[PartitionOutcome]:
        """What earlier runs have done."""
        found = (finished(self.request.output, one) for one in self.partitions)
        return [one for one in found if one is not None]

    def run(self, engine: Engine, workers: int) -> Iterator[PartitionOutcome]:
        """Do what is not done; an outcome for every partition of the input, those of earlier runs first."""
        with _locked(self.request.output):
            remove_unfinished(self.request.output)
            done = self.done()
            yield from done
            numbers = {one.number for one in done}
            tasks = {one.number: self._task(one) for one in self.partitions if one.number not in numbers}
            for outcome in engine(list(tasks.values()), workers) if tasks else ():
                del tasks[outcome.number]
                yield outcome
            for number in tasks:
                yield PartitionOutcome(number, error="the engine has lost it")

    def _task(self, partition: Partition) -> PartitionTask:
        request = self.request
        return PartitionTask(partition, request.options, request.fixing, os.path.abspath(request.output))


def open_audit(request: AuditRequest) -> Audit:
    """The run whose tables are in a folder, or a new one; raises DevlintError where the folder has another run's."""
    path = os.path.join(request.output, RUN)
    recorded = read_run(request.output) if os.path.exists(path) else None
    if recorded is None:
        return _begun(request, path)
    different = [key for key, value in request.as_json().items() if recorded.get(key) != value]
    if different:
        words = ", ".join(different).replace("_", " ")
        raise DevlintError(f"{request.output}: holds a run with another {words}; choose another folder, or remove it")
    partitions = (
        Partition(number, tuple(map(Slice.from_json, slices))) for number, slices in enumerate(recorded["partitions"])
    )
    return Audit(request, tuple(partitions), tuple(recorded["problems"]))


def read_run(output: str) -> dict[str, Any]:
    """What a folder of tables says about its run; raises DevlintError where it is none."""
    path = os.path.join(output, RUN)
    try:
        with open(path, encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
    except FileNotFoundError:
        raise DevlintError(f"{output}: holds no run of `devlint fleet check`") from None
    except (OSError, ValueError) as error:
        raise DevlintError(f"{path}: cannot be read: {error}") from None
    return found


def load_engine(name: str) -> Engine:
    """The engine of a name; raises DevlintError where its package is not installed."""
    try:
        module = importlib.import_module(f"devlint.fleet.engines.{name}")
    except ModuleNotFoundError as error:
        raise DevlintError(f"--engine {name} needs the package {error.name}: pip install {ENGINES[name]}") from None
    engine: Engine = getattr(module, f"run_{name}")
    return engine


def _begun(request: AuditRequest, path: str) -> Audit:
    """A new run: its plan is written before anything is done."""
    if not os.path.exists(request.input):
        raise DevlintError(f"{request.input}: does not exist")
    try:
        os.makedirs(request.output, exist_ok=True)
        remove_leftovers(request.output)
        if os.listdir(request.output):
            raise DevlintError(f"{request.output}: is not empty, and holds no run of `devlint fleet check`")
        partitions, problems = plan(request.input, request.partition_size, request.options.whole_repositories)
        slices = [[one.as_json() for one in partition.slices] for partition in partitions]
        header = {**request.as_json(), "problems": problems, "partitions": slices}
        replace_file(path, json.dumps(header, indent=1).encode())
    except OSError as error:
        raise DevlintError(f"{request.output}: {error.strerror}") from None
    return Audit(request, tuple(partitions), tuple(problems))


@contextmanager
def _locked(output: str) -> Iterator[None]:
    """Let no other run write into the folder; the lock ends with this process, however that does."""
    with open(os.path.join(output, _LOCK), "wb") as file:
        if os.name != "nt":
            import fcntl

            try:
                fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise DevlintError(f"{output}: another run is writing into it") from None
            except OSError:  # not all file systems have locks
                pass
        yield
