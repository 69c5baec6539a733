"""One file of a cache: entries by the absolute paths of files, as JSON behind a line with its digest."""

from __future__ import annotations

import contextlib
import json
import os

from devlint.core.file_reading import read_file
from devlint.core.hashing import digest
from devlint.engine.cache import folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Entries = dict[str, Any]


class Store:
    """What one file of a cache holds, and what is new; a file that cannot be read, or is not whole, holds nothing."""

    def __init__(self, directory: str, code: str, context: str) -> None:
        """For results of some code under some settings, both given by their digests."""
        self._directory = directory
        self._code = code
        self._path = os.path.join(directory, folder.file_name(code, context))
        self._version = _version(self._path)
        self.entries = self._read()
        self._new: Entries = {}
        if self.entries:
            folder.used(self._path)

    def put(self, path: str, entry: list[Any]) -> None:
        """Remember what is known of a file now."""
        self.entries[path] = self._new[path] = entry

    def save(self) -> None:
        """Write what is new, together with what others wrote meanwhile; where that is impossible nothing happens."""
        if not self._new:
            return
        from devlint.sources.file_writing import replace_file

        with contextlib.suppress(OSError, ValueError):
            if not folder.prepare_folder(self._directory):
                return
            known = self.entries if _version(self._path) == self._version else {**self._read(), **self._new}
            entries = {path: entry for path, entry in known.items() if path in self._new or os.path.exists(path)}
            replace_file(self._path, self._whole(_dumped(entries)))
            self._new = {}
            self._version = _version(self._path)
            folder.tidy(self._directory, self._code)

    def _whole(self, body: bytes) -> bytes:
        """The file: its first line tells whether it is whole, and of this place."""
        return b"%s\n%s" % (digest(os.path.basename(self._path).encode() + body).encode(), body)

    def _read(self) -> Entries:
        """The entries of the file; none where it is not what was written."""
        try:
            data = read_file(self._path)
            body = data.partition(b"\n")[2]
            entries = json.loads(body.decode("utf-8", "surrogatepass")) if data == self._whole(body) else {}
        except (OSError, ValueError, RecursionError):
            return {}
        return entries if isinstance(entries, dict) else {}


def _dumped(entries: Entries) -> bytes:
    # Two halves of a character, as bad paths have them, must not become one: no escapes.
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _version(path: str) -> tuple[int, ...]:
    """Tells one state of a file from another; a new one has another number on the disk."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return ()
    return status.st_ino, status.st_size, status.st_mtime_ns
