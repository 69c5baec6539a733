"""Copies a project, so that a command can run in the copy."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

_LEFT_OUT = frozenset(".git .hg .svn .tox .nox node_modules __pycache__ .mypy_cache .pytest_cache .ruff_cache".split())
_LARGE = 1 << 20
"""Larger files that are no programs are linked and not copied; the sandbox keeps them from being written."""


def copy_project(root: str, target: str, rewritten: Mapping[str, bytes]) -> None:
    """Copy a folder, replacing the files in ``rewritten``, by absolute path; virtual environments are linked."""
    for folder, folders, names in os.walk(root):
        inner = os.path.normpath(os.path.join(target, os.path.relpath(folder, root)))
        os.makedirs(inner, exist_ok=True)
        for name in list(folders):
            if name in _LEFT_OUT:
                folders.remove(name)
            elif _is_linked(os.path.join(folder, name)):
                folders.remove(name)
                names.append(name)
        for name in names:
            _copy(os.path.join(folder, name), os.path.join(inner, name), rewritten)


def _is_linked(folder: str) -> bool:
    return os.path.islink(folder) or os.path.isfile(os.path.join(folder, "pyvenv.cfg"))


def _copy(path: str, copy: str, rewritten: Mapping[str, bytes]) -> None:
    if path in rewritten:
        with open(copy, "wb") as file:
            file.write(rewritten[path])
        shutil.copymode(path, copy)
    elif os.path.islink(path) or os.path.isdir(path):
        os.symlink(os.path.realpath(path), copy)
    elif os.path.isfile(path):
        if os.path.getsize(path) > _LARGE and not path.endswith(".py"):
            os.symlink(path, copy)
        else:
            shutil.copy2(path, copy)
