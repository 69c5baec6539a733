"""What analyses ask of the disk: each file read once in a run, and every question noted for the cache.

No other module of ``analysis`` or ``fixes`` asks the disk anything.
"""

from __future__ import annotations

import os
import time

from devlint.core.file_reading import open_regular_file, read_file
from devlint.core.hashing import digest
from devlint.sources.gitignore import FileFilter, GitIgnores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Listing = tuple[tuple[str, int, int, int], ...]
    """Paths, sizes, and times of the last change and of that of anything, of the Python files of a project."""

MAX_BYTES = 2_000_000
"""Of one file; a larger one is generated, and counts as none."""
MOST_FILES = 20_000
MOST_BYTES = 200_000_000
"""Of a project; in a larger one nobody searches, and the answer is that nobody knows."""
_KEPT_BYTES = 4_000_000
"""How much of what was read is kept, in case it is asked for again."""
EXISTS, READ, LISTED = "exists", "read", "listed"
SEPARATOR = "\0"
"""Between folder and name in a recorded question that a search of the folder answers; neither holds it."""
_BEGIN = 64
"""How many bytes of a file tell by what it is started."""
_MOST_SCRIPTS = 200
"""Names without an ending in a folder; one that holds more is of data, and nobody looks for scripts there."""
SETTLED = 2_000_000_000
"""Nanoseconds after which a file system surely gives a change another time than the one before it."""


def may_be_of_python(path: str) -> bool:
    """Whether a name is that of a Python file, or has no ending, so that the first line says what the file is."""
    return path.endswith(".py") or "." not in os.path.basename(path)


def is_of_python(path: str, begin: bytes) -> bool:
    """Whether a file is of Python by its name, or by its first line where the name has no ending: ``bin/train``."""
    by_python = begin.startswith(b"#!") and b"python" in begin.partition(b"\n")[0]
    return path.endswith(".py") or (by_python and may_be_of_python(path))


