"""Flags that a function does not hand on to one that has the same flag, on by default: ``grid(z)`` in ``f(cuda)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.classes import methods_of
from devlint.analysis.project.module import Definition, Function
from devlint.syntax.file_context import FileContext, fact_of
from devlint.syntax.python_tree.nodes import parameters_with_defaults


def leaves_default(ctx: FileContext, device: str, at: cst.CSTNode) -> bool:
    """Whether a device of a function is made of such a flag."""
    values = bound_values(ctx, device, at) if device.isidentifier() else []
    parts = {part.value for one in values for part in (one, *ctx.tree.below(one)) if isinstance(part, cst.Name)}
    return any(leaves_flag(ctx, one, at) for one in parts)


def leaves_flag(ctx: FileContext, flag: str, at: cst.CSTNode) -> bool:
    """Whether a flag is a parameter of a function that leaves it at its default where it calls another.

    What that makes is on CUDA whatever the flag says, as is what the function moves without asking.
    """
    scope = scopes(ctx).binder(flag, at)
    function = scope.node if scope is not None and scope.is_function else None
    return isinstance(function, cst.FunctionDef) and flag in _left(ctx, function)


@fact_of
def _left(ctx: FileContext, function: cst.FunctionDef) -> set[str]:
    """The parameters of a function that others that it calls have as well, True by default, and are not given."""
    given = {one.name.value for one in (*function.params.params, *function.params.kwonly_params)}
    module, found = own_module(ctx), set[str]()
    for call in (one for one in ctx.tree.below(function.body) if isinstance(one, cst.Call)):
        called = dotted_name(call.func) or ""
        if module is None or not called or any(one.star for one in call.args):
            continue
        handed = {dotted_name(one.value) or "" for one in call.args}
        handed |= {one.keyword.value for one in call.args if one.keyword is not None}
        known = project_around(ctx).index.resolve(module, called)
        on = given.intersection(_on_by_default(known)) - handed if known is not None else set()
        if on and not any(guards_of(ctx, call)):
            found |= on
    return found


def _on_by_default(found: Definition) -> Iterator[str]:
    """The parameters of a function, or of a class where it is made, that are True by default."""
    node = found.node
    inits = [one for one in methods_of(found) if one.name == "__init__"] if isinstance(node, ast.ClassDef) else []
    for function in [node] if isinstance(node, Function) else inits:
        for param, default in parameters_with_defaults(function.args):
            if isinstance(default, ast.Constant) and default.value is True:
                yield param.arg
