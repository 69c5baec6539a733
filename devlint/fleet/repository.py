"""A repository as the analysis sees it: its files under one made-up folder, and no disk around them."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Protocol

from devlint.analysis.project.disk import EXISTS, MAX_BYTES, MOST_BYTES, MOST_FILES, Disk
from devlint.sources.discovery import is_below, is_python
from devlint.sources.gitignore import FileFilter

TOP = os.path.join(os.path.abspath(os.sep), "repository")
"""Where the files of every repository are, as far as the analysis knows."""
_REPOSITORY_MARK = os.path.join(TOP, ".git")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.project.disk import Listing


class RepositoryTree(Protocol):
    """The files of one repository, by their paths below its top, with ``/`` between folders."""

    def sizes(self) -> Mapping[str, int] | None:
        """Every file with its size; None where nobody knows which there are."""
        ...

    def read(self, path: str) -> bytes | None:
        """The contents of a file; None where there is no such file."""
        ...


class UnknownTree:
    """A repository of which one file is known at a time: whoever asks about others must take it for the worst."""

    def sizes(self) -> None:
        """Nobody knows."""
        return

    def read(self, _path: str) -> None:
        """No other file is known."""
        return


class HeldTree:
    """A repository whose files are in memory; of two with one path, the first counts."""

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        self._files: dict[str, bytes] = {}
        for path, data in files:
            self._files.setdefault(path, data)

    def sizes(self) -> Mapping[str, int]:
        """The size of each."""
        return {path: len(data) for path, data in self._files.items()}

    def read(self, path: str) -> bytes | None:
        """What a file holds."""
        return self._files.get(path)


class RepositoryDisk(Disk):
    """Answers what an analysis asks of the disk from one repository; nothing else is there."""

    def __init__(self, tree: RepositoryTree) -> None:
        super().__init__()
        self._tree = tree

    def exists(self, path: str) -> bool:
        """Whether the repository has a file or folder; the analysis takes its top for that of a project."""
        there = path == _REPOSITORY_MARK or self._knows(path)
        self.asked[f"{EXISTS}:{path}"] = str(there)
        return there

    def _knows(self, path: str) -> bool:
        relative = relative_path(path)
        if relative is None:
            return False
        # Of an unknown repository it is certain that the file is there for which something is asked.
        return relative in self._everything if self._sizes is not None else is_python(path)

    @cached_property
    def _sizes(self) -> Mapping[str, int] | None:
        return self._tree.sizes()

    @cached_property
    def _everything(self) -> frozenset[str]:
        """All files and folders."""
        found = {""}
        for path in self._sizes or ():
            while path not in found:
                found.add(path)
                path = posixpath.dirname(path)
        return frozenset(found)

    def _listed(self, _root: str, counted: FileFilter) -> Listing | None:
        if self._sizes is None:
            return None
        found: list[tuple[str, int, int, int]] = []
        size = 0
        for relative, length in self._sizes.items():
            path = virtual_path(relative)
            if relative.endswith(".py") and is_below(path, _root) and not is_excluded(counted, path):
                found.append((path, length, 0, 0))
                size += length
            if len(found) > MOST_FILES or size > MOST_BYTES:
                return None
        return tuple(sorted(found))

    def _load(self, path: str) -> bytes | None:
        relative = relative_path(path)
        if relative is None or self._sizes is None or self._sizes.get(relative, MAX_BYTES + 1) > MAX_BYTES:
            return None
        return self._tree.read(relative)


def virtual_path(path: str) -> str:
    """Where the analysis finds a file of the repository; none is outside of its top, whatever its path says."""
    inside = posixpath.normpath("/" + path).lstrip("/")
    return os.path.join(TOP, *inside.split("/"))


def relative_path(path: str) -> str | None:
    """The inverse of ``virtual_path``; None outside of the repository."""
    if path == TOP:
        return ""
    return path[len(TOP) + 1 :].replace(os.sep, "/") if path.startswith(TOP + os.sep) else None


def is_excluded(counted: FileFilter, path: str) -> bool:
    """Whether the configuration leaves out a file, or a folder that it is in."""
    return any(patterns.matches_with_parents(path) for patterns in counted.excludes)
