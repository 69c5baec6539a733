"""What a program that could not run lacks, and where it is, if the user's project has it."""

from __future__ import annotations

import os
import re
from pathlib import Path

_MODULE = re.compile(r"^No module named '(\w+)")
_FILE = re.compile(r"'([^'/\\][^']*)'$")


def how_to_run(path: str) -> str:
    """The command for a module of a package."""
    folder, name = os.path.split(path.removesuffix(".py").removesuffix("/__main__"))
    while folder and os.path.exists(os.path.join(folder, "__init__.py")):
        folder, _, package = folder.rpartition("/")
        name = f"{package}.{name}"
    below = _below_here(folder)
    return f"{f'PYTHONPATH={below} ' if below else ''}devlint fix --verify 'python -m {name}'"


def where_a_module_is(message: str, project: str | None) -> str:
    """The folder of the project that has a missing module, as an end of the message."""
    found = _MODULE.match(message)
    if found is None or project is None:
        return ""
    with os.scandir(project) as entries:
        folders = sorted(entry.path for entry in entries if entry.is_dir() and not entry.name.startswith("."))
    for folder in (project, *folders):
        if _has_module(folder, found[1]):
            here = "." if os.path.samefile(folder, os.curdir) else _below_here(folder) or folder
            return f" (it is in {folder}: set PYTHONPATH={here})"
    return ""


def _has_module(folder: str, name: str) -> bool:
    """Whether a folder has a module, a package, or a folder of Python files, which is a package, too."""
    path = os.path.join(folder, name)
    return os.path.isfile(f"{path}.py") or (os.path.isdir(path) and any(Path(path).rglob("*.py")))


def where_data_is(message: str, script: str) -> str:
    """The option that gives the program a missing file, as an end of the message."""
    found = _FILE.search(message)
    if found is None:
        return ""
    first = found[1].split("/")[0]
    for folder in (os.curdir, os.path.dirname(script)):
        path = os.path.normpath(os.path.join(folder, first))
        if os.path.exists(os.path.join(folder, found[1])):
            return f" (--data {_below_here(path) or path})"
    return ""


def _below_here(path: str) -> str | None:
    """A path from the current folder, if it is below it."""
    relative = os.path.relpath(path)
    return None if relative.startswith(os.pardir) or relative == os.curdir else relative
