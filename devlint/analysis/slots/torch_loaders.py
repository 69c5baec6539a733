"""Which import of a file that does not import torch itself has torch loaded all the same."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.names.classes import bases
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.exports import imports_back
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.python_tree.nodes import names_of_import
from devlint.torch_api.libraries import TORCH_LOADERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.project.module import ProjectModule
    from devlint.analysis.project.project import Index

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
