"""Runs over many repositories: every input gives the same tables, and nothing is torn, lost or counted twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from devlint.core.errors import DevlintError
from devlint.fleet import FILES_SCHEMA, FINDINGS_SCHEMA, TIMINGS_SCHEMA, FleetOptions
from devlint.fleet.audit import Audit, AuditRequest, load_engine, open_audit
from devlint.fleet.engines.local import run_local
from devlint.fleet.inputs.partition import Slice, partitioned, pieces
from devlint.fleet.partitions import TEMPORARY, PartitionOutcome, PartitionTask, do_partition
from tests.fleet.repositories import FIXED, REPOSITORIES, batch, digests, rows
from tests.support.paths import ROOT

CHECKED = sorted((repo, path) for repo, path in REPOSITORIES if not path.startswith("build/"))


def audit(source: Path, output: Path, **values: Any) -> Audit:
    """A run over some input, with small partitions."""
    return open_audit(AuditRequest(str(source), str(output), **{"partition_size": 2, **values}))


def done(source: Path, output: Path, workers: int = 1, **values: Any) -> list[PartitionOutcome]:
    """All that has become of a run."""
    return list(audit(source, output, **values).run(run_local, workers))


@pytest.fixture
def parquet(tmp_path: Path, repositories: Path) -> Path:
    """The repositories in Parquet, as corpora have them: by other names, in two files and several row groups."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    names = ["max_stars_repo_name", "max_stars_repo_path", "content"]
    files = {name: REPOSITORIES[name] for name in CHECKED}
    table = batch(files).rename_columns(names)
    import pyarrow as pa

    pq.write_table(pa.Table.from_batches([table.slice(0, 5)]), folder / "a.parquet", row_group_size=2)
    pq.write_table(pa.Table.from_batches([table.slice(5)]), folder / "b.parquet", row_group_size=2)
    return folder


def test_a_folder_of_repositories(repositories: Path, tmp_path: Path) -> None:
    outcomes = done(repositories, tmp_path / "out", fixing=True)
    assert sorted((row["repo"], row["path"]) for row in rows(tmp_path / "out", "files")) == CHECKED
    assert sum(one.files for one in outcomes) == len(CHECKED)
    assert sum(one.findings for one in outcomes) == len(rows(tmp_path / "out", "findings")) > 4
    by_path = {row["path"]: row for row in rows(tmp_path / "out", "files")}
    assert by_path["train.py"]["fixed_content"] == FIXED
    assert by_path["train.py"]["findings"] == 1
    assert "nested" in by_path["deep.py"]["error"]
    assert b"shared.device" in by_path["main.py"]["fixed_content"]
    assert {row["path"] for row in rows(tmp_path / "out", "timings")} == set(by_path)


def test_tables_have_the_schemas_that_are_documented(repositories: Path, tmp_path: Path) -> None:
    done(repositories, tmp_path / "out")
    for name, schema in (("files", FILES_SCHEMA), ("findings", FINDINGS_SCHEMA), ("timings", TIMINGS_SCHEMA)):
        for path in (tmp_path / "out").glob(f"partition=*/{name}.parquet"):
            assert pq.read_schema(path).equals(schema, check_metadata=True)


def test_git_directories_are_read_without_a_checkout(
    repositories: Path, git_repositories: Path, tmp_path: Path
) -> None:
    done(git_repositories, tmp_path / "git", fixing=True)
    for (repo, path), content in REPOSITORIES.items():
        (repositories / repo / path).write_bytes(content)
    done(repositories, tmp_path / "folder", fixing=True)
    assert rows(tmp_path / "git", "findings")
    for table in ("files", "findings"):
        assert rows(tmp_path / "git", table) == rows(tmp_path / "folder", table)


def test_a_revision_is_read_as_it_was(git_repositories: Path, tmp_path: Path) -> None:
    alpha = git_repositories.parent / "repositories" / "alpha"
    (alpha / "train.py").write_bytes(b"import os\n")
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *identity, "commit", "-qam", "mended"], cwd=alpha, check=True)
    listing = tmp_path / "two.txt"
    listing.write_text("repositories/alpha\nrepositories/alpha\tHEAD~1\tbefore\n")
    done(listing, tmp_path / "out")
    assert {row["repo"] for row in rows(tmp_path / "out", "findings") if row["path"] == "train.py"} == {"before"}
    assert {row["repo"] for row in rows(tmp_path / "out", "files")} == {"before", "repositories/alpha"}


