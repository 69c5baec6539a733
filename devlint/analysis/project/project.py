"""The project around a file: where it begins, which modules it has, and what the names in them stand for."""

from __future__ import annotations

import ast
import os
import sys
from collections import OrderedDict

from devlint.analysis.project.disk import Disk
from devlint.analysis.project.module import Bound, Definition, ProjectModule
from devlint.analysis.project.root import is_marked, outer_root, project_root
from devlint.core.lazy_regex import regex
from devlint.sources.gitignore import FileFilter
from devlint.syntax.python_tree.python_ast import syntax_tree
from devlint.torch_api.libraries import NOT_TORCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator

_LEVELS = 6
"""How many folders above a file its imports may begin in, and how many re-exports are followed."""
_ADDED_PATH = regex(rb"sys\.path\.(?:append|insert)\(\s*(?:\d+\s*,\s*)?[rR]?[\"']([^\"'\n\\]*)[\"']\s*\)")
_KEPT_TREES = 250_000
"""Bytes of the files whose trees are kept; a tree takes some eighty times as much memory."""
REQUIREMENTS = (
    *("requirements.txt", "setup.py", "setup.cfg", "pyproject.toml", "Pipfile"),
    *("environment.yml", "environment.yaml", "conda.yml", "conda.yaml"),
)
"""Where a project says what it requires."""
LIBRARIES = sys.stdlib_module_names | NOT_TORCH | {"torch", "torchvision", "torchaudio"}
"""What no project has a module of its own for."""


