"""Ray and Spark, started here with two workers: they do what one process does, and survive the death of a worker.

`make fleet` installs them; elsewhere these tests are skipped.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from devlint.fleet import check_batch
from devlint.fleet.audit import Audit, AuditRequest, load_engine, open_audit
from devlint.fleet.engines import DIED
from devlint.fleet.engines.local import run_local
from devlint.fleet.partitions import PartitionOutcome, PartitionTask
from tests.fleet.deadly import DeadlyTask, OnceDeadlyTask
from tests.fleet.manual import functions
from tests.fleet.repositories import CUDA, REPOSITORIES, batch, digests, rows
from tests.support.paths import ROOT

pytestmark = pytest.mark.filterwarnings("default")  # those of Ray and Spark are theirs


def _missing(engine: str) -> str:
    """Why an engine cannot be started here; empty where it can."""
    if importlib.util.find_spec({"ray": "ray", "spark": "pyspark"}[engine]) is None:
        return f"{engine.title()} is not installed; `make fleet` installs it"
    return "Java is not installed" if engine == "spark" and shutil.which("java") is None else ""


@pytest.fixture(params=["ray", "spark"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an engine that is there."""
    reason = _missing(request.param)
    if reason:
        pytest.skip(reason)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # workers unpickle what these tests define
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    return str(request.param)


@pytest.fixture
def many(repositories: Path) -> Path:
    """Repositories that take some seconds."""
    program = b"import torch\n\n\n" + b"\n".join(
        b"def f%d():\n    x = torch.zeros(2).cuda()\n    return x\n" % n for n in range(10)
    )
    for number in range(24):
        (repositories / "delta").mkdir(exist_ok=True)
        (repositories / "delta" / f"a{number}.py").write_bytes(program)
    return repositories


def audit(source: Path, output: Path) -> Audit:
    return open_audit(AuditRequest(str(source), str(output), fixing=True, partition_size=3))


def test_the_tables_are_those_of_one_process(engine: str, many: Path, tmp_path: Path) -> None:
    list(audit(many, tmp_path / "one").run(run_local, 1))
    outcomes = list(audit(many, tmp_path / "two").run(load_engine(engine), 2))
    assert sorted(one.number for one in outcomes) == list(range(len(audit(many, tmp_path / "two").partitions)))
    assert len(outcomes) > 9, "more than Ray is given at once"
    assert not [one.error for one in outcomes if one.error]
    assert digests(tmp_path / "one") == digests(tmp_path / "two") != {}
    assert len(rows(tmp_path / "two", "findings")) > 200


def test_a_worker_is_killed_in_the_middle(engine: str, many: Path, tmp_path: Path) -> None:
    mark = tmp_path / "killed"

    def with_a_death(tasks: Sequence[PartitionTask], workers: int) -> Iterator[PartitionOutcome]:
        deadly = OnceDeadlyTask(**{**tasks[4]._as_dict(), "mark": str(mark)})
        return load_engine(engine)([*tasks[:4], deadly, *tasks[5:]], workers)

    list(audit(many, tmp_path / "one").run(run_local, 1))
    outcomes = list(audit(many, tmp_path / "two").run(with_a_death, 2))
    assert mark.exists()
    assert not [one.error for one in outcomes if one.error]
    assert sorted(one.number for one in outcomes) == list(range(len(outcomes)))
    assert digests(tmp_path / "one") == digests(tmp_path / "two")


def test_a_partition_on_which_workers_die_is_given_up(engine: str, many: Path, tmp_path: Path) -> None:
    run = audit(many, tmp_path / "out")
    tasks = [run._task(one) for one in run.partitions]
    deadly = DeadlyTask(**{**tasks[2]._as_dict(), "maker": os.getpid()})
    outcomes = list(load_engine(engine)([*tasks[:2], deadly, *tasks[3:]], 2))
    assert {one.number: one.error for one in outcomes if one.error} == {2: DIED}
    assert len(outcomes) == len(tasks)


def without_times(result: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows that can be compared."""
    return sorted(
        ({key: one[key] for key in ("repo", "path", "error", "parsed", "findings")} for one in result),
        key=lambda one: (one["repo"], one["path"]),
    )


@pytest.fixture
def expected() -> list[dict[str, Any]]:
    """What the plain function says."""
    files = {**REPOSITORIES, **{("z", f"{number}.py"): CUDA for number in range(20)}}
    return without_times(functions()["check"](batch(files)).to_pylist())


def sources() -> list[tuple[str, str, bytes]]:
    """The same files as rows."""
    files = {**REPOSITORIES, **{("z", f"{number}.py"): CUDA for number in range(20)}}
    return [(*names, content) for names, content in files.items()]


def test_map_batches_of_ray_data(expected: list[dict[str, Any]]) -> None:
    if _missing("ray"):
        pytest.skip(_missing("ray"))
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        dataset = ray.data.from_arrow(pa.Table.from_batches([batch(sources())]))
        result = functions()["with_ray"](dataset).take_all()
    finally:
        ray.shutdown()
    for row in result:
        row["findings"] = list(row["findings"])
    assert without_times(result) == expected


def test_map_in_arrow_of_spark(expected: list[dict[str, Any]]) -> None:
    if _missing("spark"):
        pytest.skip(_missing("spark"))
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        frame = session.createDataFrame(sources(), "repo string, path string, content binary").repartition(4)
        result = [row.asDict(recursive=True) for row in functions()["with_spark"](frame).collect()]
    finally:
        session.stop()
    assert without_times(result) == expected
    assert check_batch(batch(REPOSITORIES)).num_rows == len(REPOSITORIES)