def test_a_repository_that_cannot_be_read_is_said(git_repositories: Path, tmp_path: Path) -> None:
    with git_repositories.open("a") as file:
        file.write("nowhere\nrepositories/beta\tno-such-revision\tx\n")
    run = audit(git_repositories, tmp_path / "out")
    assert [problem.partition(":")[0] for problem in run.problems] == ["nowhere", "x"]
    assert all(not one.error for one in run.run(run_local, 1))
    assert audit(git_repositories, tmp_path / "out").problems == run.problems


def test_parquet_as_corpora_are_published(parquet: Path, repositories: Path, tmp_path: Path) -> None:
    done(parquet, tmp_path / "rows")
    assert sorted((row["repo"], row["path"]) for row in rows(tmp_path / "rows", "files")) == CHECKED
    done(parquet / "b.parquet", tmp_path / "one")
    assert len(rows(tmp_path / "one", "files")) == len(CHECKED) - 5
    done(repositories, tmp_path / "folder", fixing=True)
    done(parquet, tmp_path / "together", fixing=True, options=FleetOptions(whole_repositories=True))
    together, folder = (
        {(row["repo"], row["path"]): row["fixed_content"] for row in rows(tmp_path / name, "files")}
        for name in ("together", "folder")
    )
    assert together == folder


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("no.parquet", b"PAR1", "is no Parquet"),
        ("list.txt", b"a\tb\tc\td\n", "list.txt:1: expected PATH, REVISION and NAME"),
        ("list.txt", b"a\na\tHEAD\n", "list.txt:2: 'a' is listed before"),
        ("list.txt", b"", "has no files to check"),
        ("list.txt", b"\xff", "is no UTF-8"),
    ],
)
def test_an_input_that_is_none(tmp_path: Path, name: str, content: bytes, problem: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DevlintError, match=problem):
        audit(tmp_path / name, tmp_path / "out")


def test_a_folder_with_something_else_is_left_alone(repositories: Path, tmp_path: Path) -> None:
    with pytest.raises(DevlintError, match="is not empty"):
        audit(repositories, repositories)
    done(repositories, tmp_path / "out")
    with pytest.raises(DevlintError, match="holds a run with another options"):
        audit(repositories, tmp_path / "out", options=FleetOptions(ignore=("DEV1",)))


def test_the_number_of_workers_changes_no_byte(repositories: Path, tmp_path: Path) -> None:
    done(repositories, tmp_path / "one", fixing=True)
    outcomes = done(repositories, tmp_path / "two", workers=2, fixing=True)
    assert len(outcomes) > 2
    assert digests(tmp_path / "one") == digests(tmp_path / "two") != {}


def test_a_run_goes_on_where_it_ended(repositories: Path, tmp_path: Path) -> None:
    done(repositories, tmp_path / "whole")
    first = audit(repositories, tmp_path / "out").run(run_local, 1)
    next(first)
    first.close()
    (tmp_path / "out" / f"{TEMPORARY}000001-abc").mkdir()
    begun: list[int] = []

    def engine(tasks: Sequence[PartitionTask], _workers: int) -> Iterator[PartitionOutcome]:
        for task in tasks:
            begun.append(task.partition.number)
            yield do_partition(task)

    outcomes = list(audit(repositories, tmp_path / "out").run(engine, 1))
    assert [one.number for one in outcomes] == list(range(len(outcomes)))
    assert begun == list(range(1, len(outcomes)))
    assert digests(tmp_path / "out") == digests(tmp_path / "whole")
    assert not list((tmp_path / "out").glob(f"{TEMPORARY}*"))
    begun.clear()
    assert list(audit(repositories, tmp_path / "out").run(engine, 1)) == outcomes
    assert begun == []


def test_a_partition_that_another_worker_has_done_is_dropped(repositories: Path, tmp_path: Path) -> None:
    run = audit(repositories, tmp_path / "out")
    task = run._task(run.partitions[0])
    first = do_partition(task)
    before = digests(tmp_path / "out")
    summary = tmp_path / "out" / run.partitions[0].name / "summary.json"
    held = summary.read_bytes()
    summary.unlink()  # as if the other had finished after this one asked
    assert "Directory not empty" in do_partition(task).error
    summary.write_bytes(held)
    assert do_partition(task) == first
    assert digests(tmp_path / "out") == before


def test_a_partition_that_fails_fails_alone(repositories: Path, tmp_path: Path) -> None:
    run = audit(repositories, tmp_path / "out")
    wrong = run.partitions[1].replace(slices=(Slice("parquet", str(tmp_path / "gone.parquet"), 1),))
    partitions = (run.partitions[0], wrong, *run.partitions[2:])
    outcomes = list(run.replace(partitions=partitions).run(run_local, 1))
    assert [bool(one.error) for one in outcomes] == [number == 1 for number in range(len(outcomes))]
    assert "gone.parquet" in outcomes[1].error
    assert not (tmp_path / "out" / wrong.name).exists()
    assert not [one.error for one in run.run(run_local, 1) if one.error]


