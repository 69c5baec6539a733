"""File patterns as git and Ruff read them; pathspec is loaded only for patterns that are more than a plain name."""

from __future__ import annotations

import errno
import os

from devlint.core.errors import ConfigError
from devlint.core.file_reading import MAX_SETTINGS, read_file
from devlint.core.record import lazy_attribute

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from pathspec import GitIgnoreSpec

_SPECIAL = frozenset("*?[]!/\\# ")
_STARS = frozenset("*?[")


class Patterns:
    """Patterns relative to one directory: a name matches at any depth, a path only from that directory on."""

    def __init__(self, root: str, patterns: Iterable[str]) -> None:
        self.root = root
        self.patterns = tuple(patterns)
        self.names = frozenset(pattern for pattern in self.patterns if not _SPECIAL.intersection(pattern))
        self.globs = tuple(pattern for pattern in self.patterns if pattern not in self.names)

    @lazy_attribute
    def _spec(self) -> GitIgnoreSpec:
        from devlint.sources.gitignore_patterns import git_spec

        return git_spec(_relative_to(self.root, pattern) for pattern in self.globs)

    def matches(self, path: str, is_dir: bool = False) -> bool:
        """Whether the absolute ``path`` itself matches one of the patterns."""
        if os.path.basename(path) in self.names:
            return True
        relative = _below(self.root, path) if self.globs else None
        return relative is not None and _check(self._spec, relative, is_dir) is True

    def matches_with_parents(self, path: str) -> bool:
        """Whether the absolute ``path`` or a directory above it, below the root, matches."""
        if self.matches(path):
            return True
        parent = os.path.dirname(path)
        while _below(self.root, parent):
            if self.matches(parent, is_dir=True):
                return True
            parent = os.path.dirname(parent)
        return False


class IgnoreFile:
    """One .gitignore: the patterns of a file, relative to a directory."""

    def __init__(self, root: str, lines: Iterable[str]) -> None:
        self.root = root
        self._lines = tuple(lines)
        ends = [_end(line) for line in self._lines]
        self._names = frozenset(end for end in ends if not _STARS.intersection(end))
        self._suffixes = tuple(end[1:] for end in ends if end[0] == "*" and not _STARS.intersection(end[1:]))
        plain = {*self._names, *("*" + suffix for suffix in self._suffixes)}
        self._globs = [end for end in ends if end not in plain]

    @classmethod
    def read(cls, path: str, root: str) -> IgnoreFile | None:
        """The ignore file at ``path``, or None where there is none to read, or nothing in it; raises ConfigError."""
        try:
            text = read_file(path, MAX_SETTINGS).decode("utf-8", "replace")
        except OSError as error:
            if error.errno == errno.EFBIG:
                raise ConfigError(path, f"cannot be read: {error.strerror}") from None
            return None
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
        return cls(root, lines) if lines else None

    @lazy_attribute
    def _spec(self) -> GitIgnoreSpec:
        from devlint.sources.gitignore_patterns import git_spec

        return git_spec(line for line in self._lines if is_pattern(line))

    def verdict(self, path: str, is_dir: bool) -> bool | None:
        """True: ignored; False: explicitly not ignored; None: this file does not say."""
        relative = _below(self.root, path)
        if relative is None or not any(map(self._may_match, relative.split("/"))):
            return None
        return _check(self._spec, relative, is_dir)

    def _may_match(self, name: str) -> bool:
        """Whether a pattern ends in something like ``name``; no other one can match it, or what is below it."""
        if name in self._names or name.endswith(self._suffixes):
            return True
        return bool(self._globs) and self._glob.match(name) is not None

    @lazy_attribute
    def _glob(self) -> re.Pattern[str]:
        import re
        from fnmatch import translate

        return re.compile("|".join(map(translate, self._globs)))


def _end(pattern: str) -> str:
    """What the last name of a path is like if ``pattern`` matches it: a glob of one name."""
    if "\\" in pattern or pattern != pattern.strip():
        return "*"
    end = pattern.removeprefix("!").rstrip("/").rpartition("/")[2]
    if "[" in end or "]" in end:
        import re

        if not re.fullmatch(r"(?:[^\[\]]|\[\w+\])*", end):
            return "*"
    return end or "*"


def is_pattern(text: str) -> bool:
    """Whether git would take ``text`` for a pattern; it silently skips the few lines that it does not."""
    import re

    from devlint.sources.gitignore_patterns import MAX_PATTERN, git_spec

    if len(text) > MAX_PATTERN:
        return False
    try:
        git_spec([text])
    except (ValueError, re.error):  # `[?-.]`: a range that ends before it begins
        return False
    return True


def _check(spec: GitIgnoreSpec, relative: str, is_dir: bool) -> bool | None:
    """What ``spec`` says about a path itself: None where it only says it about a folder above."""
    verdict = spec.check_file(relative + "/" if is_dir else relative).include
    parent = os.path.dirname(relative)
    return None if verdict and parent and spec.check_file(parent + "/").include else verdict


def _below(root: str, path: str) -> str | None:
    """``path`` relative to ``root`` with forward slashes, or None where it is not below it."""
    prefix = root if root.endswith(os.sep) else root + os.sep
    return path[len(prefix) :].replace(os.sep, "/") if path.startswith(prefix) else None


def _relative_to(root: str, pattern: str) -> str:
    """An absolute pattern as one relative to ``root``; ``./x`` as ``/x``."""
    below = _below(root, pattern)
    if below is not None:
        return "/" + below
    return pattern[1:] if pattern.startswith("./") else pattern
