"""The tables that audits read and write: their columns, and the version of each."""

from __future__ import annotations

import pyarrow as pa

SCHEMA_VERSION = 1
"""Grows with every change that a reader of the tables can notice; each table carries it in its metadata."""


def _versioned(name: str, fields: list[pa.Field]) -> pa.Schema:
    """A schema that says which table of devlint's it is, and which version."""
    metadata = {b"devlint.table": name.encode(), b"devlint.schema-version": str(SCHEMA_VERSION).encode()}
    return pa.schema(fields, metadata=metadata)


def _listed(kind: pa.DataType) -> pa.DataType:
    """A list, whose elements are called as Parquet calls them."""
    return pa.list_(pa.field("element", kind))


INPUT_COLUMNS = ("repo", "path", "content")
"""What a batch to check has; others are left alone. The content is binary, or text that is written as UTF-8."""

EDIT = pa.struct(
    [
        pa.field("row", pa.int32()),
        pa.field("column", pa.int32()),
        pa.field("end_row", pa.int32()),
        pa.field("end_column", pa.int32()),
        pa.field("content", pa.string()),
    ]
)
"""Replace what is between two places by ``content``. In a notebook, rows count in the cell of the finding."""

_FINDING_FIELDS = [
    pa.field("code", pa.string()),
    pa.field("name", pa.string()),
    pa.field("row", pa.int32()),
    pa.field("column", pa.int32()),
    pa.field("end_row", pa.int32()),
    pa.field("end_column", pa.int32()),
    pa.field("cell", pa.int32()),
    pa.field("message", pa.string()),
    pa.field("applicability", pa.string()),
    pa.field("fix_message", pa.string()),
    pa.field("edits", _listed(EDIT)),
]
"""Rows and columns count from 1, columns in characters; ``cell`` is null outside of notebooks, ``applicability`` is
``safe``, ``unsafe`` or null where there is no fix."""

_REPO_AND_PATH = [pa.field("repo", pa.string()), pa.field("path", pa.string())]
_FILE_FIELDS = [
    *_REPO_AND_PATH,
    pa.field("bytes", pa.int64()),
    pa.field("digest", pa.string()),
    pa.field("parsed", pa.bool_()),
    pa.field("error", pa.string()),
    pa.field("fixed_content", pa.binary()),
]
"""``digest`` is of the content; ``parsed`` is null where no rule looks for anything that the file has, and false
where its text cannot be read; ``error`` is why a file was not checked; ``fixed_content`` is null where no fix changes
anything, or none was asked for."""

CHECKED_SCHEMA = _versioned(
    "checked",
    [*_FILE_FIELDS, pa.field("seconds", pa.float64()), pa.field("findings", _listed(pa.struct(_FINDING_FIELDS)))],
)
"""What ``check_batch`` and ``fix_batch`` return: a row per file, in the order of the input, with its findings."""
FILES_SCHEMA = _versioned("files", [*_FILE_FIELDS, pa.field("findings", pa.int32())])
"""A row per file, without anything that was measured: the same input gives the same bytes."""
FINDINGS_SCHEMA = _versioned("findings", [*_REPO_AND_PATH, *_FINDING_FIELDS])
"""A row per finding."""
TIMINGS_SCHEMA = _versioned("timings", [*_REPO_AND_PATH, pa.field("seconds", pa.float64())])
"""How long each file took: the only table that differs from run to run."""