def test_no_partition_is_lost_without_a_word(repositories: Path, tmp_path: Path) -> None:
    outcomes = list(audit(repositories, tmp_path / "out").run(lambda tasks, _: run_local(tasks[1:], 1), 1))
    assert [one.number for one in outcomes if one.error] == [0]


def test_a_second_run_into_the_same_folder_is_refused(repositories: Path, tmp_path: Path) -> None:
    first = audit(repositories, tmp_path / "out").run(run_local, 1)
    next(first)
    with pytest.raises(DevlintError, match="another run is writing into it"):
        done(repositories, tmp_path / "out")
    first.close()


DIES = """\
import os, signal, sys
top, left, begun = sys.argv[1], int(sys.argv[2]), False
del sys.argv[1:3]

def count(event, arguments):
    global begun, left
    if event in ("open", "os.mkdir", "os.rename") and str(arguments[0]).startswith(top):
        begun |= ".partition-" in arguments[0]
        left -= begun
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(count)
from devlint.cli import main
main()
"""
"""A run that is killed at a certain one of its steps in a folder, counted from the first partition on."""


def test_a_run_that_was_killed_before_it_began_is_none(repositories: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".devlint-0123456789abcdef.tmp").touch()
    assert done(repositories, tmp_path / "out")


@pytest.mark.slow
def test_a_killed_run_leaves_nothing_torn(repositories: Path, tmp_path: Path) -> None:
    for number in range(12):
        (repositories / "delta").mkdir(exist_ok=True)
        (repositories / "delta" / f"a{number}.py").write_bytes(b"import torch\nx = torch.zeros(2).cuda()\n" * 20)
    done(repositories, tmp_path / "whole")
    arguments = ["fleet", "check", str(repositories), "-o", str(tmp_path / "out"), "-j1", "--partition-size", "2"]
    finished = [0]
    for step in random.sample(range(30, 42), 3):
        command = [sys.executable, "-c", DIES, str(tmp_path), str(step), *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.run(command, env=environment, capture_output=True)
        assert process.returncode == -signal.SIGKILL, process.stderr.decode()
        for folder in tmp_path.glob("out/partition=*"):
            assert (
                sum(pq.read_metadata(folder / f"{name}.parquet").num_rows for name in ("files", "timings"))
                == 2 * json.loads((folder / "summary.json").read_text())["files"]
            )
        finished.append(len(list(tmp_path.glob("out/partition=*"))))
    assert 0 < finished[1] < finished[-1]
    done(repositories, tmp_path / "out")
    assert digests(tmp_path / "out") == digests(tmp_path / "whole")


def _dies_once(task: PartitionTask) -> PartitionOutcome:
    """Kill this worker the first time that it is given the second partition."""
    mark = Path(task.output) / "died"
    if task.partition.number == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return do_partition(task)


def _always_dies(task: PartitionTask) -> PartitionOutcome:
    """Kill every worker that is given the second partition."""
    if task.partition.number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return do_partition(task)


@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced(
    repositories: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done(repositories, tmp_path / "whole")
    monkeypatch.setattr("devlint.fleet.engines.local.do_partition", _dies_once)
    outcomes = done(repositories, tmp_path / "out", workers=2)
    assert sorted(one.number for one in outcomes) == list(range(len(outcomes)))
    assert (tmp_path / "out" / "died").exists()
    assert digests(tmp_path / "out") == digests(tmp_path / "whole")


@pytest.mark.slow
def test_a_partition_on_which_workers_die_is_given_up(
    repositories: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devlint.fleet.engines.local.do_partition", _always_dies)
    outcomes = done(repositories, tmp_path / "out", workers=2)
    errors = {one.number: one.error for one in outcomes if one.error}
    assert errors == {1: "the worker died on it, 3 times"}
    assert sorted(one.number for one in outcomes) == list(range(len(outcomes)))


def test_partitions_are_cut_at_their_size() -> None:
    slices = [Slice("git", str(number), count) for number, count in enumerate((3, 3, 9, 1, 1))]
    assert [one.count for one in partitioned(slices, 6)] == [6, 9, 2]
    assert list(pieces(5, 2)) == [(0, 2), (2, 4), (4, 5)]


def test_an_engine_that_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "devlint.fleet.engines.ray", raising=False)
    with pytest.raises(DevlintError, match="--engine ray needs the package ray: pip install ray"):
        load_engine("ray")
