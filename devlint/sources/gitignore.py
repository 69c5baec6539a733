"""What git ignores, from the .gitignore files and .git/info/exclude, and what else is left out of a project."""

from __future__ import annotations

import os

from devlint.core.file_reading import read_file
from devlint.core.record import Record
from devlint.sources.path_patterns import IgnoreFile, Patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container

    Chain = tuple[IgnoreFile, ...]
    """Ignore files, the nearest last."""
    LeavesOut = Callable[[str, str, bool], bool]
    """Asked with a name, its absolute path and whether it is a folder."""


class GitIgnores:
    """Answers which ignore files hold in a directory, reading each once."""

    def __init__(self) -> None:
        self._chains: dict[str, Chain] = {}

    def holding(self, directory: str, names: Container[str] | None = None) -> Chain:
        """The ignore files that hold in an absolute ``directory``.

        ``names`` are those in it, in small letters, where they are known.
        """
        way: list[str] = []
        while directory not in self._chains:
            way.append(directory)
            inherited, directory = self._inherited(directory, names if len(way) == 1 else None)
            if inherited is not None:
                break
        else:
            inherited = self._chains[directory]
        for one in reversed(way):
            own = _own(one) if names is None or one != way[0] or ".gitignore" in names else ()
            inherited = self._chains[one] = (*inherited, *own)
        return inherited

    def _inherited(self, directory: str, names: Container[str] | None) -> tuple[Chain | None, str]:
        """The ignore files of a repository whose root a directory is, or none at the top; else the directory above."""
        git = os.path.join(directory, ".git")
        if (names is None or ".git" in names) and os.path.exists(git):
            exclude = IgnoreFile.read(os.path.join(_common_git_directory(git), "info", "exclude"), directory)
            return () if exclude is None else (exclude,), directory
        parent = os.path.dirname(directory)
        return () if parent == directory else None, parent


def ignored(files: Chain, path: str, is_dir: bool) -> bool:
    """Whether git would ignore the absolute ``path`` itself; directories above it are not looked at."""
    for file in reversed(files):
        verdict = file.verdict(path, is_dir)
        if verdict is not None:
            return verdict
    return False


def _own(directory: str) -> Chain:
    """The ignore file in ``directory``, if there is one."""
    file = IgnoreFile.read(os.path.join(directory, ".gitignore"), directory)
    return () if file is None else (file,)


def _common_git_directory(git: str) -> str:
    """The repository's own directory for a ``.git`` that may be the file of a work tree."""
    pointed = _first_line(git)
    if pointed is None or not pointed.startswith("gitdir:"):
        return git
    directory = os.path.join(os.path.dirname(git), pointed[len("gitdir:") :].strip())
    common = _first_line(os.path.join(directory, "commondir"))
    return directory if common is None else os.path.join(directory, common)


def _first_line(path: str) -> str | None:
    """The first line of a small file, or None where it cannot be read."""
    try:
        return read_file(path).decode("utf-8", "replace").partition("\n")[0].strip()
    except OSError:
        return None


class FileFilter(Record):
    """What the configuration says about files to leave out."""

    excludes: tuple[Patterns, ...] = ()
    respect_gitignore: bool = True

    def in_folder(self, directory: str, names: Container[str] | None, ignores: GitIgnores) -> LeavesOut:
        """Whether something in a folder is left out; raises ConfigError.

        ``names`` are those in it, in small letters, where they are known.
        """
        excluded = frozenset().union(*(one.names for one in self.excludes))
        globs = [one for one in self.excludes if one.globs]
        chain = ignores.holding(directory, names) if self.respect_gitignore else ()
        if not globs and not chain:
            return lambda name, path, is_dir: name in excluded
        return lambda name, path, is_dir: (
            name in excluded or ignored(chain, path, is_dir) or any(one.matches(path, is_dir) for one in globs)
        )
