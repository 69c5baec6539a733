"""What a project compiles for CUDA: by its ``setup.py``, by CMake or a Makefile, or when a file is imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from devlint.analysis.project.mentions import containing_folder
from devlint.analysis.project.project import Index
from devlint.analysis.project.searches import Search
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import last_name, names_of_import, nodes_below, text_of

EXTENSION = "CUDAExtension"
_FOR_CPU = "CppExtension"
_FOREIGN = "create_extension"  # of torch.utils.ffi
_LOADERS = frozenset({"load", "load_inline"})
_TRITON = regex(rb"^(?:import|from) triton\b")
_PRIVATE = regex(rb"(?m)^(?:import ([\w.]+)\.(_[a-zA-Z]\w*)\b|from ([\w.]+) import (_[a-zA-Z]\w*)\b)")
"""The import of a private module, as what packages build is called: ``import own._kernels``, ``from . import _C``."""
_MADE = regex(rb"(?m)^(?:import|from) (_[a-zA-Z]\w*)\b")
"""The import of one that a Makefile builds into the folder of the file: ``from _C import scan``."""
_LAST = (b"_C", b"_kernels", b"_cuda", b"_ext")
_WORDS = (b"import _", *(start + one for start in (b".", b"from ") for one in _LAST))
_BUILDERS = (b"cpp_extension", _FOREIGN.encode())
_CUDA_CODE = regex(rb"\.cu\b")
_HANDLES_CPU = regex(rb"\bcpu\b|\bis_cuda\b")


class Kernel(Record):
    """A module that the project compiles for CUDA, by its last name; no name for a file that has kernels itself."""

    path: str
    name: str = ""
    compiles: bool = False
    """Whether the file needs what CMake or a Makefile builds, or compiles code for CUDA alone when it is imported."""


def compiles_kernels(statement: ast.AST) -> bool:
    """Whether a statement compiles CUDA's code: ``backend = load(name="x", sources=["x.cu"])``."""
    call = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(call, ast.Call) or last_name(call.func) not in _LOADERS:
        return False
    return any((text_of(one) or "").endswith(".cu") for one in nodes_below(call))


def always_imports(statements: Iterable[ast.stmt], is_one: Callable[[str], bool]) -> bool:
    """Whether statements import, whatever there is, one of the modules that a question about full names is true for."""
    for one in statements:
        ways: list[list[ast.stmt]] = []
        if isinstance(one, (ast.Import, ast.ImportFrom)):
            if any(map(is_one, names_of_import(one))):
                return True
        elif isinstance(one, ast.If):
            always = isinstance(one.test, ast.Constant) and bool(one.test.value)
            ways = [one.body] if always else [one.body, one.orelse]
        elif isinstance(one, ast.Try):
            others = [handler.body for handler in one.handlers if not isinstance(handler.body[-1], ast.Raise)]
            ways = [one.body, *others]
        if ways and all(always_imports(way, is_one) for way in ways):
            return True
    return False


def _sources(index: Index, paths: Iterable[str], name: str) -> Iterator[Kernel]:
    for path in paths:
        text = index.disk.read(path) or b""
        yield from (Kernel(path, one, compiles=True) for one in _built_beside(index, path, text))
        made = (found[1].decode() for found in _MADE.finditer(text))
        yield from (Kernel(path, one, compiles=True) for one in made if is_made_beside(index, path, one))
        if any(_TRITON.match(line) for line in text.splitlines() if b"triton" in line):
            yield Kernel(path)
        module = index.module(path) if any(one in text for one in (name.encode(), *_BUILDERS)) else None
        if module is None:
            continue
        yield from (Kernel(path, one) for one in _foreign(module.tree))
        for_cpu = {one for one, is_of_cuda in _extensions(module.tree, _FOR_CPU) if not is_of_cuda}
        built = (*_extensions(module.tree, name), *(one for one in _extensions(module.tree, _FOR_CPU) if one[1]))
        yield from (Kernel(path, one) for one, _ in built if one not in for_cpu)
        if any(map(compiles_kernels, module.tree.body)) and not _HANDLES_CPU.search(text):
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


def is_made_beside(index: Index, path: str, name: str) -> bool:
    """Whether a Makefile beside a file builds the module of which a name is imported there, from CUDA's code."""
    module = name.partition(".")[0]
    if not _MADE.match(f"import {module}".encode()) or index.file(path, module) is not None:
        return False
    rules = index.disk.read(f"{containing_folder(path)}/Makefile") or b""
    return _CUDA_CODE.search(rules) is not None and re.search(rf"\b{module}\b".encode(), rules) is not None


def _extensions(tree: ast.Module, maker: str) -> Iterator[tuple[str, bool]]:
    """The last names of the modules that a class, or a name that only stands for it, is called with.

    And whether CUDA's code is among what they are made of.
    """
    names = {maker, *_always(tree, lambda value: last_name(value) == maker)}
    for node in nodes_below(tree):
        if isinstance(node, ast.Call) and last_name(node.func) in names:
            is_of_cuda = any((text_of(one) or "").endswith(".cu") for one in nodes_below(node))
            yield from ((one, is_of_cuda) for one in _names_given(node))


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
