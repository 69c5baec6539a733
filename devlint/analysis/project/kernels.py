"""Files that run nowhere without CUDA's kernels: those of libraries, and those that the project itself compiles."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from devlint.analysis.project.default_devices import is_named_as_test
from devlint.analysis.project.module import Definition, ProjectModule
from devlint.analysis.project.project import LIBRARIES, Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import last_name, names_of_import, nodes_below, text_of
from devlint.torch_api.libraries import KERNELS

_EXTENSION = "CUDAExtension"
_FOR_CPU = "CppExtension"
_FOREIGN = "create_extension"  # of torch.utils.ffi
_LOADERS = frozenset({"load", "load_inline"})
_TRITON = regex(rb"^(?:import|from) triton\b")
_PRIVATE = regex(rb"(?m)^(?:import ([\w.]+)\.(_[a-zA-Z]\w*)\b|from ([\w.]+) import (_[a-zA-Z]\w*)\b)")
"""The import of a private module, as what packages build is called: ``import own._kernels``, ``from . import _C``."""
_WORDS = (b"import _", b"._C", b"._kernels", b"._cuda", b"._ext")
_BUILDERS = (b"cpp_extension", _FOREIGN.encode())
_HANDLES_CPU = regex(rb"\bcpu\b|\bis_cuda\b")


class Kernel(Record):
    """A module that the project compiles for CUDA, by its last name; no name for a file that has kernels itself."""

    path: str
    name: str = ""
    compiles: bool = False
    """Whether the file compiles code for CUDA, and nothing else, when it is imported, or needs what CMake builds so."""


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

    def are_needed_by(self, module: ProjectModule, body: Iterable[ast.stmt], indirectly: bool = False) -> bool:
        """Whether statements cannot run without a kernel; ``indirectly`` also for what they import."""
        for one in body:
            if isinstance(one, (ast.Import, ast.ImportFrom)):
                if any(self._is_needed_to_import(module, name, indirectly) for name in names_of_import(one)):
                    return True
            elif isinstance(one, ast.If):
                always = isinstance(one.test, ast.Constant) and bool(one.test.value)
                branches = [one.body] if always else [one.body, one.orelse]
                if all(self.are_needed_by(module, branch, indirectly) for branch in branches):
                    return True
            elif isinstance(one, ast.Try):
                others = [handler.body for handler in one.handlers if not isinstance(handler.body[-1], ast.Raise)]
                if all(self.are_needed_by(module, branch, indirectly) for branch in (one.body, *others)):
                    return True
            elif _compiles(one):
                return True
        return False

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
    if module is not None and any(map(_compiles, module.tree.body)):
        return True
    lazy = _imports_in_tests(module) if module is not None else []
    if module is None or not (lazy or imports_others(module)):
        return False
    found = search(project, KERNEL_SOURCES, _EXTENSION)
    if not found:
        return False
    kernels = _Kernels(project.index, found)
    is_test = is_named_as_test(module.path)
    if kernels.are_needed_by(module, module.tree.body, indirectly=is_test) or _skips_without(kernels, module):
        return True
    return kernels.are_all_that_is_imported(_of_project(kernels, module)) or kernels.are_all_that_is_imported(
        found.module for found in (kernels.resolve_import(module.path, name) for name in lazy) if found is not None
    )


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


def _compiles(statement: ast.AST) -> bool:
    """Whether a statement compiles CUDA's code: ``backend = load(name="x", sources=["x.cu"])``."""
    call = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(call, ast.Call) or last_name(call.func) not in _LOADERS:
        return False
    return any((text_of(one) or "").endswith(".cu") for one in nodes_below(call))


def _sources(index: Index, paths: Iterable[str], name: str) -> Iterator[Kernel]:
    for path in paths:
        text = index.disk.read(path) or b""
        yield from (Kernel(path, one, compiles=True) for one in _built_beside(index, path, text))
        if any(_TRITON.match(line) for line in text.splitlines() if b"triton" in line):
            yield Kernel(path)
        module = index.module(path) if any(one in text for one in (name.encode(), *_BUILDERS)) else None
        if module is None:
            continue
        yield from (Kernel(path, one) for one in _foreign(module.tree))
        for_cpu = set(_extensions(module.tree, _FOR_CPU))
        yield from (Kernel(path, one) for one in _extensions(module.tree, name) if one not in for_cpu)
        if any(map(_compiles, module.tree.body)) and not _HANDLES_CPU.search(text):
            yield Kernel(path, compiles=True)


def _built_beside(index: Index, path: str, text: bytes) -> Iterator[str]:
    """The modules that a file imports from a package of the project, where CMake builds them for CUDA."""
    for found in _PRIVATE.finditer(text) if any(word in text for word in _WORDS) else ():
        package, last = (found[1] or found[3]).decode(), (found[2] or found[4]).decode()
        is_itself = path.replace("\\", "/").endswith(f"/{package.replace('.', '/')}/__init__.py")
        home = path if is_itself else index.file(path, package) or ""
        if (
            not home.endswith("__init__.py")
            or index.file(path, package + "." * (package[-1:] != ".") + last) is not None
        ):
            continue
        target = re.compile(rf"(?:add_module|add_library|project)\s*\(\s*{last}\b".encode())
        for below in ("", "ops/", "csrc/", "src/", "cpp/", "kernels/"):
            rules = index.disk.read(f"{home.removesuffix('__init__.py')}{below}CMakeLists.txt") or b""
            if b"CUDA" in rules and target.search(rules):
                yield last


def _extensions(tree: ast.Module, maker: str) -> Iterator[str]:
    """The last names of the modules that a class, or a name that only stands for it, is called with."""
    names = {maker, *_always(tree, lambda value: last_name(value) == maker)}
    for node in nodes_below(tree):
        if isinstance(node, ast.Call) and last_name(node.func) in names:
            yield from _names_given(node)


def _foreign(tree: ast.Module) -> Iterator[str]:
    """The last names of the modules that ``torch.utils.ffi`` builds with CUDA's library, or not at all."""
    names = set(_always(tree, _is_true))
    calls = (one for one in nodes_below(tree) if isinstance(one, ast.Call) and last_name(one.func) == _FOREIGN)
    for call in calls:
        flags = (one.value for one in call.keywords if one.arg == "with_cuda")
        if any(_is_true(one) or (isinstance(one, ast.Name) and one.id in names) for one in flags):
            yield from _names_given(call)


def _names_given(call: ast.Call) -> Iterator[str]:
    given = [one.value for one in call.keywords if one.arg == "name"] + call.args[:1]
    return (one.rpartition(".")[2] for one in map(text_of, given) if one)


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


def _always(tree: ast.Module, is_so: Callable[[ast.expr], bool]) -> Iterator[str]:
    """The names with such a value wherever the file goes on: ``extension = CUDAExtension``, ``else: raise``."""
    assigned: dict[str, list[ast.expr]] = {}
    for node in nodes_below(tree):
        if isinstance(node, ast.If) and node.orelse and isinstance(node.orelse[-1], ast.Raise):
            yield from (name for name, value in _assigned(node.body) if is_so(value))
        for name, value in _assigned([node]):
            assigned.setdefault(name, []).append(value)
    yield from (name for name, values in assigned.items() if all(map(is_so, values)))


def _assigned(lines: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    for one in lines:
        if isinstance(one, ast.Assign):
            yield from ((target.id, one.value) for target in one.targets if isinstance(target, ast.Name))


KERNEL_SOURCES = Search("kernels", lambda name: (name.encode(), b"triton", *_BUILDERS, *_WORDS), _sources)
