"""A function that gives the device, and that a module has which the file imports anyway: no second one is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.choosers.asked_choices import means_same, only_returned
from devlint.analysis.names.bindings import How
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_from_outside, set_in
from devlint.analysis.project.exports import imports_back, is_deleted
from devlint.analysis.project.module import Definition, ProjectModule
from devlint.core.diagnostic import Edit
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.fixes.device.shared.imported_names import imported_modules
from devlint.syntax.file_context import FileContext, fact

_LIKE_GIVER = regex(rb"_device\b|\bdevice_\w")


class _Giver(Record, eq=False):
    """A function that only returns a device, in another file."""

    name: str
    """The name of the module that the file imports for it."""
    found: Definition
    returned: ast.expr
    given: str
    """Its only parameter, if it has one."""


_Given = tuple[frozenset[str], list[_Giver]]
"""All names that a module binds, and its functions that give devices."""


def imported_call(
    ctx: FileContext, at: cst.CSTNode, expression: str, given: str, told: str, shared: bool
) -> tuple[str, tuple[Edit, ...]] | None:
    """A call of a function of another file that gives the device ``expression``, and the edits that import it.

    ``given`` is the parameter that the expression asks, if it asks one, which is ``told`` something. Where the device
    is not ``shared`` by several, only a function that the file has imported already.
    """
    if not shared and not _imports_giver(ctx):
        return None
    wanted = ast.unparse(ast.parse(expression, mode="eval").body)
    known: dict[str, _Given] = ctx.fact(_known)
    for one in imported_modules(ctx):
        if one.name not in known:
            known[one.name] = _givers_of(ctx, one.name)
        names, givers = known[one.name]
        for giver in givers if givers and one.is_meant(ctx, names) else ():
            if giver.given != given or ast.unparse(giver.returned) != wanted:
                continue
            if not means_same(ctx, at, giver.found.module, giver.returned, given):
                continue
            edits = one.edits(ctx, giver.name, at)
            if edits is not None and (shared or not edits):
                return f"{one.expression(giver.name)}({told})", edits
    return None


@fact
def _imports_giver(ctx: FileContext) -> bool:
    """Whether the file imports a function that may give a device."""
    bound = scopes(ctx).module.bindings
    return any(_is_like_giver(name) and any(one.how is How.IMPORT for one in found) for name, found in bound.items())


def _is_like_giver(name: str) -> bool:
    return _LIKE_GIVER.search(name.encode()) is not None and not name.startswith("_")


def _known(ctx: FileContext) -> dict[str, _Given]:
    """The answers so far, by the names of modules."""
    return {}


def _givers_of(ctx: FileContext, name: str) -> _Given:
    """The functions of a module that give a device; none where its import may import the file itself."""
    project = project_around(ctx)
    names = project.names(name, lambda text: _LIKE_GIVER.search(text) is not None)
    module = project.module(name) if any(map(_is_like_giver, names)) else None
    found = list(_givers(ctx, module)) if module is not None else []
    return names, [] if module is None or (found and imports_back(project, module)) else found


def _givers(ctx: FileContext, module: ProjectModule) -> Iterator[_Giver]:
    """The functions that a module defines, or imports, which only return something."""
    for name, bound in module.bindings.items():
        if not _is_like_giver(name) or len(bound) != 1 or name in module.declared_global:
            continue
        found = project_around(ctx).index.resolve(module, name)
        given = only_returned(found.module, found.node) if found is not None else None
        if (
            found is not None
            and given is not None
            and _stays(ctx, module, name)
            and _stays(ctx, found.module, found.name)
        ):
            yield _Giver(name, found, *given)


def _stays(ctx: FileContext, module: ProjectModule, name: str) -> bool:
    """Whether a name of another module is never replaced or deleted: by a test, or by the file itself."""
    project = project_around(ctx)
    if set_from_outside(project, name) != [] or is_deleted(module, name):
        return False
    return not any(set_in(project.index, [project.path], name))
