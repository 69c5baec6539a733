"""Which files to look at: those named, and the Python files and notebooks below folders named, once and in order."""

from __future__ import annotations

import os
import stat

from devlint.errors import ConfigError
from devlint.record import Record
from devlint.text_kinds import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from typing import Callable, Optional, Union

    from devlint.config import ConfigFinder
    from devlint.diagnostic import Failure
    from devlint.gitignore import GitIgnores
    from devlint.settings import Settings

    Discovered = Union["Found", Failure]

NOTEBOOK = ".ipynb"
SUFFIXES = (".py", ".pyi", NOTEBOOK)


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
    """Whether a file found in a folder is looked at: of Python, a notebook, or text that sets the environment."""
    return name.endswith(SUFFIXES) or kind_of(name) is not None


def discover(
    paths: Iterable[str], finder: ConfigFinder, wanted: Callable[[str], bool] = is_python
) -> Iterator[Discovered]:
    """Walk ``paths``; what cannot be walked or read is a Failure in its place, and the rest goes on.

    ``wanted`` says which files in folders are looked at, by their names.
    """
    named = list(paths)
    walk = _Walk(finder, named, wanted)
    for path in named:
        yield from walk.start(path)


class _Entry(Record):
    """Something in a folder, under the path to show, the absolute one, and the one without symbolic links above it."""

    path: str
    absolute: str
    real: str
    settings: Optional[Settings] = None
    is_dir: bool = True
    is_file: bool = False
    is_link: bool = False


class _Walk:
    """One search: remembers what it met and what it complained about."""

    def __init__(self, finder: ConfigFinder, named: Iterable[str], wanted: Callable[[str], bool]) -> None:
        self._finder = finder
        self._wanted = wanted
        self._named = {os.path.realpath(path) for path in named if "\0" not in path}
        self._ignores: Optional[GitIgnores] = None
        self._seen: set[str] = set()
        self._failures: set[Failure] = set()

    def start(self, path: str) -> Iterator[Discovered]:
        """Everything for one path the user named."""
        absolute = os.path.abspath(path)
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            yield from self._fail(path, error)
            return
        if stat.S_ISDIR(mode):
            yield from self._folder(_Entry(_shown(path), absolute, os.path.realpath(path)))
        elif not stat.S_ISREG(mode):
            yield from self._fail(path, "is neither a file nor a folder")
        else:
            yield from self._explicit(_shown(path), absolute)

    def _explicit(self, path: str, absolute: str) -> Iterator[Discovered]:
        """A file the user named."""
        settings = yield from self._settings(os.path.dirname(absolute))
        if settings is None or (settings.force_exclude and settings.excluded_with_parents(absolute)):
            return
        yield from self._once(os.path.realpath(path), Found(path, absolute, settings, explicit=True))

    def _folder(self, folder: _Entry) -> Iterator[Discovered]:
        """The files of a folder and of those below it; links to folders are not followed."""
        pending = [folder]
        while pending:
            entry = pending.pop()
            if not entry.is_dir:
                yield from self._met(entry)
                continue
            settings = yield from self._settings(entry.absolute)
            if settings is None or entry.real in self._seen:
                continue
            self._seen.add(entry.real)
            try:
                inner = _listing(entry, settings, self._wanted)
            except OSError as error:
                yield from self._fail(entry.path, error)
                continue
            pending += (one for one in inner if not self._skipped(settings, one.absolute, one.is_dir))

    def _met(self, entry: _Entry) -> Iterator[Discovered]:
        """A file met in a folder, or a symbolic link with such a name."""
        assert entry.settings is not None
        found = Found(entry.path, entry.absolute, entry.settings, explicit=False)
        try:
            is_file = stat.S_ISREG(os.stat(entry.path).st_mode) if entry.is_link else entry.is_file
        except OSError as error:
            if not os.path.basename(entry.path).startswith(".#"):  # an editor's lock points nowhere
                yield from self._fail(entry.path, error)
            return
        if is_file:
            yield from self._once(os.path.realpath(entry.path) if entry.is_link else entry.real, found)

    def _once(self, real: str, found: Found) -> Iterator[Discovered]:
        """The file, unless it was met before under this or another name."""
        if real not in self._seen:
            self._seen.add(real)
            yield found.replace(explicit=True) if real in self._named else found

    def _settings(self, directory: str) -> Generator[Discovered, None, Optional[Settings]]:
        """The settings that hold in a folder; None, after saying why, where its configuration is wrong."""
        try:
            return self._finder.settings(directory)
        except ConfigError as error:
            yield from self._fail(error.origin, error.problem)
            return None

    def _skipped(self, settings: Settings, absolute: str, is_dir: bool) -> bool:
        """Whether a path met in a folder is excluded, or ignored by git."""
        if settings.respect_gitignore:
            if self._ignores is None:
                from devlint.gitignore import GitIgnores

                self._ignores = GitIgnores()
            if self._ignores.ignored(absolute, is_dir):
                return True
        return settings.excluded(absolute, is_dir)

    def _fail(self, path: str, error: Union[Exception, str]) -> Iterator[Failure]:
        """One line about one path, once."""
        from devlint.diagnostic import Failure

        failure = Failure(path, describe(error))
        if failure not in self._failures:
            self._failures.add(failure)
            yield failure


def describe(error: Union[Exception, str]) -> str:
    """An error in words, without its number and path."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def _listing(folder: _Entry, settings: Settings, wanted: Callable[[str], bool]) -> list[_Entry]:
    """The folders and wanted files in a folder, the last first: a folder stands where its files do."""
    with os.scandir(folder.path) as listing:
        entries = [one for one in listing if one.is_dir(follow_symlinks=False) or wanted(one.name)]
    entries.sort(key=lambda one: one.name + os.sep * one.is_dir(follow_symlinks=False), reverse=True)
    return [
        _Entry(
            one.name if folder.path == os.curdir else os.path.join(folder.path, one.name),
            os.path.join(folder.absolute, one.name),
            os.path.join(folder.real, one.name),
            settings,
            one.is_dir(follow_symlinks=False),
            one.is_file(follow_symlinks=False),
            one.is_symlink(),
        )
        for one in entries
    ]


def _shown(path: str) -> str:
    """A path as the user gave it, without what only repeats: ``./x/`` is ``x``."""
    while path.startswith("." + os.sep) and path.strip("." + os.sep):
        path = path[2:].lstrip(os.sep)
    return path.rstrip(os.sep) or path
