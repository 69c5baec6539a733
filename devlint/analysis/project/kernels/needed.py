"""Files that run nowhere without CUDA's kernels: those of libraries, and those that the project itself compiles."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from devlint.analysis.project.default_devices import is_named_as_test
from devlint.analysis.project.kernels.built import (
    EXTENSION,
    KERNEL_SOURCES,
    Kernel,
    always_imports,
    compiles_kernels,
    is_made_beside,
)
from devlint.analysis.project.module import Definition, ProjectModule
from devlint.analysis.project.project import LIBRARIES, Index, Project
from devlint.analysis.project.searches import search
from devlint.syntax.python_tree.nodes import last_name, names_of_import, nodes_below
from devlint.torch_api.libraries import KERNELS


class _Kernels:
    """The kernels of a project, and what cannot be imported without them."""

    def __init__(self, index: Index, found: Iterable[Kernel]) -> None:
        self.index = index
        self._compiled = frozenset(one.name for one in found if one.name)
        self._compiling = frozenset(one.path for one in found if one.compiles)
        self._built = sorted({one.path for one in found if one.name or one.compiles})

    def resolve_import(self, importer: str, origin: str) -> Definition | None:
        """What a file imports as ``origin``, also from packages of a second project that lies below, with kernels."""
        found = self.index.resolve_import(importer, origin)
        below = () if found is not None or origin.startswith(".") else self._built
        others = (self.index.resolve_installed(path, origin) for path in below)
        return found or next((one for one in others if one is not None), None)

    def are_needed_for(self, module: ProjectModule, depth: int = 1) -> bool:
        """Whether a module cannot be imported without a kernel, for its own sake or for a package that it is in.

        Or none of the project's modules that it imports can.
        """
        if self.are_needed_by(module, module.tree.body):
            return True
        paths = self.index.packages(module.path) if self._compiling else ()
        packages = (one for one in map(self.index.module, paths) if one is not None)
        if any(self.are_needed_by(one, one.tree.body, indirectly=True) for one in packages):
            return True
        return depth > 0 and self.are_all_that_is_imported(_of_project(self, module), depth - 1)

    def are_all_that_is_imported(self, modules: Iterable[ProjectModule], depth: int = 1) -> bool:
        """Whether there are some modules, none of which can be imported without a kernel."""
        own = {one.path: one for one in modules}
        return bool(own) and all(self.are_needed_for(one, depth) for one in own.values())

    def are_needed_by(self, module: ProjectModule, body: Sequence[ast.stmt], indirectly: bool = False) -> bool:
        """Whether statements cannot run without a kernel; ``indirectly`` also for what they import."""
        return any(map(compiles_kernels, body)) or always_imports(
            body, lambda name: self._is_needed_to_import(module, name, indirectly)
        )

    def _is_needed_to_import(self, module: ProjectModule, name: str, indirectly: bool) -> bool:
        """Whether a name that a file imports is that of a kernel, or of what is compiled when it is imported."""
        if KERNELS.match(name):
            return True
        if name.rpartition(".")[2] in self._compiled:
            return self.index.resolve_import(module.path, name) is None
        follows = bool(self._compiling) or indirectly
        found = self.resolve_import(module.path, name) if follows and name.strip(".") else None
        if found is None or found.module is module:
            return False
        own = found.module
        return own.path in self._compiling or (indirectly and self.are_needed_by(own, own.tree.body))


def runs_on_kernels(project: Project, module: ProjectModule | None) -> bool:
    """Whether a file imports a kernel whatever there is, or of its project nothing but files that do.

    A file of tests needs one of them for that. So does one whose tests are all skipped where a kernel is not there, or
    import nothing but such files themselves.
    """
    if module is not None and any(_needs_own(project.index, module, one) for one in module.tree.body):
        return True
    lazy = _imports_in_tests(module) if module is not None else []
    if module is None or not (lazy or imports_others(module)):
        return False
    found = search(project, KERNEL_SOURCES, EXTENSION)
    if not found:
        return False
    kernels = _Kernels(project.index, found)
    is_test = is_named_as_test(module.path)
    if kernels.are_needed_by(module, module.tree.body, indirectly=is_test) or _skips_without(kernels, module):
        return True
    return kernels.are_all_that_is_imported(_of_project(kernels, module)) or kernels.are_all_that_is_imported(
        found.module for found in (kernels.resolve_import(module.path, name) for name in lazy) if found is not None
    )


def _needs_own(index: Index, module: ProjectModule, statement: ast.stmt) -> bool:
    """Whether a statement compiles a kernel, or imports one that is made beside its file."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return any(is_made_beside(index, module.path, name) for name in names_of_import(statement))
    return compiles_kernels(statement)


