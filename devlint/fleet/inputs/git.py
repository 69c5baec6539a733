"""Repositories as git directories at a commit: the files are read from git's objects, without a checkout."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress

from devlint.config.finder import ConfigFinder
from devlint.core.errors import DevlintError
from devlint.core.file_reading import MAX_BYTES
from devlint.core.record import Record
from devlint.fleet.inputs.partition import Slice, pieces
from devlint.fleet.repository import TOP, is_excluded, virtual_path
from devlint.sources.discovery import is_looked_at

_REGULAR = ("100644", "100755", "100664")
_SAFE = {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_REPLACE_OBJECTS": "1", "LC_ALL": "C"}
"""Nothing is fetched, locked or replaced while objects are read."""


class Listed(Record):
    """A line of a list of repositories."""

    location: str
    revision: str
    repo: str


def listed_repositories(path: str) -> list[Listed]:
    """The lines of a list: a git directory, then after tabs a revision (HEAD) and a name (the path as written)."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DevlintError(f"{path}: {getattr(error, 'strerror', None) or 'is no UTF-8'}") from None
    found: dict[str, Listed] = {}
    base = os.path.dirname(os.path.abspath(path))
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        location, revision, repo, *more = [*line.split("\t"), "", ""]
        name = repo or location
        if any(more) or name in found:
            problem = "expected PATH, REVISION and NAME" if any(more) else f"{name!r} is listed before: give it a NAME"
            raise DevlintError(f"{path}:{number}: {problem}")
        found[name] = Listed(os.path.join(base, location), revision or "HEAD", name)
    return list(found.values())


def git_slices(repositories: Iterable[Listed], size: int, problems: list[str]) -> Iterator[Slice]:
    """The files to check in each repository; what cannot be read goes to ``problems``."""
    for one in repositories:
        try:
            commit = _output(one.location, "rev-parse", "--verify", f"{one.revision}^{{commit}}").decode().strip()
            tree = GitTree(one.location, commit)
            count = len(tree.wanted())
        except DevlintError as error:
            problems.append(f"{one.repo}: {error}")
            continue
        for start, stop in pieces(count, size):
            yield Slice("git", one.location, stop - start, one.repo, commit, start=start, stop=stop)


class GitTree:
    """A repository at a commit; one process of git's reads its files until ``close``."""

    def __init__(self, location: str, commit: str) -> None:
        self._location = location
        self._blobs: dict[str, tuple[str, int]] = {}
        for entry in filter(None, _output(location, "ls-tree", "-r", "-z", "-l", "--full-tree", commit).split(b"\0")):
            about, _, path = entry.partition(b"\t")
            mode, _, name, size = about.split()
            if mode.decode() in _REGULAR:
                self._blobs[path.decode("utf-8", "surrogateescape")] = name.decode(), int(size)
        self._reader: subprocess.Popen[bytes] | None = None

    def wanted(self) -> list[str]:
        """The files that `devlint check` would look at in a checkout, in order."""
        counted = ConfigFinder(isolated=True, cwd=TOP).settings(TOP).file_filter
        return sorted(
            path
            for path in self._blobs
            if is_looked_at(path.rpartition("/")[2]) and not is_excluded(counted, virtual_path(path))
        )

    def sizes(self) -> dict[str, int]:
        """The size of each."""
        return {path: size for path, (_, size) in self._blobs.items()}

    def read(self, path: str) -> bytes | None:
        """What a file holds; None where it is not there, or not in this copy of the repository."""
        with suppress(OSError):
            return self.content(path)
        return None

    def content(self, path: str) -> bytes:
        """What a file holds; raises OSError."""
        name, size = self._blobs.get(path, ("", 0))
        if not name:
            raise FileNotFoundError(2, "is not in the commit", path)
        if size > MAX_BYTES:
            raise OSError(27, f"is larger than {MAX_BYTES:,} bytes, left alone", path)
        reader = self._started()
        assert reader.stdin is not None
        assert reader.stdout is not None
        reader.stdin.write(name.encode() + b"\n")
        reader.stdin.flush()
        header = reader.stdout.readline().split()
        if len(header) != 3:
            raise OSError(5, "git cannot read it", path)
        data = reader.stdout.read(int(header[2]))
        reader.stdout.read(1)
        return data

    def _started(self) -> subprocess.Popen[bytes]:
        if self._reader is None:
            self._reader = _process(self._location, "cat-file", "--batch", reads=True)
        return self._reader

    def close(self) -> None:
        """End the process of git's."""
        if self._reader is not None:
            with suppress(OSError):
                self._reader.communicate()
            self._reader = None


def _process(location: str, *arguments: str, reads: bool = False) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            ["git", "-C", location, *arguments],
            stdin=subprocess.PIPE if reads else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if reads else subprocess.PIPE,
            env={**os.environ, **_SAFE},
        )
    except OSError:
        raise DevlintError("git cannot be run") from None


def _output(location: str, *arguments: str) -> bytes:
    """What a command of git's prints; raises DevlintError with its own words."""
    with _process(location, *arguments) as process:
        output, words = process.communicate()
    if process.returncode:
        said = words.decode("utf-8", "replace").strip().splitlines() or [f"git {arguments[0]} failed"]
        raise DevlintError(said[0])
    return output
