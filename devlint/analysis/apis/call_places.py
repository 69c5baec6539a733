"""When the code of a file runs: on import, and where the file calls its own functions and makes its instances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from devlint.analysis.names.bindings import Binding, dotted_name, module_of
from devlint.analysis.names.classes import bases, class_of, method_of, methods_named, self_name
from devlint.analysis.names.control_flow import is_main_guard
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext


def call_places(ctx: FileContext, function: cst.FunctionDef) -> Iterator[cst.CSTNode]:
    """The calls of a function in the file, by its name; for ``__init__``, the calls of the classes that it makes."""
    names = made_by(ctx, function) if init_around(ctx, function.body) is function else [function.name.value]
    table = scopes(ctx)
    scope = table.scope_of(function) if names == [function.name.value] else table.module
    uses = (use for one in names for use in uses_of(ctx, scope, one))
    return (one for one in uses if isinstance(ctx.tree.parent(one), cst.Call))


def init_around(ctx: FileContext, node: cst.CSTNode) -> cst.FunctionDef | None:
    """The ``__init__`` of a class that a node is in."""
    method = method_of(ctx, node)
    return method if method is not None and method.name.value == "__init__" else None


def made_by(ctx: FileContext, init: cst.FunctionDef) -> list[str]:
    """The class whose ``__init__`` a function is, and those of the file that inherit from it."""
    owner = class_of(ctx, init.body)
    classes = ctx.tree.of_type(cst.ClassDef) if owner is not None else ()
    return [one.name.value for one in classes if one is owner or (owner and owner.name.value in bases(ctx, one))]


def runs_on_import(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a statement runs when another file imports this one."""
    if scopes(ctx).function_of(node) is not None:
        return False
    return not any(isinstance(one, cst.If) and is_main_guard(one) for one in ctx.tree.ancestors(node))


def bodies_run(ctx: FileContext, called: Iterable[Binding]) -> list[cst.BaseSuite]:
    """The bodies of what a name may be that is called: of a function, of the ``__init__`` of a class."""
    nodes = [one.node for one in called]
    inits = (two for one in nodes if isinstance(one, cst.ClassDef) for two in methods_named(ctx, one, "__init__"))
    return [one.body for one in (*nodes, *inits) if isinstance(one, cst.FunctionDef)]


def own_methods(ctx: FileContext, call: cst.CSTNode) -> Sequence[cst.FunctionDef]:
    """The method of the same class that ``self.choose(gpu)`` calls."""
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return ()
    around, owner = method_of(ctx, call), class_of(ctx, call)
    is_own = around is not None and dotted_name(call.func.value) == self_name(around)
    return methods_named(ctx, owner, call.func.attr.value) if owner is not None and is_own else ()


def imports_in_functions(ctx: FileContext) -> list[tuple[cst.CSTNode, str]]:
    """The imports that run with a function, each with the module that it runs."""
    found = [
        one
        for one in (*ctx.tree.of_type(cst.Import), *ctx.tree.of_type(cst.ImportFrom))
        if scopes(ctx).function_of(one) is not None
    ]
    return [(one, name) for one in found for name in _modules(one)]


def _modules(node: cst.CSTNode) -> list[str]:
    if isinstance(node, cst.ImportFrom):
        return [module_of(node)]
    return [dotted_name(one.name) or "" for one in node.names] if isinstance(node, cst.Import) else []