class Disk:
    """What one run has read, and what it asked while questions are recorded."""

    def __init__(self) -> None:
        self._data: dict[str, bytes | None] = {}
        self._digests: dict[str, str] = {}
        self._size = 0
        self._began = time.time_ns()
        self._listings: dict[tuple[str, FileFilter], Listing | None] = {}
        self._states: dict[tuple[str, FileFilter], str] = {}
        self._answers: dict[tuple[str, FileFilter], tuple[Any, dict[str, str]]] = {}
        self._kept: dict[object, tuple[Any, dict[str, str]]] = {}
        self.asked: dict[str, str] = {}
        """The questions asked for one file with their answers, for ``devlint.analysis.project.lookups`` to compare."""
        self.ignores = GitIgnores()

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""
        there = os.path.exists(path)
        self.asked[f"{EXISTS}:{path}"] = str(there)
        return there

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None where it cannot be read."""
        self.depend(path)
        return self._read(path)

    def read_again(self, path: str) -> bytes | None:
        """The bytes of a file on which an answer depends already: the one that is analyzed, or one whose names are."""
        return self._read(path)

    def depend(self, path: str) -> None:
        """Record that an answer depends on what is in a file, which need not be read again."""
        self.asked[f"{READ}:{path}"] = self.digest(path)

    def digest(self, path: str) -> str:
        """The digest of what is in a file; empty where it cannot be read."""
        if path not in self._digests:
            data = self._read(path)
            self._digests[path] = digest(data) if data is not None else ""
        return self._digests[path]

    def answer(self, question: str, counted: FileFilter, compute: Callable[[], Any], root: str = "") -> Any:
        """What a search finds, made once in a run.

        Whatever it reads, the cache knows it as one question; of a search below ``root`` also what it asked elsewhere,
        and the state of the files there, with which it need not be made again. Its answer must be written (``repr``)
        the same in every run.
        """
        key = question, counted
        if key not in self._answers:
            before, self.asked = self.asked, {}
            try:
                answer = compute()
            finally:
                asked, self.asked = self.asked, before
            self._answers[key] = answer, self._asked_elsewhere(asked, root, counted) if root else {}
        answer, elsewhere = self._answers[key]
        self.asked.update(elsewhere)
        self.asked[question] = digest(repr(answer).encode())
        return answer

    def kept(self, question: object, compute: Callable[[], Any]) -> Any:
        """An answer made once in a run, on whose files every answer depends that asks for it."""
        if question not in self._kept:
            before, self.asked = self.asked, {}
            try:
                answer = compute()
            finally:
                asked, self.asked = self.asked, before
            self._kept[question] = answer, asked
        answer, asked = self._kept[question]
        self.asked.update(asked)
        return answer

    def _asked_elsewhere(self, asked: dict[str, str], root: str, counted: FileFilter) -> dict[str, str]:
        """Which questions are not answered by the files below a folder, with the state of these."""
        listed = {one[0] for one in self.listing(root, counted) or ()}
        elsewhere = {question: told for question, told in asked.items() if question.partition(":")[2] not in listed}
        return {**elsewhere, f"{LISTED}:{root}": self.state(root, counted)}

    def state(self, root: str, counted: FileFilter) -> str:
        """What tells that no file below a folder has changed; empty where they are too many, or one just has."""
        key = root, counted
        if key not in self._states:
            listing = self.listing(root, counted)
            settled = listing and max(max(one[2:]) for one in listing) < self._began - SETTLED
            self._states[key] = digest(repr(listing).encode("utf-8", "surrogatepass")) if settled else ""
        return self._states[key]

    def holding(self, root: str, counted: FileFilter, words: tuple[bytes, ...]) -> list[str] | None:
        """The Python files of a project that hold one of some words, in order; None where the project is too large."""
        listing = self.listing(root, counted)
        if listing is None:
            return None
        found = []
        for path, *_ in listing:
            data = self._read(path)
            if data is not None and any(word in data for word in words):
                found.append(path)
        return found

    def listing(self, root: str, counted: FileFilter) -> Listing | None:
        """The Python files that count below a folder; None where they are too many."""
        key = root, counted
        if key not in self._listings:
            self._listings[key] = self._listed(root, counted)
        return self._listings[key]

    def _listed(self, root: str, counted: FileFilter) -> Listing | None:
        found: list[tuple[str, int, int, int]] = []
        waiting = [root]
        size = 0
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(folder) as scanned:
                    entries = sorted(scanned, key=lambda one: one.name)
            except OSError:
                continue
            leaves_out = counted.in_folder(folder, {one.name.lower() for one in entries}, self.ignores)
            of_data = sum("." not in one.name for one in entries) > _MOST_SCRIPTS
            for one in entries:
                is_dir = one.is_dir(follow_symlinks=False)
                may_count = is_dir or one.name.endswith(".py") or not (of_data or "." in one.name)
                if not may_count or leaves_out(one.name, one.path, is_dir):
                    continue
                if is_dir:
                    waiting.append(one.path)
                elif one.is_file(follow_symlinks=False) and is_of_python(one.path, self._begin(one.path)):
                    status = one.stat(follow_symlinks=False)
                    found.append((one.path, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
                    size += status.st_size
            if len(found) + len(waiting) > MOST_FILES or size > MOST_BYTES:
                return None
        return tuple(sorted(found))

    def _begin(self, path: str) -> bytes:
        """The first bytes of a file whose name does not tell what it is."""
        if path.endswith(".py"):
            return b""
        try:
            with open_regular_file(path, MAX_BYTES) as file:
                return file.read(_BEGIN)
        except OSError:
            return b""

    def _read(self, path: str) -> bytes | None:
        if path not in self._data:
            data = self._load(path)
            self._size += len(data or b"")
            if self._size > _KEPT_BYTES:
                return data
            self._data[path] = data
        return self._data[path]

    def _load(self, path: str) -> bytes | None:
        try:
            return read_file(path, MAX_BYTES)
        except (OSError, ValueError):
            return None
