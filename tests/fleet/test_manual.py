"""docs/audits.md: its examples run, its ten questions have the right answers, its tables are the real ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from devlint.fleet import FILES_SCHEMA, FINDINGS_SCHEMA
from devlint.fleet.audit import AuditRequest, open_audit
from devlint.fleet.engines.local import run_local
from tests.fleet.manual import PAGE, PYTHON, QUERIES, QUESTIONS, VIEWS
from tests.fleet.repositories import CUDA


@pytest.fixture
def answers(repositories: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[tuple[Any, ...]]]:
    """What DuckDB answers to each question, about a run and one before it."""
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    monkeypatch.chdir(tmp_path)
    for name in ("before", "audit"):
        list(open_audit(AuditRequest(str(repositories), name, partition_size=3)).run(run_local, 1))
        (repositories / "alpha" / "train.py").write_bytes(b"# moved\n\n" + CUDA)
        (repositories / "alpha" / "new.py").write_bytes(CUDA)
        (repositories / "beta" / "main.py").write_bytes(b"import os\n")
        (repositories / "beta" / "same.py").write_bytes(b"import os\n")
    connection = duckdb.connect()
    connection.execute(VIEWS)
    return [connection.sql(query).fetchall() for query in QUERIES]


def test_the_examples_run() -> None:
    for example in PYTHON:
        exec(compile(example, "audits.md", "exec"), {})


def test_there_are_ten_questions() -> None:
    assert [int(number) for number, _ in QUESTIONS] == list(range(1, 11))
    assert len(QUERIES) == 10


def test_the_answers(answers: list[list[tuple[Any, ...]]]) -> None:
    clean, rules, work, share, safe, pivot, errors, changes, duplicates, times = answers
    assert clean == [("beta", 3)]
    assert ("DEV101", "cuda-method") in {(code, name) for code, name, _, _ in rules}
    assert sum(count for _, _, count, _ in rules) == sum(row[1] for row in work) == sum(row[1] for row in share)
    assert {row[0] for row in work} == {"alpha", "gamma"}
    assert all(row[1] == row[2] + row[3] + row[4] for row in work)
    assert sum(row[2] for row in share) == pytest.approx(100, abs=0.3)
    assert [row[0] for row in safe] == ["alpha"]
    assert [row[0] for row in pivot] == ["alpha", "gamma"]
    assert any("nested more than N deep" in reason for reason, _, _ in errors)
    assert changes == [("alpha", "DEV101", 1, 0), ("beta", "DEV101", 0, 1)]
    assert duplicates[0][1] == 2
    assert len(times) == duplicates[0][0]


@pytest.mark.parametrize("schema", [FILES_SCHEMA, FINDINGS_SCHEMA], ids=["files", "findings"])
def test_the_tables_are_the_real_ones(schema: Any) -> None:
    name = schema.metadata[b"devlint.table"].decode()
    section = PAGE.split(f"\n`{name}`: a row per")[1].split("\n`", 1)[0]
    documented = {
        column: kind
        for names, kind in re.findall(r"^\| (`.*?) \| (\w+) \|", section, re.MULTILINE)
        for column in re.findall(r"`(\w+)`", names)
    }
    assert documented == {field.name: str(field.type).partition("<")[0] for field in schema}
