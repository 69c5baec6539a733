"""Files that run nowhere without CUDA's kernels: those of libraries, and those that the project itself compiles."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devlint.analysis.project.module import Definition, ProjectModule
from devlint.analysis.project.project import LIBRARIES, Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import last_name, nodes_below, text_of
from devlint.torch_api.libraries import KERNELS

_EXTENSION = "CUDAExtension"
_LOADERS = frozenset({"load", "load_inline"})
_TRITON = regex(rb"^(?:import|from) triton\b")


class Kernel(Record):
    """A module that the project compiles for CUDA, by its last name; no name for a file of Triton's kernels."""

    path: str
    name: str


def runs_on_kernels(project: Project, module: ProjectModule | None) -> bool:
    """Whether a file imports a kernel whatever there is, or of its project nothing but files that do, as tests do.

    So does a file of tests that are all skipped where a kernel is not there.
    """
    if module is not None and any(map(_compiles, module.tree.body)):
        return True
    if module is None or not _imports_others(module):
        return False
    found = search(project, KERNEL_SOURCES, _EXTENSION)
    if not found:
        return False
    compiled = frozenset(one.name for one in found if one.name)
    if _needs(project.index, module, module.tree.body, compiled) or _skips_without(project.index, module, compiled):
        return True
    own = {one.path: one for one in _of_project(project.index, module)}
    return bool(own) and all(_needs(project.index, one, one.tree.body, compiled) for one in own.values())


def _imports_others(module: ProjectModule) -> bool:
    """Whether a file imports more than Python's library, torch and what is known to be no kernel."""
    origins = (one.origin for found in module.bindings.values() for one in found if one.alias is not None)
    return any(one.partition(".")[0] not in LIBRARIES for one in origins)


def _of_project(index: Index, module: ProjectModule) -> Iterator[ProjectModule]:
    """The other files of its project that a file imports from."""
    for name, bounds in module.bindings.items():
        for bound in bounds if name != "*" else ():
            found = index.resolve_import(module.path, bound.origin) if bound.origin.strip(".") else None
            if found is None:
                continue
            parts = _parts_used(module, name) if _is_package(found) else ()
            taken = (index.resolve_import(module.path, f"{bound.origin}.{part}") for part in parts)
            yield from [one.module for one in taken if one is not None] or [found.module]


def _is_package(found: Definition) -> bool:
    return found.node is found.module.tree and found.module.path.endswith("__init__.py")


def _parts_used(module: ProjectModule, name: str) -> list[str]:
    """What a file takes from a package that it imports as ``name``: ``sort`` of ``ops.sort(x)``."""
    used = (one for one in nodes_below(module.tree) if isinstance(one, ast.Attribute))
    return sorted({one.attr for one in used if isinstance(one.value, ast.Name) and one.value.id == name})


def _needs(index: Index, module: ProjectModule, body: Iterable[ast.stmt], compiled: frozenset[str]) -> bool:
    """Whether statements cannot run without a kernel."""
    for one in body:
        if isinstance(one, (ast.Import, ast.ImportFrom)):
            if any(_names_kernel(index, module, name, compiled) for name in _imported(one)):
                return True
        elif isinstance(one, ast.If):
            always = isinstance(one.test, ast.Constant) and bool(one.test.value)
            branches = [one.body] if always else [one.body, one.orelse]
            if all(_needs(index, module, branch, compiled) for branch in branches):
                return True
        elif isinstance(one, ast.Try):
            others = [handler.body for handler in one.handlers if not isinstance(handler.body[-1], ast.Raise)]
            if all(_needs(index, module, branch, compiled) for branch in (one.body, *others)):
                return True
        elif _compiles(one):
            return True
    return False


def _skips_without(index: Index, module: ProjectModule, compiled: frozenset[str]) -> bool:
    """Whether all tests of a file are skipped by what a ``try`` sets where it cannot import a kernel."""
    tries = [one for one in module.tree.body if isinstance(one, ast.Try) and _needs(index, module, one.body, compiled)]
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


def _imported(statement: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The full names that an import may mean modules by."""
    if isinstance(statement, ast.Import):
        yield from (alias.name for alias in statement.names)
    else:
        start = "." * statement.level + (statement.module or "")
        yield start
        yield from (f"{start}{'' if start.endswith('.') else '.'}{alias.name}" for alias in statement.names)


def _names_kernel(index: Index, module: ProjectModule, name: str, compiled: frozenset[str]) -> bool:
    """Whether a name that a file imports is that of a kernel, or of what is compiled when it is imported."""
    if KERNELS.match(name):
        return True
    if name.rpartition(".")[2] in compiled:
        return index.path(module.path, name) is None
    found = index.resolve_import(module.path, name) if name.startswith(".") and name.strip(".") else None
    return found is not None and _compiles(found.node)


def _compiles(statement: ast.AST) -> bool:
    """Whether a statement compiles CUDA's code: ``backend = load(name="x", sources=["x.cu"])``."""
    call = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(call, ast.Call) or last_name(call.func) not in _LOADERS:
        return False
    return any((text_of(one) or "").endswith(".cu") for one in nodes_below(call))


def _sources(index: Index, paths: Iterable[str], name: str) -> Iterator[Kernel]:
    for path in paths:
        text = index.disk.read(path) or b""
        if any(_TRITON.match(line) for line in text.splitlines() if b"triton" in line):
            yield Kernel(path, "")
        module = index.module(path) if name.encode() in text else None
        for node in nodes_below(module.tree) if module is not None else ():
            if isinstance(node, ast.Call) and last_name(node.func) == name:
                given = [one.value for one in node.keywords if one.arg == "name"] + node.args[:1]
                yield from (Kernel(path, one.rpartition(".")[2]) for one in map(text_of, given) if one)


KERNEL_SOURCES = Search("kernels", lambda name: (name.encode(), b"triton"), _sources)
