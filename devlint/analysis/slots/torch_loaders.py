"""Which import of a file that does not import torch itself has torch loaded all the same."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.names.classes import bases
from devlint.analysis.names.control_flow import has_main_part
from devlint.analysis.names.scripts import is_script
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.exports import imports_back
from devlint.analysis.project.mentions import possible_importers, runs_module
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.python_tree.nodes import names_of_import, nodes_below
from devlint.torch_api.libraries import TORCH_LOADERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.project.module import ProjectModule
    from devlint.analysis.project.project import Index, Project

_MOST_MODULES = 60
"""How many modules are read until one is found that imports torch."""


@fact
def torch_loader(ctx: FileContext) -> cst.SimpleStatementLine | None:
    """The first of the module's own lines after which torch is certainly loaded, since what it imports imports torch.

    That is a file of the project, or a library that cannot be imported without torch. An ``import torch`` below it
    changes nothing but the names of this file. None where a class inherits from another file's, which may get a device.
    """
    own = own_module(ctx)
    if own is None or ctx.source.is_fragment:
        return None
    project = project_around(ctx)
    if any(project.imported(base) is not None for one in ctx.tree.of_type(cst.ClassDef) for base in bases(ctx, one)):
        return None
    for statement, line in zip(own.tree.body, ctx.module.body, strict=True) if _is_aligned(ctx, own) else ():
        for name in names_of_import(statement) if isinstance(statement, (ast.Import, ast.ImportFrom)) else ():
            found = project.module(name)
            if found is None:
                loads = not name.startswith(".") and name.partition(".")[0] in TORCH_LOADERS
            else:
                loads = _imports_torch(project.index, found) and not imports_back(project, found)
            if loads and isinstance(line, cst.SimpleStatementLine):
                return line
    return None


@fact
def has_torch_from_importers(ctx: FileContext) -> bool:
    """Whether torch is loaded before the file runs: it is no script, and all that import it import torch above.

    An ``import torch`` anywhere in it changes nothing but the names of this file.
    """
    if ctx.source.is_fragment or is_script(ctx) or has_main_part(ctx):
        return False
    project = project_around(ctx)
    modules = [project.index.module(one.path) for one in possible_importers(project) or ()]
    imports = [_own_imports(project, one) if one is not None else None for one in modules]
    known = list(zip(modules, imports))
    return any(imports) and None not in imports and all(_has_torch_above(project, *one) for one in known)


def _own_imports(project: Project, importer: ProjectModule) -> list[int]:
    """The lines in which a file imports the project's own one, at its top or in a function."""
    return [
        one.lineno
        for one in nodes_below(importer.tree)
        if isinstance(one, (ast.Import, ast.ImportFrom))
        and any(runs_module(project.index, importer.path, name, project.path) for name in names_of_import(one))
    ]


def _has_torch_above(project: Project, importer: ProjectModule | None, lines: list[int] | None) -> bool:
    """Whether a file has torch loaded at its top, above all of these lines."""
    if importer is None or not lines:
        return importer is not None
    above = (one for one in importer.tree.body if one.lineno < min(lines))
    return any(_loads_torch(project.index, importer, one) for one in above)


def _loads_torch(index: Index, module: ProjectModule, statement: ast.stmt) -> bool:
    """Whether a statement of a module imports torch, or a file of the project that does whatever happens."""
    for name in names_of_import(statement) if isinstance(statement, (ast.Import, ast.ImportFrom)) else ():
        if name.partition(".")[0] == "torch":
            return True
        found = index.find(module.path, name) if name.strip(".") else None
        if found is not None and _imports_torch(index, found):
            return True
    return False


def _is_aligned(ctx: FileContext, own: ProjectModule) -> bool:
    """Whether both trees have the same statements: ``a = 1; b = 2`` is one line of one, and two of the other."""
    return len(own.tree.body) == len(ctx.module.body)


def _imports_torch(index: Index, start: ProjectModule) -> bool:
    """Whether a module imports torch whatever happens, or other modules of its project that do."""
    waiting, seen = [start], {start.path}
    while waiting and len(seen) <= _MOST_MODULES:
        module = waiting.pop(0)
        for statement in module.tree.body:
            for name in names_of_import(statement) if isinstance(statement, (ast.Import, ast.ImportFrom)) else ():
                if not name.startswith(".") and name.partition(".")[0] in TORCH_LOADERS | {"torch"}:
                    return True
                found = index.find(module.path, name) if name.strip(".") else None
                if found is not None and found.path not in seen:
                    seen.add(found.path)
                    waiting.append(found)
    return False
