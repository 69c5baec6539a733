"""Which files to look at: those named, and the Python files and notebooks below folders named, once and in order."""

from __future__ import annotations

import os
import stat

from devlint.core.errors import ConfigError
from devlint.core.file_reading import real_path
from devlint.core.record import Record
from devlint.sources.text_kinds import Syntax, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Generator, Iterable, Iterator

    from devlint.config.finder import ConfigFinder
    from devlint.config.settings import Settings
    from devlint.core.diagnostic import Failure
    from devlint.sources.gitignore import GitIgnores


NOTEBOOK = ".ipynb"
SUFFIXES = (".py", ".pyi", NOTEBOOK)
_MARKS = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg", "devlint.toml")
"""What is at the top of a project."""


class Found(Record):
    """A file to look at."""

    path: str
    """As it is shown: below the path that was asked for."""
    absolute: str
    settings: Settings
    explicit: bool
    """Whether the file itself was named, not a folder above it."""

    @property
    def directory(self) -> str:
        """The absolute folder it is in."""
        return os.path.dirname(self.absolute)


def is_python(name: str) -> bool:
    """Whether a file found in a folder is of Python, or a notebook."""
    return name.endswith(SUFFIXES)


def is_looked_at(name: str) -> bool:
    """Whether a file found in a folder is looked at: of Python, a notebook, or text that sets the environment.

    JSON is not: nearly all of it is data. It is looked at where it is named.
    """
    kind = kind_of(name)
    return name.endswith(SUFFIXES) or (kind is not None and kind.syntax is not Syntax.DATA)


def discover(
    paths: Iterable[str], finder: ConfigFinder, wanted: Callable[[str], bool] = is_python
) -> Iterator[Found | Failure | Skipped]:
    """Walk ``paths``; what cannot be walked or read is a Failure in its place, and the rest goes on.

    A link in a folder that leads out of the folders named and out of its project is Skipped: whoever can write into
    the folder must not choose which files elsewhere are changed.

    ``wanted`` says which files in folders are looked at, by their names.
    """
    named = list(paths)
    walk = _Walk(finder, named, wanted)
    for path in named:
        yield from walk.start(path)


class Skipped(Record):
    """A symbolic link that is not followed."""

    path: str
    message: str


class _Folder(Record):
    """A folder under the path to show, the absolute one, and the one without symbolic links above it."""

    path: str
    absolute: str
    real: str

    def below(self, name: str) -> tuple[str, str, str]:
        """What is in it, under the same three paths."""
        absolute = _joined(self.absolute, name)
        real = absolute if self.real == self.absolute else _joined(self.real, name)
        return name if self.path == os.curdir else _joined(self.path, name), absolute, real


