"""Repositories as folders on the disk; what `devlint check` would look at in each, and nothing outside of it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from devlint.config.finder import ConfigFinder
from devlint.core.errors import DevlintError
from devlint.core.file_reading import read_file
from devlint.fleet.inputs.partition import Slice, pieces
from devlint.sources.discovery import Found, discover, is_looked_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def folder_slices(folder: str, size: int) -> Iterator[Slice]:
    """The files to check in each folder below ``folder``, each a repository."""
    try:
        with os.scandir(folder) as scanned:
            names = sorted(one.name for one in scanned if one.is_dir() and not one.name.startswith("."))
    except OSError as error:
        raise DevlintError(f"{folder}: {error.strerror}") from None
    for name in names:
        top = os.path.join(folder, name)
        paths = sorted(_files(top, is_looked_at))
        for start, stop in pieces(len(paths), size):
            yield Slice("folder", top, stop - start, name, paths=tuple(paths[start:stop]))


def _files(top: str, wanted: Callable[[str], bool]) -> Iterator[str]:
    """The paths below a folder of the files that count, with ``/`` between folders."""
    for one in discover([top], ConfigFinder(isolated=True, cwd=top), wanted):
        if isinstance(one, Found):
            yield os.path.relpath(one.absolute, top).replace(os.sep, "/")


class FolderTree:
    """A repository in a folder."""

    def __init__(self, top: str) -> None:
        self._top = top

    def sizes(self) -> Mapping[str, int]:
        """Every file that counts; only of Python's the size is known."""
        return {path: self._size(path) for path in _files(self._top, lambda _name: True)}

    def _size(self, path: str) -> int:
        try:
            return os.stat(self._absolute(path)).st_size if path.endswith(".py") else 0
        except OSError:
            return 0

    def read(self, path: str) -> bytes | None:
        """What a file holds."""
        try:
            return self.content(path)
        except (OSError, ValueError):
            return None

    def content(self, path: str) -> bytes:
        """What a file holds; raises OSError."""
        return read_file(self._absolute(path))

    def _absolute(self, path: str) -> str:
        return os.path.join(self._top, *path.split("/"))