def _imports_in_tests(module: ProjectModule) -> list[str]:
    """The names that the functions of a file of tests import themselves whenever they run."""
    if not is_named_as_test(module.path):
        return []
    classes = [one.body for one in module.tree.body if isinstance(one, ast.ClassDef)]
    functions = (one for body in (module.tree.body, *classes) for one in body if isinstance(one, ast.FunctionDef))
    lines = [line for one in functions for line in one.body if isinstance(line, ast.ImportFrom)]
    return [name for line in lines for name in names_of_import(line)[1:]]


def imports_others(module: ProjectModule) -> bool:
    """Whether a file imports more than Python's library, torch and what is known to be no kernel."""
    origins = (one.origin for found in module.bindings.values() for one in found if one.alias is not None)
    return any(one.partition(".")[0] not in LIBRARIES for one in origins)


def _of_project(kernels: _Kernels, module: ProjectModule) -> Iterator[ProjectModule]:
    """The other files of its project that a file imports from, whatever there is."""
    always = {id(one) for one in module.tree.body}
    for name, bounds in module.bindings.items():
        for bound in (one for one in bounds if id(one.statement) in always) if name != "*" else ():
            found = kernels.resolve_import(module.path, bound.origin) if bound.origin.strip(".") else None
            if found is None:
                continue
            parts = _parts_used(module, name) if _is_package(found) else ()
            taken = (kernels.resolve_import(module.path, f"{bound.origin}.{part}") for part in parts)
            yield from [one.module for one in taken if one is not None] or [found.module]


def _is_package(found: Definition) -> bool:
    return found.node is found.module.tree and found.module.path.endswith("__init__.py")


def _parts_used(module: ProjectModule, name: str) -> list[str]:
    """What a file takes from a package that it imports as ``name``: ``sort`` of ``ops.sort(x)``."""
    used = (one for one in nodes_below(module.tree) if isinstance(one, ast.Attribute))
    return sorted({one.attr for one in used if isinstance(one.value, ast.Name) and one.value.id == name})


def _skips_without(kernels: _Kernels, module: ProjectModule) -> bool:
    """Whether all tests of a file are skipped by what a ``try`` sets where it cannot import a kernel."""
    tries = [one for one in module.tree.body if isinstance(one, ast.Try) and kernels.are_needed_by(module, one.body)]
    lines = [line for one in tries for handler in one.handlers for line in handler.body if isinstance(line, ast.Assign)]
    flags = {target.id for line in lines for target in line.targets if isinstance(target, ast.Name)}
    return bool(flags) and all(_is_skipped(one, flags) for one in module.tree.body) and _has_tests(module.tree)


def _is_skipped(definition: ast.AST, flags: set[str]) -> bool:
    """Whether a test, or all tests of a class, are skipped by one of some flags; so is what is no test."""
    if not isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return True
    called = [one for one in definition.decorator_list if isinstance(one, ast.Call)]
    skips = (one for one in called if last_name(one.func).lower().startswith("skip"))
    if any(isinstance(node, ast.Name) and node.id in flags for one in skips for node in nodes_below(one)):
        return True
    if isinstance(definition, ast.ClassDef):
        return all(_is_skipped(one, flags) for one in definition.body)
    return not definition.name.startswith("test")


def _has_tests(tree: ast.Module) -> bool:
    return any(isinstance(one, ast.FunctionDef) and one.name.startswith("test") for one in nodes_below(tree))
