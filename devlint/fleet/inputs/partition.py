"""A partition: the unit of work of an audit, small enough to be done again, and the same in every run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from devlint.core.record import Record


class Slice(Record):
    """Some files of one repository, or some rows of a Parquet file."""

    kind: str
    """``folder``, ``git`` or ``parquet``."""
    location: str
    """The absolute path of the folder, the git directory or the Parquet file."""
    count: int
    """How many files there are."""
    repo: str = ""
    """What the repository is called; in Parquet, each row says it."""
    commit: str = ""
    """Of git: the full name of the commit."""
    paths: tuple[str, ...] = ()
    """Of a folder: the files, by their paths below it."""
    start: int = 0
    """Of git, the first of the files to look at, in order; of Parquet, the first row group."""
    stop: int = 0

    def as_json(self) -> dict[str, Any]:
        """Its fields, but for those that are empty."""
        return {name: value for name, value in self._as_dict().items() if value not in ("", ())}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Slice:
        """The inverse of ``as_json``."""
        return cls(**{**values, "paths": tuple(values.get("paths", ()))})


class Partition(Record):
    """Slices that one worker does, one after the other."""

    number: int
    slices: tuple[Slice, ...]

    @property
    def count(self) -> int:
        """How many files it has."""
        return sum(one.count for one in self.slices)

    @property
    def name(self) -> str:
        """What its folder is called: a column ``partition`` for readers that know Hive's names."""
        return f"partition={self.number:06}"


def partitioned(slices: Iterable[Slice], size: int) -> Iterator[Partition]:
    """Partitions of consecutive slices with about ``size`` files each."""
    number = 0
    held: list[Slice] = []
    for one in slices:
        if held and sum(other.count for other in held) + one.count > size:
            yield Partition(number, tuple(held))
            number, held = number + 1, []
        held.append(one)
    if held:
        yield Partition(number, tuple(held))


def pieces(count: int, size: int) -> Iterator[tuple[int, int]]:
    """Where to cut so many files so that no piece has more than ``size``."""
    return ((start, min(start + size, count)) for start in range(0, count, size))