class Index:
    """What a run knows of the projects that its files are in."""

    def __init__(self, disk: Disk | None = None) -> None:
        self.disk = disk or Disk()
        self._modules: OrderedDict[str, ProjectModule | None] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._size = 0
        self.own: tuple[str, ast.Module] | None = None
        """The text that is analyzed, and its tree, where it was parsed before."""
        self._added: dict[str, tuple[str, ...]] = {}
        """What files add to ``sys.path``."""
        self._names: dict[str, frozenset[str] | None] = {}
        """The names that modules bind, which are known when their trees no longer are; None for what is no module."""

    def module(self, path: str) -> ProjectModule | None:
        """The file at a path; None where there is none, or it is no Python."""
        if path in self._modules:
            self.disk.depend(path)
            self._modules.move_to_end(path)
            return self._modules[path]
        data = self.disk.read(path)
        tree = syntax_tree(data) if data is not None else None
        self._modules[path] = ProjectModule(path, tree) if tree is not None else None
        self._sizes[path] = len(data) if data is not None and tree is not None else 0
        self._size += self._sizes[path]
        while self._size > _KEPT_TREES and len(self._modules) > 1:
            self._size -= self._sizes.pop(self._modules.popitem(last=False)[0])
        return self._modules[path]

    def matching(self, paths: Iterable[str], pattern: re.Pattern[bytes]) -> Iterator[tuple[str, ProjectModule]]:
        """The modules at some paths whose text matches."""
        for path in paths:
            data = self.disk.read(path)
            module = self.module(path) if data is not None and pattern.search(data) else None
            if module is not None:
                yield path, module

    def names(self, path: str) -> frozenset[str] | None:
        """The names that the module at a path binds; None where there is no module."""
        if path not in self._names:
            module = self.module(path)
            self._names[path] = frozenset(module.bindings) if module is not None else None
        self.disk.depend(path)
        return self._names[path]

    def find(self, importer: str, name: str) -> ProjectModule | None:
        """The module that a file imports under a name, relative ("..utils") or not; None for other libraries."""
        path = self.path(importer, name)
        return self.module(path) if path is not None else None

    def path(self, importer: str, name: str) -> str | None:
        """Where that module is."""
        return self._found(importer, name, lambda path: self.names(path) is not None)

    def file(self, importer: str, name: str) -> str | None:
        """Where the file is that would be that module, whether or not it can be parsed."""
        return self._found(importer, name, self.disk.exists)

    def _found(self, importer: str, name: str, is_module: Callable[[str], bool]) -> str | None:
        dots = len(name) - len(name.lstrip("."))
        parts = [part for part in name.split(".") if part]
        if not dots and parts[0] in LIBRARIES:
            return None
        folder = os.path.dirname(importer)
        for _ in range(max(dots - 1, 0)):
            folder = os.path.dirname(folder)
        added = () if dots else self._search_paths(importer)
        for _ in range(1 if dots else _LEVELS):
            folders = (folder, *(os.path.normpath(os.path.join(folder, one)) for one in added))
            paths = (self._path_below(one, parts, is_module) for one in folders)
            found = next((one for one in paths if one is not None and (one != importer or dots)), None)
            if found is not None or dots:
                return found
            if not self.disk.exists(os.path.join(folder, "__init__.py")) and is_marked(self.disk, folder):
                outer = outer_root(self.disk, folder)
                tops = (os.path.join(folder, "src"), *([] if outer is None else [outer, os.path.join(outer, "src")]))
                return next(filter(None, (self._path_below(one, parts, is_module) for one in tops)), None)
            folder = os.path.dirname(folder)
        return None

    def _search_paths(self, importer: str) -> tuple[str, ...]:
        """The folders that a file adds to ``sys.path`` by their names: ``sys.path.append("./models")``."""
        if importer not in self._added:
            data = self.disk.read_again(importer) or b""
            named = _ADDED_PATH.findall(data) if b"sys.path" in data else []
            paths = (one.decode("utf-8", "replace") for one in named)
            self._added[importer] = tuple(dict.fromkeys(one for one in paths if one and not os.path.isabs(one)))
        return self._added[importer]

    @staticmethod
    def _path_below(folder: str, parts: list[str], is_module: Callable[[str], bool]) -> str | None:
        base = os.path.join(folder, *parts)
        paths = (f"{base}.py", os.path.join(base, "__init__.py"))
        return next((path for path in paths[not parts :] if is_module(path)), None)

    def resolve(self, module: ProjectModule, dotted: str, hops: int = _LEVELS) -> Definition | None:
        """What a dotted name of a module stands for, followed through imports and re-exports."""
        name, _, rest = dotted.partition(".")
        if hops == 0 or not name:
            return None
        for bound in module.bindings.get(name, ()):
            found = self._imported(module, bound, hops) if bound.alias is not None else None
            if bound.alias is None and not rest:
                return Definition(module, bound.statement, name)
            if found is not None and rest and isinstance(found.node, ast.Module):
                found = self.resolve(found.module, rest, hops - 1)
            if found is not None:
                return found
        return None if name in module.bindings else self._from_star(module, dotted, hops)

    def resolve_import(self, importer: str, origin: str) -> Definition | None:
        """What a file imports as ``origin``: "storage.RolloutStorage", ".networks.Generator", "config"."""
        head = origin[: len(origin) - len(origin.lstrip("."))]
        parts = origin.lstrip(".").split(".")
        for count in range(len(parts), -1 if head else 0, -1):
            module = self.find(importer, head + ".".join(parts[:count]))
            if module is not None:
                rest = ".".join(parts[count:])
                return self.resolve(module, rest) if rest else self._in_package(importer, origin, module)
        return None

    def _in_package(self, importer: str, origin: str, module: ProjectModule) -> Definition:
        """A module, or the class of its name that its package takes from it: ``from .Net import *``."""
        dotted, _, name = origin.rpartition(".")
        package = self.find(importer, dotted or ".") if dotted or origin.startswith(".") else None
        found = self.resolve(package, name) if package is not None and package is not module else None
        is_class = found is not None and found.module is module and isinstance(found.node, ast.ClassDef)
        return found if found is not None and is_class else Definition(module, module.tree)

    def packages(self, path: str) -> list[str]:
        """The ``__init__.py`` of each package that a file is in, of the innermost one first."""
        found, folder = [], os.path.dirname(path)
        while self.disk.exists(os.path.join(folder, "__init__.py")):
            found.append(os.path.join(folder, "__init__.py"))
            folder = os.path.dirname(folder)
        return found

    def resolve_installed(self, path: str, origin: str) -> Definition | None:
        """What the full name ``origin`` means once the project of the file at ``path`` is installed."""
        packages = self.packages(path)
        folder = os.path.dirname(os.path.dirname(packages[-1]) if packages else path)
        found = (self.resolve_import(os.path.join(folder, one, "setup.py"), origin) for one in ("", "src"))
        return next((one for one in found if one is not None), None)

    def _imported(self, module: ProjectModule, bound: Bound, hops: int) -> Definition | None:
        """What an import in a module stands for."""
        assert bound.alias is not None
        if not bound.module:
            found = self.find(module.path, bound.origin if bound.alias.asname else bound.origin.partition(".")[0])
            return Definition(found, found.tree) if found is not None else None
        owner = self.find(module.path, bound.module)
        inner = self.resolve(owner, bound.alias.name, hops - 1) if owner is not None and owner is not module else None
        if inner is not None:
            return inner
        below = self.find(module.path, bound.origin)
        return Definition(below, below.tree) if below is not None else None

    def _from_star(self, module: ProjectModule, dotted: str, hops: int) -> Definition | None:
        for bound in module.bindings.get("*", ()):
            owner = self.find(module.path, bound.module)
            found = self.resolve(owner, dotted, hops - 1) if owner is not None else None
            if found is not None:
                return found
        return None


