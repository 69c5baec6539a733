"""Batches in Dask, DuckDB and Polars, as docs/audits.md writes them; Ray and Spark are in test_clusters.py."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from devlint.fleet import CHECKED_SCHEMA
from tests.fleet.manual import functions
from tests.fleet.repositories import REPOSITORIES, batch

COLUMNS = ("repo", "path", "parsed", "error", "findings")


@pytest.fixture
def expected() -> list[dict[str, Any]]:
    """What the plain function says of the repositories."""
    return picked(functions()["check"](batch(REPOSITORIES)).to_pylist())


def picked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: row[name] for name in COLUMNS} for row in rows]


def test_dask(expected: list[dict[str, Any]]) -> None:
    bags = pytest.importorskip("dask.bag", reason="Dask is not installed")
    whole = batch(REPOSITORIES)
    bag = bags.from_sequence([whole.slice(0, 4), whole.slice(4)], npartitions=2)
    results = functions()["with_dask"](bag).compute(scheduler="sync")
    assert picked([row for one in results for row in one.to_pylist()]) == expected


def test_duckdb(expected: list[dict[str, Any]]) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    connection = duckdb.connect()
    connection.register("code", pa.Table.from_batches([batch(REPOSITORIES)]))
    result = functions()["with_duckdb"](connection, "SELECT * FROM code")
    assert picked(result.to_arrow_table().to_pylist()) == expected


def test_polars(expected: list[dict[str, Any]]) -> None:
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    frame = pl.from_arrow(pa.Table.from_batches([batch(REPOSITORIES)]))
    result = functions()["with_polars"](frame)
    assert picked(result.to_dicts()) == expected
    assert result.columns == CHECKED_SCHEMA.names
