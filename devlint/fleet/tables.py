"""The tables of a partition: written as rows come, with the same bytes for the same rows, but for the times."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from devlint.fleet.file_checker import Row
from devlint.fleet.schemas import FILES_SCHEMA, FINDINGS_SCHEMA, TIMINGS_SCHEMA

TABLES = {"files": FILES_SCHEMA, "findings": FINDINGS_SCHEMA, "timings": TIMINGS_SCHEMA}
_HELD_ROWS = 2_000
_HELD_BYTES = 8_000_000


class TableWriter:
    """Writes the tables of a partition into a folder; memory is bounded, however many rows come."""

    def __init__(self, folder: str) -> None:
        self._paths = {name: os.path.join(folder, f"{name}.parquet") for name in TABLES}
        self._writers = {name: pq.ParquetWriter(self._paths[name], TABLES[name], compression="zstd") for name in TABLES}
        self._rows: dict[str, list[Row]] = {name: [] for name in TABLES}
        self._held = 0
        self.counts = dict.fromkeys(("files", "findings", "failed", "fixed", "bytes"), 0)
        """How many there are of each."""

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, _error: object, _trace: TracebackType | None) -> None:
        if kind is None:
            self._flush()
        for writer in self._writers.values():
            writer.close()
        if kind is None:
            for path in self._paths.values():
                with open(path, "rb+") as file:
                    os.fsync(file.fileno())

    def add(self, row: Row) -> None:
        """Take the row of one file."""
        place = {"repo": row["repo"], "path": row["path"]}
        findings = row["findings"]
        fixed = row["fixed_content"]
        self._rows["files"].append({**row, "findings": len(findings)})
        self._rows["timings"].append({**place, "seconds": row["seconds"]})
        self._rows["findings"] += [{**place, **one} for one in findings]
        self._count(row, len(findings))
        self._held += len(fixed or b"") + 500 * len(findings)
        if self._held > _HELD_BYTES or max(map(len, self._rows.values())) >= _HELD_ROWS:
            self._flush()

    def _count(self, row: dict[str, Any], findings: int) -> None:
        self.counts["files"] += 1
        self.counts["findings"] += findings
        self.counts["failed"] += row["error"] is not None
        self.counts["fixed"] += row["fixed_content"] is not None
        self.counts["bytes"] += row["bytes"] or 0

    def _flush(self) -> None:
        for name, rows in self._rows.items():
            if rows:
                self._writers[name].write_table(pa.Table.from_pylist(rows, schema=TABLES[name]))
                rows.clear()
        self._held = 0
