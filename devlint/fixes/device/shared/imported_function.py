"""A function that gives the device, and that a module has which the file imports anyway: no second one is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import How
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.exports import imports_back, is_set_by_others
from devlint.analysis.project.module import Definition, ProjectModule
from devlint.core.diagnostic import Edit
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.fixes.device.shared.imported_names import imported_modules
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.python_tree.nodes import nodes_below

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
            if giver.given != given or ast.unparse(giver.returned) != wanted or not _means_same(ctx, at, giver):
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
        function = found.node if found is not None else None
        if found is None or not isinstance(function, ast.FunctionDef) or function not in found.module.tree.body:
            continue
        body = function.body[1:] if ast.get_docstring(function) is not None else function.body
        given, last = _only_parameter(function), body[0] if len(body) == 1 else None
        if given is not None and isinstance(last, ast.Return) and last.value is not None:
            yield _Giver(name, found, last.value, given)


def _only_parameter(function: ast.FunctionDef) -> str | None:
    """The parameter of a function, or nothing where it has none; None where it has more, a default or a decorator."""
    every, plain = [one for one in nodes_below(function.args) if isinstance(one, ast.arg)], function.args.args
    if len(every) > 1 or plain != every or function.args.defaults or function.decorator_list:
        return None
    return every[0].arg if every else ""


def _means_same(ctx: FileContext, at: cst.CSTNode, giver: _Giver) -> bool:
    """Whether the names in what a function returns mean for it what they mean at a place of the file."""
    names = {one.id for one in (giver.returned, *nodes_below(giver.returned)) if isinstance(one, ast.Name)}
    return all(_is_same(ctx, at, giver.found.module, one) for one in names - {giver.given})


def _is_same(ctx: FileContext, at: cst.CSTNode, theirs: ProjectModule, name: str) -> bool:
    """Whether a name is the same in two modules: torch, or a value that is set once."""
    own, index = own_module(ctx), project_around(ctx).index
    if own is None or scopes(ctx).binder(name, at) not in (scopes(ctx).module, None):
        return False
    origins = [[one.origin for one in module.bindings.get(name, ())] for module in (own, theirs)]
    if origins == [["torch"], ["torch"]]:
        return True
    here, there = index.resolve(own, name), index.resolve(theirs, name)
    if here is None or there is None or (here.module.path, here.name) != (there.module.path, there.name):
        return False
    is_once = there.module.sole_value(there.name) is not None
    return is_once and is_set_by_others(project_around(ctx), there.module.path, there.name) is False
