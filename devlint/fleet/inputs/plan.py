"""Divides an input into partitions, by what it is: Parquet, a folder of repositories, or a list of git directories."""

from __future__ import annotations

import os
from collections.abc import Iterator

from devlint.core.errors import DevlintError
from devlint.fleet.inputs.folders import folder_slices
from devlint.fleet.inputs.git import git_slices, listed_repositories
from devlint.fleet.inputs.parquet import parquet_files, parquet_slices
from devlint.fleet.inputs.partition import Partition, Slice, partitioned


def plan(path: str, size: int, whole_repositories: bool) -> tuple[list[Partition], list[str]]:
    """The partitions of an input, with about ``size`` files each, and what of it cannot be read."""
    problems: list[str] = []
    path = os.path.abspath(path)
    partitions = list(partitioned(_slices(path, size, whole_repositories, problems), size))
    if not partitions and not problems:
        raise DevlintError(f"{path}: has no files to check")
    return partitions, problems


def _slices(path: str, size: int, whole_repositories: bool, problems: list[str]) -> Iterator[Slice]:
    if os.path.isdir(path):
        if parquet_files(path):
            return parquet_slices(path, size, whole_repositories)
        return folder_slices(path, size)
    if path.endswith(".parquet"):
        return parquet_slices(path, size, whole_repositories)
    return git_slices(listed_repositories(path), size, problems)
