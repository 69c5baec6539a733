"""Flags that callers may switch, and none does: ``def evaluate(net, x, cuda=True)``, always called without ``cuda``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.resolution import bindings, sole_value
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.calls import CallSite, calls_elsewhere, calls_in, handed_on
from devlint.syntax.file_context import FileContext


def keeps_default(ctx: FileContext, test: cst.BaseExpression, holds: bool) -> bool:
    """Whether a test is a parameter that is True (or with ``holds`` False, False) wherever the project calls.

    Or it is a local variable with no other value.
    """
    if not isinstance(test, cst.Name):
        return False
    scope, found = bindings(ctx, test.value, test)
    known, param = ctx.fact(_known), found[0].node if len(found) == 1 else None
    value = sole_value(ctx, test) if scope is not None and scope.is_function else None
    if value is not None:
        return dotted_name(value) == str(holds)
    if not isinstance(param, cst.Param) or param.default is None or ctx.text_of(param.default) != str(holds):
        return False
    if id(param) not in known:
        known[id(param)] = _is_kept(ctx, param, str(holds))
    return known[id(param)]


def _known(ctx: FileContext) -> dict[int, bool]:
    """The answers so far, by the parameter."""
    return {}


def _is_kept(ctx: FileContext, param: cst.Param, default: str) -> bool:
    parameters = ctx.tree.parent(param)
    function = ctx.tree.parent(parameters) if parameters is not None else None
    if not isinstance(function, cst.FunctionDef) or function.decorators or function.name.value.startswith("__"):
        return False
    named = [one.name.value for one in (*function.params.posonly_params, *function.params.params)]
    name, is_method = param.name.value, class_of(ctx, function) is not None
    position = named.index(name) - is_method if name in named else None
    return _is_never_given(ctx, function.name.value, name, position, default, frozenset())


def _is_never_given(
    ctx: FileContext, function: str, name: str, position: int | None, default: str, asked: frozenset[str]
) -> bool:
    """Whether all calls of a function leave a parameter at its default, or hand on another one that is so."""
    module, elsewhere = own_module(ctx), calls_elsewhere(project_around(ctx), function)
    if module is None or elsewhere is None:
        return False
    sites = [*calls_in(module, function), *elsewhere]
    inner = asked | {function}
    return bool(sites) and all(_leaves(ctx, one, name, position, default, inner) for one in sites)


def _leaves(
    ctx: FileContext, site: CallSite, name: str, position: int | None, default: str, asked: frozenset[str]
) -> bool:
    given = site.argument(name, position)
    if site.has_stars or given in (None, default):
        return not site.has_stars
    values = dict(site.values).get(given or "", ())
    other = handed_on(values[0]) if len(values) == 1 and site.path == project_around(ctx).path else None
    if other is None or other.default != default:
        return False
    return other.function in asked or _is_never_given(ctx, other.function, given or "", other.position, default, asked)
