"""The files of a project that say what it needs, each read once, whoever asks."""

from __future__ import annotations

import os

from devlint.core.file_reading import read_file

_MAX_BYTES = 10_000_000
"""Of requirements: those with digests of files are long."""
PROJECT_FILES = ("pyproject.toml", "setup.cfg", "setup.py", "requirements.txt")

_INFOS = (".dist-info", ".egg-info")
_METADATA = ("METADATA", "PKG-INFO", "requires.txt")


class ProjectTexts:
    """Answers what the project files of a directory hold, and whether it is in a repository."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[str, str]] = {}
        self._installed: dict[str, tuple[str, ...]] = {}
        self._in_repository: dict[str, bool] = {}

    def of(self, directory: str) -> dict[str, str]:
        """The texts of the project files there by their names, in order; empty where one cannot be read."""
        if directory not in self._texts:
            paths = {name: os.path.join(directory, name) for name in PROJECT_FILES}
            self._texts[directory] = {name: _read(path) for name, path in paths.items() if os.path.exists(path)}
        return self._texts[directory]

    def installed(self, directory: str) -> tuple[str, ...]:
        """What is beside packages as they are installed or built: ``x.dist-info/METADATA``, ``x.egg-info/PKG-INFO``."""
        if directory not in self._installed:
            folders = [os.path.join(directory, one) for one in names_in_folder(directory) if one.endswith(_INFOS)]
            paths = [os.path.join(folder, name) for folder in folders for name in _METADATA]
            texts = (_read(path) for path in (*paths, *folders))  # an old `x.egg-info` is a file itself
            self._installed[directory] = tuple(one for one in texts if one)
        return self._installed[directory]

    def in_repository(self, directory: str) -> bool:
        """Whether a directory or one above it is the root of a git repository."""
        if directory not in self._in_repository:
            above = os.path.dirname(directory)
            is_root = os.path.exists(os.path.join(directory, ".git"))
            self._in_repository[directory] = is_root or (above != directory and self.in_repository(above))
        return self._in_repository[directory]


def decoded(data: bytes) -> str:
    """The text of a requirements file or a README, whatever is in it; requirement files in UTF-16 exist."""
    return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")


def _read(path: str) -> str:
    """The text of a file, empty where it cannot be read."""
    try:
        return decoded(read_file(path, _MAX_BYTES))
    except OSError:
        return ""


def names_in_folder(directory: str) -> list[str]:
    """What is in a folder, in order; nothing where it cannot be read."""
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []
