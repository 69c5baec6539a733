"""Mirrors a program's project with other contents for some files; what is not rewritten is linked, not copied."""

from __future__ import annotations

import ast
import os
import shutil
from collections.abc import Iterator, Mapping

from devlint.sources.discovery import is_at_or_below

_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git", ".hg")


def project_of(script: str) -> str:
    """The folder of a script's project; without a sign of one, the current folder or the one above the script's."""
    folder = os.path.dirname(os.path.abspath(script))
    for above in _ancestors(folder):
        if any(os.path.exists(os.path.join(above, marker)) for marker in _MARKERS):
            return above
    here = os.getcwd()
    return here if here != folder and here in _ancestors(folder) else os.path.dirname(folder)


def _ancestors(folder: str) -> Iterator[str]:
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def imported_files(script: str, project: str) -> list[str]:
    """The files of a project that a script imports, directly or not, itself first; found by reading, not running."""
    folders = [folder for folder in _ancestors(os.path.dirname(script)) if is_at_or_below(folder, project)]
    python_path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    folders += [os.path.abspath(folder) for folder in (os.path.join(project, "src"), *filter(None, python_path))]
    folders += _added_to_the_path(script)
    found = {script: None}
    waiting = [script]
    while waiting:
        path = waiting.pop()
        for level, name in _imports(path):
            relative = os.path.abspath(os.path.join(path, *[os.pardir] * level))
            for folder in [relative] if level else folders:
                new = [file for file in _files(folder, name) if file not in found and is_at_or_below(file, project)]
                found.update(dict.fromkeys(new))
                waiting += new
    return list(found)


def _added_to_the_path(script: str) -> list[str]:
    """The folders that a script names in ``sys.path.append("../lib")`` and the like, from here or from its own."""
    names: list[str] = []
    for call in ast.walk(_tree(script)):
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("sys.path.append", "sys.path.insert"):
            constants = [one.value for one in ast.walk(call) if isinstance(one, ast.Constant)]
            parts = [one for one in constants if isinstance(one, str) and "\0" not in one]
            names += [*parts, os.path.join("", *parts)]
    bases = (os.getcwd(), os.path.dirname(script))
    found = (os.path.abspath(os.path.join(base, name)) for base in bases for name in names)
    return [folder for folder in found if os.path.isdir(folder)]


def _tree(path: str) -> ast.Module:
    """The syntax of a file; that of an empty one if it has none."""
    try:
        with open(path, "rb") as file:
            return ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _imports(path: str) -> Iterator[tuple[int, str]]:
    """The modules that a file imports, each with the number of its leading dots."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [node.module] if node.module else []
            yield from ((node.level, ".".join([*base, alias.name])) for alias in node.names)


def _files(folder: str, name: str) -> Iterator[str]:
    """The files that are executed when a module is imported from a folder: its packages', and its own."""
    for part in name.split("."):
        folder = os.path.join(folder, part)
        for path in (os.path.join(folder, "__init__.py"), folder + ".py"):
            if os.path.isfile(path):
                yield path


def mirror(project: str, target: str, contents: Mapping[str, bytes]) -> None:
    """Make ``target`` a folder that holds what ``project`` does, with the given contents of some files by full path."""
    real = {above for path in contents for above in _ancestors(os.path.dirname(path)) if is_at_or_below(above, project)}
    for folder in sorted(real | {project}):
        copy = os.path.normpath(os.path.join(target, os.path.relpath(folder, project)))
        os.makedirs(copy, exist_ok=True)
        for entry in os.scandir(folder):
            if entry.path not in contents and entry.path not in real and entry.name != "__pycache__":
                copied = (
                    entry.name.endswith(".py") and entry.is_file()
                )  # a link's own folder would go first on the path
                (shutil.copy2 if copied else os.symlink)(entry.path, os.path.join(copy, entry.name))
    for path, data in contents.items():
        with open(os.path.join(target, os.path.relpath(path, project)), "wb") as file:
            file.write(data)