class Project:
    """The project as one of its files sees it."""

    def __init__(self, path: str, index: Index | None = None, counted: FileFilter | None = None) -> None:
        self.path = os.path.abspath(path)
        self.index = index or Index()
        self.counted = counted or FileFilter()

    def imported(self, origin: str) -> Definition | None:
        """What this file imports as ``origin``; None where that is of another library."""
        return self.index.resolve_import(self.path, origin) if origin.strip(".") else None

    def own_module(self, text: str) -> ProjectModule | None:
        """This file as it is now."""
        own = self.index.own
        tree = own[1] if own is not None and own[0] == text else syntax_tree(text)
        return ProjectModule(self.path, tree) if tree is not None else None

    def module(self, name: str) -> ProjectModule | None:
        """The module that this file imports under a name."""
        return self.index.find(self.path, name) if name.strip(".") else None

    def names(self, module: str, may_matter: Callable[[bytes], bool]) -> frozenset[str]:
        """The names of the module that this file imports under a name; none where there is no such module.

        Nor are there any where the text of the module, which need not be parsed for that, cannot have one that matters.
        """
        path = self.index.file(self.path, module) if module.strip(".") else None
        if path is None or not may_matter(self.index.disk.read(path) or b""):
            return frozenset()
        path = self.index.path(self.path, module)
        return (self.index.names(path) if path is not None else None) or frozenset()

    def fixture(self, name: str) -> ast.stmt | None:
        """The fixture of pytest that the nearest ``conftest.py`` defines for the tests of this file."""
        root, folder = self.root, os.path.dirname(self.path)
        for _ in range(_LEVELS if root is not None else 0):
            module = self.index.module(os.path.join(folder, "conftest.py"))
            bound = module.bindings.get(name, ()) if module is not None else ()
            if bound or folder == root:
                return bound[-1].statement if bound else None
            folder = os.path.dirname(folder)
        return None

    def requirements(self) -> Iterator[bytes]:
        """The files of the project that say what it requires, those beside this file first."""
        root, folder = self.root, os.path.dirname(self.path)
        for _ in range(_LEVELS if root is not None else 0):
            texts = (self.index.disk.read(os.path.join(folder, name)) for name in REQUIREMENTS)
            yield from (one for one in texts if one is not None)
            if folder == root:
                break
            folder = os.path.dirname(folder)

    @property
    def root(self) -> str | None:
        """The top of the project; None where the file is in none, or is not on the disk, so that nobody imports it."""
        if "\0" in self.path or not self.index.disk.exists(self.path):
            return None
        return project_root(self.index.disk, os.path.dirname(self.path), self.counted)
