"""What modules have that a file imports at its top anyway, and the edits that make it known in the file."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

import libcst as cst

from devlint.analysis.devices.unseen_bindings import is_read_whole, may_be_bound_after, sole_star_import
from devlint.analysis.names.bindings import Binding, How, bindings_of, binds_unknown_names, module_of
from devlint.analysis.names.resolution import attributes_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.read_whole import is_listed
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.exports import is_set_by_others
from devlint.analysis.project.mentions import is_unknown_elsewhere, may_hide_another
from devlint.core.diagnostic import Edit
from devlint.core.record import Record
from devlint.fixes.device.anchors.placement import Anchor, runs_before, top_imports
from devlint.fixes.project_imports import project_imports
from devlint.syntax.file_context import FileContext, fact_of

ALL = "*"


class ImportedModule(Record, eq=False):
    """A module that the file imports at its top, or takes names from."""

    line: cst.SimpleStatementLine
    """The import that stands in the file."""
    binding: Binding | None
    """What it binds; None for ``import *``, which binds what nobody sees."""
    owner: str
    """What the module is called in the file; empty where names are imported from it, a star where all are."""
    name: str
    """The name under which the module is imported."""

    def expression(self, name: str) -> str:
        """How the file writes a name of the module."""
        return f"{self.owner}.{name}" if self.owner not in ("", ALL) else name

    def edits(self, ctx: FileContext, name: str, at: cst.CSTNode) -> tuple[Edit, ...] | None:
        """What makes a name of the module known at a place; None where the name means something else there."""
        table = scopes(ctx)
        if not runs_before(ctx, Anchor(table.module, self.line), at):
            return None
        if self.owner == ALL:
            return () if table.binder(name, at) is None and sole_star_import(ctx, name) == self.name else None
        if self.owner:
            return () if self.binding is not None and _is_always(ctx, self.owner, self.binding.origin, at) else None
        if table.binder(name, at) is None:
            return project_imports(ctx, [f"from {self.name} import {name}"]) if may_be_new(ctx, name) else None
        is_sole = len(table.module.bindings.get(name, ())) == 1
        return () if is_sole and _is_always(ctx, name, f"{self.name}.{name}", at) else None

    def is_meant(self, ctx: FileContext, names: Collection[str]) -> bool:
        """Whether a module with these names has what the file takes from it, so that it is no other of its name."""
        if self.binding is None:
            return True
        if not self.owner:
            return (self.binding.origin or "").rpartition(".")[2] in names
        module = own_module(ctx)
        found = project_around(ctx).index.resolve(module, self.owner) if module is not None else None
        return (found is None or isinstance(found.node, ast.Module)) and any(
            isinstance(one.value, cst.Name) and one.value.value == self.owner
            for name in names
            for one in attributes_named(ctx, name)
        )


def _is_always(ctx: FileContext, name: str, origin: str | None, at: cst.CSTNode) -> bool:
    """Whether a name of the file that is seen at a place is only ever bound by imports of the same thing."""
    table = scopes(ctx)
    found = table.module.bindings.get(name, ()) if table.binder(name, at) is table.module else ()
    is_same = bool(found) and all(one.how is How.IMPORT and one.origin == origin for one in found)
    if not is_same or may_be_bound_after(ctx, name, 0):
        return False
    project = project_around(ctx)
    return is_set_by_others(project, project.path, name) is not True


@fact_of
def may_be_new(ctx: FileContext, name: str) -> bool:
    """Whether nobody sees that the module has a name more: no other file that exports it, or takes or reads all names.

    Nor the file itself, which may have the name by ``import *`` as well.
    """
    project = project_around(ctx)
    if may_hide_another(project, name) or is_set_by_others(project, project.path, name):
        return False
    if is_listed(ctx) or is_read_whole(ctx, scopes(ctx).module, 0):
        return False
    return not scopes(ctx).star_import or is_unknown_elsewhere(project, name)


def imported_modules(ctx: FileContext) -> Iterator[ImportedModule]:
    """The modules that the file imports at its top, in source order, once for each name that is taken from them."""
    for line in top_imports(ctx):
        for small in line.body:
            if binds_unknown_names(small) and isinstance(small, cst.ImportFrom):
                yield ImportedModule(line, None, ALL, module_of(small))
            for binding in bindings_of(small):
                origin = binding.origin or ""
                if isinstance(small, cst.Import):
                    yield ImportedModule(line, binding, binding.name, origin)
                elif origin.rpartition(".")[0].strip("."):
                    yield ImportedModule(line, binding, "", origin.rpartition(".")[0])
                    if f"{binding.name}." in ctx.source.text:  # a module of a package: `from utils import config`
                        yield ImportedModule(line, binding, binding.name, origin)
