"""Which files of a project may run in one process with another: what it imports, what imports it, and what these do.

A script that no file imports runs with what it imports alone, whatever the other scripts beside it do.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator

from devlint.analysis.project.mentions import module_name
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search_below
from devlint.core.lazy_regex import regex
from devlint.core.record import Record

_IMPORT = regex(rb"\b(?:from|import)[ \t]+(?:[^()\n;#\\]|\\\r?\n|\([^)]*\))*")
_WORD = regex(rb"\w+")
_ANY_MODULE = regex(
    rb"\bimport_module\(|__import__\(|\b(?:importlib|runpy|pkgutil|hydra|pydoc|LightningCLI)\b|\bexec(?:file)?\("
    rb"|\bimp\.load|_target_|\bentry_points\b"
)
"""What runs modules by names that a program puts together, or reads."""
_ANY = "*"
_TEST = regex(r"(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$")
"""Files that pytest runs in one process."""
_MOST_FILES = 2_000
"""In a larger project all files count as run together."""


class ImportingFile(Record):
    """A file, and what it imports of its project."""

    path: str
    names: tuple[str, ...]
    """The words of its imports by which files and packages of the project are called; ``*`` for what nobody knows."""


def may_run_with(project: Project, paths: Collection[str]) -> bool:
    """Whether one of some other files may run in the same process as this one, as far as anybody knows."""
    if not paths:
        return False
    together = project.index.disk.kept(("run together", project.path, project.counted), lambda: _together(project))
    return together is None or not together.isdisjoint(paths)


def _together(project: Project) -> frozenset[str] | None:
    """The files that may run with this one; None where those may be all.

    Names tell too much, never too little: a module counts as imported where an import has a word that it is called by,
    wherever the two are.
    """
    graph = project.index.disk.kept(("imports", project.root, project.counted), lambda: _imports(project))
    if graph is None:
        return None
    above = _reached([project.path], lambda path: graph.importers.get(path, set()) | graph.tests_with(path))
    found = _reached(above, lambda path: graph.imports.get(path, set()))
    is_module = bool(graph.by_any_name) and not _is_program(project)
    return None if is_module or not found.isdisjoint(graph.by_any_name) else frozenset(found)


class _Imports(Record, eq=False):
    """Which files of a project may import which."""

    imports: dict[str, set[str]]
    importers: dict[str, set[str]]
    tests: set[str]
    by_any_name: set[str]
    """Those that import by names that nobody knows."""

    def tests_with(self, path: str) -> set[str]:
        """All tests, for one of them."""
        return self.tests if path in self.tests else set()


def _imports(project: Project) -> _Imports | None:
    """What the files of a project import; None where they are too many."""
    root = project.root
    files = search_below(project.index, project.counted, root, IMPORTING_FILES, "") if root is not None else None
    if files is None or len(files) > _MOST_FILES:
        return None
    named: dict[str, list[str]] = {}
    for one in files:
        named.setdefault(module_name(one.path).decode("utf-8", "surrogatepass"), []).append(one.path)
    imports = {one.path: {path for name in one.names for path in named.get(name, ())} for one in files}
    importers: dict[str, set[str]] = {}
    for path, imported in imports.items():
        for one in imported:
            importers.setdefault(one, set()).add(path)
    tests = {path for path in imports if _TEST.search(path.replace("\\", "/")) is not None}
    return _Imports(imports, importers, tests, {one.path for one in files if _ANY in one.names})


def _is_program(project: Project) -> bool:
    """Whether a file works where it is imported, so that nobody takes it for one of several modules: it has loops."""
    module = project.index.module(project.path)
    return module is not None and any(isinstance(one, (ast.For, ast.While)) for one in module.tree.body)


def _reached(start: Iterable[str], following: Callable[[str], set[str]]) -> set[str]:
    found = set(start)
    waiting = [*found]
    while waiting:
        new = following(waiting.pop()) - found
        found |= new
        waiting += new
    return found


def _importing(index: Index, paths: Iterable[str], name: str) -> Iterator[ImportingFile]:
    paths = list(paths)
    known = {module_name(path) for path in paths}
    for path in paths:
        text = index.disk.read(path) or b""
        words = {word for found in _IMPORT.finditer(text) for word in _WORD.findall(found[0])}
        names = sorted(one.decode("utf-8", "surrogatepass") for one in words & known)
        yield ImportingFile(path, (*names, *([_ANY] if _ANY_MODULE.search(text) is not None else ())))


IMPORTING_FILES = Search("importing files", lambda name: (b"",), _importing)
