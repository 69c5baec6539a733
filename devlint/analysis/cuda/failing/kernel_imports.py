"""Files that cannot be imported without kernels of CUDA, for what they import, or for whoever imports them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.kernels.built import EXTENSION, KERNEL_SOURCES
from devlint.analysis.project.kernels.needed import imports_others
from devlint.analysis.project.mentions import IMPORTERS, Holder
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.python_tree.nodes import names_of_import, nodes_below, text_of
from devlint.torch_api.libraries import KERNEL_WORDS, KERNELS, RUNS_ELSEWHERE

_IMPORT = regex(rb"(?m)^(?:import|from)[ \t]+([\w.]+)")
_DEFINITIONS = (
    *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.Assign, ast.AnnAssign, ast.Try),
)
_MOST = 60
"""How many files are asked for who imports them, at most."""


@fact
def needs_kernels(ctx: FileContext) -> bool:
    """Whether a file cannot be imported without a kernel of CUDA, or no program that the project has can use it so.

    That is what the files need that it imports, or all those that import it. Triton runs on other devices, too.
    """
    project, module = project_around(ctx), own_module(ctx)
    if module is None or not imports_others(module):
        return False
    sources = search(project, KERNEL_SOURCES, EXTENSION) or ()
    names = frozenset(one.name for one in sources if one.name)
    compiling = frozenset(one.path for one in sources if one.compiles)
    if not names and not compiling and not search(project, KERNEL_LIBRARIES, ""):
        return False
    return _Imports(project, names, compiling).are_needed_around(module)


class _Imports:
    """What the files of a project import whatever there is."""

    def __init__(self, project: Project, names: frozenset[str], compiling: frozenset[str]) -> None:
        self._project, self._index = project, project.index
        self._names = names
        self._compiling = compiling

    def are_needed_around(self, module: ProjectModule) -> bool:
        """Whether a file needs kernels, or all files that import it do, of which there are some, however far away."""
        waiting, seen, is_needed = [module], {module.path}, False
        while waiting:
            one = waiting.pop()
            if self.are_needed(one):
                is_needed = True
                continue
            importers = search(self._project, IMPORTERS, one.path) if len(seen) < _MOST else None
            modules = [self._index.module(two.path) for two in importers or () if two.path != one.path]
            if importers is None or None in modules or (not modules and (one is module or _is_program(one))):
                return False
            waiting += [two for two in modules if two is not None and two.path not in seen]
            seen |= {two.path for two in waiting}
        return is_needed

    def are_needed(self, module: ProjectModule) -> bool:
        """Whether a file cannot be imported without a kernel, however far away it is."""
        known = module.fact(_Known)
        if known.names == (self._names, self._compiling):
            for path in known.read:
                self._index.disk.depend(path)
            return known.answer
        seen: dict[str, None] = {}
        known.answer = self._leads_to_kernel(module, seen)
        known.names, known.read = (self._names, self._compiling), tuple(seen)
        return known.answer

    def _leads_to_kernel(self, module: ProjectModule, seen: dict[str, None]) -> bool:
        if module.path in seen:
            return False
        seen[module.path] = None
        if module.path in self._compiling:
            return True
        for name in _imports_whatever(module.tree.body):
            if _is_for_cuda_alone(name):
                return True
            if not name.strip("."):
                continue
            found = self._index.resolve_import(module.path, name)
            if found is None and name.rpartition(".")[2] in self._names:
                return True
            if found is None or found.module is module:
                continue
            around = (self._index.module(one) for one in self._index.packages(found.module.path))
            for one in (found.module, *around):
                if one is not None and self._leads_to_kernel(one, seen):
                    return True
        return False


def _imports_whatever(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The modules that statements import whatever there is: in no ``if``, nor in a ``try`` that goes on without."""
    for one in body:
        if isinstance(one, (ast.Import, ast.ImportFrom)):
            yield from names_of_import(one)
        elif (
            isinstance(one, ast.Try)
            and one.handlers
            and all(isinstance(two.body[-1], ast.Raise) for two in one.handlers)
        ):
            yield from _imports_whatever(one.body)


def _is_program(module: ProjectModule) -> bool:
    """Whether a file does something when it is started; one that only defines things is of no use by itself."""
    return not all(map(_defines, module.tree.body))


def _defines(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.If):
        return not _asks_for_name(statement.test) and all(map(_defines, [*statement.body, *statement.orelse]))
    return isinstance(statement, _DEFINITIONS) or _is_docstring(statement)


def _asks_for_name(test: ast.expr) -> bool:
    """Whether a test is that of the main part: ``__name__ == "__main__"``."""
    return any(isinstance(one, ast.Name) and one.id == "__name__" for one in nodes_below(test))


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and text_of(statement.value) is not None


class _Known:
    """The answer for a file, what was asked, and the files that were read for it."""

    def __init__(self, _: ast.Module) -> None:
        self.names: tuple[frozenset[str], frozenset[str]] | None = None
        self.answer = False
        self.read: tuple[str, ...] = ()


def _is_for_cuda_alone(name: str) -> bool:
    """Whether a module has kernels that no other device runs."""
    return KERNELS.match(name) is not None and RUNS_ELSEWHERE.match(name) is None


def _importing(index: Index, paths: Iterable[str], _: str) -> Iterator[Holder]:
    for path in paths:
        found = _IMPORT.findall(index.disk.read(path) or b"")
        if any(_is_for_cuda_alone(one.decode()) for one in found):
            yield Holder(path)


KERNEL_LIBRARIES = Search("kernel libraries", lambda _: KERNEL_WORDS, _importing)
