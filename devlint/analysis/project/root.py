"""Where the project that a file is in begins."""

from __future__ import annotations

import os
from itertools import chain

from devlint.analysis.project.disk import Disk
from devlint.core.lazy_regex import regex
from devlint.sources.gitignore import FileFilter

ROOT = "root"
"""The question where a project begins."""
_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "devlint.toml")
_LIKELY_MARKS = (
    ("requirements.txt", "environment.yml", "environment.yaml"),
    ("README.md", "README.rst", "README.txt", "README", "readme.md", "Readme.md", "README.MD"),
    ("LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "COPYING"),
)
"""What stands at the top of a project that has none of the others, one of each row; a folder in it may have one too."""

_FOLDERS_ABOVE = 4
"""In how many folders above another top of the project is looked for."""
_INSTALLED = regex(rb"(?m)^\s*\[\s*(?:project|build-system|tool\.poetry)\b")


def project_root(disk: Disk, folder: str, counted: FileFilter) -> str | None:
    """The nearest folder above that holds a repository or a configuration; else the top of the package.

    None where the folder is in no project and no package.
    """

    def found() -> str | None:
        marked = _top(disk, folder, counted, _MARKS)
        if marked is not None:
            return marked
        package: str | None = None
        above = next((one for one in _with_parents(folder) if disk.exists(os.path.join(one, "__init__.py"))), folder)
        while disk.exists(os.path.join(above, "__init__.py")):
            package, above = above, os.path.dirname(above)
        return _likely_top(disk, above, counted) or package

    root: str | None = disk.answer(f"{ROOT}:{folder}", counted, found)
    return root


def _with_parents(folder: str) -> list[str]:
    """A folder and some above it: one without ``__init__.py`` may still be part of a package."""
    found = [folder]
    for _ in range(3):
        found.append(os.path.dirname(found[-1]))
    return found


def outer_root(disk: Disk, root: str) -> str | None:
    """The project that holds another one, of the same repository: ``experiments/setup.py`` below ``setup.py``."""
    folder = root
    for _ in range(_FOLDERS_ABOVE if not disk.exists(os.path.join(root, ".git")) else 0):
        folder = os.path.dirname(folder)
        if is_marked(disk, folder):
            return folder
    return None


def is_marked(disk: Disk, folder: str, marks: tuple[str, ...] = _MARKS) -> bool:
    """Whether a folder is the top of a project."""
    return any(disk.exists(os.path.join(folder, mark)) for mark in marks)


def is_installable(disk: Disk, root: str) -> bool:
    """Whether others may import a project: it can be installed, or is a package, perhaps an installed one."""
    if is_marked(disk, root, ("setup.py", "setup.cfg", "__init__.py")):
        return True
    return _INSTALLED.search(disk.read(os.path.join(root, "pyproject.toml")) or b"") is not None


def _likely_top(disk: Disk, folder: str, counted: FileFilter) -> str | None:
    """The nearest folder that has two kinds of likely marks; else the nearest that has one."""
    marks = tuple(chain.from_iterable(_LIKELY_MARKS))
    nearest = found = _top(disk, folder, counted, marks)
    for _ in range(_FOLDERS_ABOVE):
        if found is None or sum(is_marked(disk, found, kind) for kind in _LIKELY_MARKS) > 1:
            return found or nearest
        above = os.path.dirname(found)
        found = _top(disk, above, counted, marks) if above != found else None
    return nearest


def _top(disk: Disk, folder: str, counted: FileFilter, marks: tuple[str, ...]) -> str | None:
    """The nearest folder with such a mark; what a folder above leaves out is not part of its project."""
    while not is_marked(disk, folder, marks):
        parent = os.path.dirname(folder)
        leaves_out = counted.in_folder(parent, None, disk.ignores)
        if parent == folder or leaves_out(os.path.basename(folder), folder, True):
            return None
        folder = parent
    return folder