class _Walk:
    """One search: remembers what it met and what it complained about."""

    def __init__(self, finder: ConfigFinder, named: Iterable[str], wanted: Callable[[str], bool]) -> None:
        self._finder = finder
        self._wanted = wanted
        self._named = {real_path(path) for path in named if "\0" not in path}
        self._ignores: GitIgnores | None = None
        self._seen: set[str] = set()
        self._failures: set[Failure] = set()

    def start(self, path: str) -> Iterator[Found | Failure | Skipped]:
        """Everything for one path the user named."""
        absolute = os.path.abspath(path)
        try:
            mode, real = os.stat(path).st_mode, os.path.realpath(path)
        except (OSError, ValueError) as error:
            yield from self._fail(path, error)
            return
        if stat.S_ISDIR(mode):
            yield from self._below(_Folder(_shown(path), absolute, real))
        elif not stat.S_ISREG(mode):
            yield from self._fail(path, "is neither a file nor a folder")
        else:
            yield from self._explicit(_shown(path), absolute, real)

    def _explicit(self, path: str, absolute: str, real: str) -> Iterator[Found | Failure | Skipped]:
        """A file the user named."""
        settings = yield from self._settings(os.path.dirname(absolute))
        if settings is None or (settings.force_exclude and settings.excluded_with_parents(absolute)):
            return
        yield from self._once(real, path, absolute, settings, explicit=True)

    def _below(self, folder: _Folder) -> Iterator[Found | Failure | Skipped]:
        """The files of a folder and of those below it; links to folders are not followed."""
        open_folders = [self._inside(folder)]
        while open_folders:
            for item in open_folders[-1]:
                if isinstance(item, _Folder):
                    open_folders.append(self._inside(item))
                    break
                yield item
            else:
                open_folders.pop()

    def _inside(self, folder: _Folder) -> Iterator[Found | Failure | Skipped | _Folder]:
        """The files and folders in a folder, in order: a folder stands where its files do."""
        if folder.real in self._seen:
            yield from self._settings(folder.absolute)  # whatever is wrong with them is said under each name
            return
        try:
            entries, names = self._listing(folder.path)
        except OSError as error:
            if (yield from self._settings(folder.absolute)) is not None:
                self._seen.add(folder.real)
                yield from self._fail(folder.path, error)
            return
        settings = yield from self._settings(folder.absolute, names)
        if settings is None:
            return
        self._seen.add(folder.real)
        try:
            leaves_out = settings.file_filter.in_folder(folder.absolute, names, self._git_ignores())
        except ConfigError as error:
            yield from self._fail(error.origin, error.problem)
            return
        for key, entry in entries:
            is_dir = key.endswith(os.sep)
            path, absolute, real = folder.below(entry.name)
            if leaves_out(entry.name, absolute, is_dir):
                continue
            if is_dir:
                yield _Folder(path, absolute, real)
            elif entry.is_symlink():
                yield from self._link(path, absolute, settings)
            elif entry.is_file(follow_symlinks=False):
                yield from self._once(real, path, absolute, settings)

    def _listing(self, path: str) -> tuple[list[tuple[str, os.DirEntry[str]]], set[str]]:
        """The folders and wanted files in a folder, in order, with their keys; and all names, in small letters."""
        with os.scandir(path) as listing:
            entries = [(_key(one), one) for one in listing]
        names = {one.name.lower() for _, one in entries}
        return sorted(one for one in entries if one[0].endswith(os.sep) or self._wanted(one[0])), names

    def _git_ignores(self) -> GitIgnores:
        if self._ignores is None:
            from devlint.sources.gitignore import GitIgnores

            self._ignores = GitIgnores()
        return self._ignores

    def _link(self, path: str, absolute: str, settings: Settings) -> Iterator[Found | Failure | Skipped]:
        """What a symbolic link met in a folder leads to, where that is a file."""
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):
                return
            real = os.path.realpath(path)
            if self._leads_out(real, os.path.dirname(absolute)):
                yield Skipped(path, f"is a symbolic link out of the project, to {real}; skipped")
            else:
                yield from self._once(real, path, absolute, settings)
        except OSError as error:
            if not os.path.basename(path).startswith(".#"):  # an editor's lock points nowhere
                yield from self._fail(path, error)

    def _leads_out(self, real: str, folder: str) -> bool:
        """Whether a file is neither named, nor in a folder named, nor in the project of another folder."""
        if real in self._named or any(is_below(real, one) for one in self._named):
            return False
        top = os.path.realpath(folder)
        while not any(os.path.lexists(os.path.join(top, mark)) for mark in _MARKS):
            parent = os.path.dirname(top)
            if parent == top:
                return True
            top = parent
        return not is_below(real, top)

    def _once(
        self, real: str, path: str, absolute: str, settings: Settings, explicit: bool = False
    ) -> Iterator[Found | Failure | Skipped]:
        """The file, unless it was met before under this or another name."""
        if real not in self._seen:
            self._seen.add(real)
            yield Found(path, absolute, settings, explicit or real in self._named)

    def _settings(
        self, directory: str, names: Container[str] | None = None
    ) -> Generator[Found | Failure | Skipped, None, Settings | None]:
        """The settings that hold in a folder; None, after saying why, where its configuration is wrong."""
        try:
            return self._finder.settings(directory, names)
        except ConfigError as error:
            yield from self._fail(error.origin, error.problem)
            return None

    def _fail(self, path: str, error: Exception | str) -> Iterator[Failure]:
        """One line about one path, once."""
        from devlint.core.diagnostic import Failure

        failure = Failure(path, describe(error))
        if failure not in self._failures:
            self._failures.add(failure)
            yield failure


def describe(error: Exception | str) -> str:
    """An error in words, without its number and path."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def is_below(path: str, folder: str) -> bool:
    """Whether a path is below a folder."""
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def is_at_or_below(path: str, folder: str) -> bool:
    """Whether a path is a folder or below it."""
    return path == folder or is_below(path, folder)


def _key(entry: os.DirEntry[str]) -> str:
    """What entries are sorted by: a name, and for a folder a separator, so that it stands where its files do."""
    return entry.name + os.sep if entry.is_dir(follow_symlinks=False) else entry.name


def _joined(folder: str, name: str) -> str:
    return folder + name if folder.endswith(os.sep) else folder + os.sep + name


def _shown(path: str) -> str:
    """A path as the user gave it, without what only repeats: ``./x/`` is ``x``."""
    while path.startswith("." + os.sep) and path.strip("." + os.sep):
        path = path[2:].lstrip(os.sep)
    return path.rstrip(os.sep) or path
