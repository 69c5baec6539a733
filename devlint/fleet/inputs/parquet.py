"""Code in Parquet, as corpora are published: a row per file, read a few rows at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import groupby

import pyarrow as pa
import pyarrow.parquet as pq

from devlint.core.errors import DevlintError
from devlint.fleet.batches import File, files_of
from devlint.fleet.inputs.partition import Slice
from devlint.fleet.schemas import INPUT_COLUMNS

COLUMN_NAMES = {
    "repo": ("repo", "repo_name", "max_stars_repo_name", "repository_name", "repository"),
    "path": ("path", "max_stars_repo_path", "file_path"),
    "content": ("content", "code", "text"),
}
"""What public corpora call the columns; the first that is there counts."""
ROWS = 256
"""How many files are in memory at a time."""
_PAGE_BUFFER = 1 << 20


def parquet_files(path: str) -> list[str]:
    """The Parquet files below a folder, in order; a file is its own."""
    if not os.path.isdir(path):
        return [path]
    found = [
        os.path.join(folder, name)
        for folder, _, names in os.walk(path)
        for name in names
        if name.endswith(".parquet") and not name.startswith((".", "_"))
    ]
    return sorted(found)


def parquet_slices(path: str, size: int, whole_files: bool) -> Iterator[Slice]:
    """Row groups of about ``size`` rows; with ``whole_files`` none of them ends within a file."""
    for one in parquet_files(path):
        try:
            with pq.ParquetFile(one) as file:
                named_columns(one, file.schema_arrow)
                metadata = file.metadata
                rows = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
        except (OSError, pa.ArrowException) as error:
            raise DevlintError(f"{one}: is no Parquet that can be read: {' '.join(str(error).split())}") from None
        start = held = 0
        for number, count in enumerate(rows):
            if held and held + count > size and not whole_files:
                yield Slice("parquet", one, held, start=start, stop=number)
                start, held = number, 0
            held += count
        if held:
            yield Slice("parquet", one, held, start=start, stop=len(rows))


def named_columns(path: str, schema: pa.Schema) -> list[str]:
    """What a file calls the columns of the input."""
    found = []
    for name in INPUT_COLUMNS:
        there = next((one for one in COLUMN_NAMES[name] if one in schema.names), None)
        if there is None:
            raise DevlintError(f"{path}: has no column {' or '.join(COLUMN_NAMES[name])}")
        found.append(there)
    return found


def parquet_rows(one: Slice, together: bool) -> Iterator[list[File]]:
    """The files of a slice, a few at a time; ``together``, consecutive ones of one repository at a time."""
    batches = _batches(one)
    if not together:
        return batches
    files = (file for batch in batches for file in batch)
    return (list(members) for _, members in groupby(files, lambda file: file[0]))


def _batches(one: Slice) -> Iterator[list[File]]:
    with pq.ParquetFile(one.location, buffer_size=_PAGE_BUFFER, pre_buffer=False) as file:
        columns = named_columns(one.location, file.schema_arrow)
        groups = list(range(one.start, one.stop))
        for batch in file.iter_batches(ROWS, row_groups=groups, columns=columns, use_threads=False):
            ordered = [batch.column(name) for name in columns]
            yield files_of(pa.RecordBatch.from_arrays(ordered, names=list(INPUT_COLUMNS)))
