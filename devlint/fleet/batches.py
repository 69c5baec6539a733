"""Checks batches of files as columns: functions for Ray Data, Spark, Dask, DuckDB, Polars and whatever has Arrow.

They read nothing but the batch: neither the disk of the worker nor configuration files nor the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby
from typing import TypeVar

import pyarrow as pa

from devlint.core.errors import DevlintError
from devlint.fleet.file_checker import FileChecker, Row
from devlint.fleet.options import FleetOptions
from devlint.fleet.repository import HeldTree, UnknownTree
from devlint.fleet.schemas import CHECKED_SCHEMA, INPUT_COLUMNS

Batch = TypeVar("Batch", pa.RecordBatch, pa.Table)
_DEFAULT = FleetOptions()
_Cell = bytes | str | None
File = tuple[_Cell, _Cell, _Cell]
"""Repository, path and content; a name that is bytes is no UTF-8."""


class BatchError(DevlintError):
    """A batch that is no batch of files: a column is missing, or is not text."""


def check_batch(batch: Batch, options: FleetOptions = _DEFAULT) -> Batch:
    """Check the files of a batch (``repo``, ``path``, ``content``): a row of ``CHECKED_SCHEMA`` for each, in order.

    A table gives a table. Each row depends on nothing but its own file, or, with ``whole_repositories``, on the files
    of its repository in the same batch. A file that cannot be checked has an ``error``; ConfigError is raised for an
    option that is wrong, and BatchError where a column is missing.
    """
    return _as_batch(batch, checked_files(files_of(batch), options, fixing=False))


def fix_batch(batch: Batch, options: FleetOptions = _DEFAULT) -> Batch:
    """What ``check_batch`` says, and in ``fixed_content`` what ``devlint fix`` would write, where that changes a file.

    The findings are those of the content as it was.
    """
    return _as_batch(batch, checked_files(files_of(batch), options, fixing=True))


def check_batches(
    batches: Iterable[Batch], options: FleetOptions = _DEFAULT, *, fixing: bool = False
) -> Iterator[Batch]:
    """Check batches one by one, as they come: what Spark's ``mapInArrow`` takes, with ``functools.partial``."""
    return map(partial(fix_batch if fixing else check_batch, options=options), batches)


def _as_batch(batch: Batch, rows: list[Row]) -> Batch:
    return type(batch).from_pylist(rows, schema=CHECKED_SCHEMA)


def files_of(batch: pa.RecordBatch | pa.Table) -> list[File]:
    """The files of a batch."""
    return list(zip(*(_column(batch, name) for name in INPUT_COLUMNS)))


def checked_files(files: list[File], options: FleetOptions, fixing: bool) -> list[Row]:
    """A row for each file, in order."""
    if not options.whole_repositories:
        checker = FileChecker(UnknownTree(), options, fixing)
        return [_row(checker, *file) for file in files]
    rows: dict[int, Row] = {}
    by_repo = sorted(range(len(files)), key=lambda number: _sort_key(files[number][0]))
    for _, numbers in groupby(by_repo, lambda number: _sort_key(files[number][0])):
        members = list(numbers)
        checker = FileChecker(_tree([files[number] for number in members]), options, fixing)
        rows.update((number, _row(checker, *files[number])) for number in members)
    return [rows[number] for number in range(len(files))]


def _sort_key(repo: _Cell) -> tuple[bool, bytes]:
    return repo is None, _as_bytes(repo or b"")


def _as_bytes(cell: bytes | str) -> bytes:
    return cell.encode("utf-8", "surrogatepass") if isinstance(cell, str) else cell


def _tree(files: list[File]) -> HeldTree:
    """The files of one repository, as their checks see one another."""
    return HeldTree(
        (path, _as_bytes(content)) for _, path, content in files if isinstance(path, str) and content is not None
    )


def _row(checker: FileChecker, repo: _Cell, path: _Cell, content: _Cell) -> Row:
    if isinstance(repo, bytes) or isinstance(path, bytes):
        return checker.row(_shown(repo), _shown(path), content, "the path is no UTF-8")
    return checker.row(repo, path, content)


def _shown(cell: _Cell) -> str | None:
    return cell.decode("utf-8", "backslashreplace") if isinstance(cell, bytes) else cell


def _column(batch: pa.RecordBatch | pa.Table, name: str) -> Iterator[_Cell]:
    """The values of a column: text where it is text, else bytes."""
    if name not in batch.schema.names:
        raise BatchError(f"the batch has no column {name!r}; it needs {', '.join(INPUT_COLUMNS)}")
    column = batch.column(name)
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        column = column.cast(kind)
    if pa.types.is_null(kind):
        return (None for _ in range(batch.num_rows))
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    is_bytes = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind)
    if not is_text and not is_bytes:
        raise BatchError(f"the column {name!r} is of the type {kind}, neither text nor bytes")
    return map(_value if is_text or name != "content" else _raw, column)


def _raw(scalar: pa.Scalar) -> bytes | None:
    return bytes(scalar.as_py()) if scalar.is_valid else None


def _value(scalar: pa.Scalar) -> _Cell:
    """A text, or its bytes where they are no UTF-8, as programs that do not check may write them."""
    if not scalar.is_valid:
        return None
    data: bytes = scalar.as_buffer().to_pybytes()
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError:
        return data
