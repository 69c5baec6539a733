"""What changed since a branch left another one: the rows of the files of a git repository that were added since."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO, Protocol

from devlint.core.errors import DevlintError
from devlint.sources.patches import added_by_patch, added_rows, line_of_file

_DIFF = (
    "diff --unified=0 --inter-hunk-context=0 --find-renames --no-relative --no-ext-diff --no-textconv --no-color "
    "--submodule=short --src-prefix=a/ --dst-prefix=b/ --no-indent-heuristic"
).split()


class Everything(Container[int]):
    """All rows."""

    def __contains__(self, row: object) -> bool:
        return True


EVERYTHING = Everything()
_NOTHING: frozenset[int] = frozenset()


class ChangedRows(Protocol):
    """Knows which rows of a file count."""

    def rows(self, path: str, data: bytes | str | None = None) -> Container[int]:
        """The rows that count in the absolute ``path``, or in ``data`` that is to take its place."""
        ...


class Changes:
    """The rows added or changed since the merge base of a revision and HEAD, in the files as they are on disk."""

    def __init__(self, revision: str, folder: str | None = None) -> None:
        """For the repository of ``folder``, by default the current one; raises DevlintError where that cannot be."""
        self._git = _Git(folder or os.getcwd())
        self._git.folder = self.root = os.path.realpath(self._git.line("rev-parse", "--show-toplevel"))
        self._base = _merge_base(self._git, revision)
        self._tracked = set(filter(None, self._git.output("ls-files", "-z").split(b"\0")))
        self._rows: dict[bytes, Container[int]] = {}
        self._before: dict[bytes, bytes | None] = {}
        with self._git.lines("-c", "core.quotePath=true", *_DIFF, self._base, "--") as patch:
            for old, new, rows in added_by_patch(patch):
                self._before[new] = old
                self._rows[new] = EVERYTHING if rows is None else rows
        self._owners: dict[str, bool] = {}

    def check(self, paths: Iterable[str]) -> None:
        """Raise DevlintError where a path is not in the repository."""
        for path in paths:
            if self._name(os.path.abspath(path)) is None:
                raise DevlintError(f"{path}: is outside the git repository {self.root}, which --diff-base speaks of")

    def rows(self, path: str, data: bytes | str | None = None) -> Container[int]:
        """The rows that count in the absolute ``path``, or in ``data`` that is to take its place.

        A row ends with a line feed, as git has it. What git does not know of counts as a whole; what belongs to
        another repository, such as a submodule, not at all.
        """
        name = self._name(path)
        if name is None or not self._owns(os.path.dirname(os.path.join(self.root, os.fsdecode(name)))):
            return _NOTHING
        if name not in self._tracked:
            return EVERYTHING
        rows = self._rows.get(name, _NOTHING)
        if data is None or isinstance(rows, Everything):
            return rows
        before = self._before.get(name, name)
        if before is None:
            return EVERYTHING
        old = self._git.output("cat-file", "blob", f"{self._base}:{os.fsdecode(before)}")
        new = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        return added_rows(old, new, line_of_file(name))

    def _name(self, path: str) -> bytes | None:
        """What git calls an absolute path; None where that is outside the repository."""
        real = os.path.realpath(path)
        if real != self.root and not real.startswith(self.root.rstrip(os.sep) + os.sep):
            return None
        return os.fsencode(os.path.relpath(real, self.root).replace(os.sep, "/"))

    def _owns(self, folder: str) -> bool:
        """Whether a folder below the root is in this repository, and in none below it."""
        way = []
        while folder != self.root and folder not in self._owners:
            way.append(folder)
            if os.path.lexists(os.path.join(folder, ".git")):
                break
            folder = os.path.dirname(folder)
        found = folder == self.root or self._owners.get(folder, False)
        self._owners.update(dict.fromkeys(way, found))
        return found


class _Git:
    """Runs git in a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
        self._environment.pop("GIT_DIFF_OPTS", None)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """Run a command of git's."""
        with self._started(*arguments, output=subprocess.PIPE, errors=subprocess.PIPE) as process:
            output, words = process.communicate()
        return subprocess.CompletedProcess(arguments, process.returncode, output, words)

    def _started(self, *arguments: str, output: int, errors: int | IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                ["git", *arguments],
                cwd=self.folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
            )
        except OSError:
            raise DevlintError("--diff-base needs git, which cannot be run") from None

    def output(self, *arguments: str) -> bytes:
        """What a command prints; raises DevlintError with git's own words where it fails."""
        result = self.run(*arguments)
        if result.returncode:
            raise _failed(arguments, result.stderr)
        return result.stdout

    @contextmanager
    def lines(self, *arguments: str) -> Iterator[Iterable[bytes]]:
        """What a command prints, which may be much, line by line; raises DevlintError where it fails."""
        with TemporaryFile() as words, self._started(*arguments, output=subprocess.PIPE, errors=words) as process:
            assert process.stdout is not None
            yield process.stdout
            if process.wait():
                words.seek(0)
                raise _failed(arguments, words.read())

    def line(self, *arguments: str) -> str:
        """The one line that a command prints."""
        return os.fsdecode(self.output(*arguments)).rstrip("\r\n")


def _failed(arguments: Sequence[str], said: bytes) -> DevlintError:
    """An error with git's own words."""
    words = os.fsdecode(said).strip().splitlines() or [f"git {arguments[0]} failed"]
    return DevlintError(f"--diff-base: git says: {words[0]}")


def _merge_base(git: _Git, revision: str) -> str:
    """The commit from which on changes count."""
    found = git.run("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}".replace("\0", "?"))
    shallow = git.line("rev-parse", "--is-shallow-repository") == "true"
    if found.returncode:
        hint = "; fetch it first, this clone is shallow" if shallow else ""
        raise DevlintError(f"--diff-base: {revision!r} is no commit of the git repository {git.folder}{hint}")
    base = git.run("merge-base", found.stdout.decode().strip(), "HEAD")
    if base.returncode:
        hint = ": this clone is shallow, `git fetch --unshallow` brings the rest" if shallow else ""
        raise DevlintError(f"--diff-base: {revision!r} and HEAD have no commit in common{hint}")
    return base.stdout.decode().strip()
