"""Functions that are given a device and move something to the current card all the same."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.devices.which_device import DeviceValue
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below


def ignored_caveat(ctx: FileContext, name: str, value: DeviceValue, at: cst.CSTNode) -> str | None:
    """Why what is moved to a device that may be any card would not meet what a function moves that is given it, too."""
    if value.index is not None or value.condition is not None:
        return None
    ignoring = _ignoring(ctx, name, at)
    return f"`{ignoring}` is given `{name}`, and moves to the current card" if ignoring is not None else None


def _ignoring(ctx: FileContext, name: str, at: cst.CSTNode) -> str | None:
    """A function that ignores the device ``name``, which it is given in the function around ``at``."""
    root, function = name.partition(".")[0], scopes(ctx).function_of(at)
    owner = scopes(ctx).binder(root, at)
    known, key = ctx.fact(_known), (name, id(function), id(owner))
    if key not in known:
        calls = (one for one in ctx.fact(_calls_given).get(name, ()) if scopes(ctx).function_of(one) is function)
        called = {dotted_name(one.func) or "" for one in calls if scopes(ctx).binder(root, one) is owner}
        known[key] = next((one for one in sorted(called) if _ignores_device(ctx, one)), None)
    return known[key]


def _known(ctx: FileContext) -> dict[tuple[str, int, int], str | None]:
    """The answers so far."""
    return {}


def _calls_given(ctx: FileContext) -> dict[str, list[cst.Call]]:
    """The calls of named functions by what they are given, where that is a name or an attribute of one."""
    found: dict[str, list[cst.Call]] = {}
    for call in ctx.tree.of_type(cst.Call):
        for arg in call.args if dotted_name(call.func) is not None else ():
            given = dotted_name(arg.value)
            if given is not None:
                found.setdefault(given, []).append(call)
    return found


def _ignores_device(ctx: FileContext, called: str) -> bool:
    """Whether a function of the project holds an ``x.cuda()``."""
    module = own_module(ctx)
    found = project_around(ctx).index.resolve(module, called) if module is not None else None
    if found is None or not isinstance(found.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    calls = (one for one in nodes_below(found.node) if isinstance(one, ast.Call) and not one.args)
    return any(isinstance(one.func, ast.Attribute) and _is_move(one.func) for one in calls)


def _is_move(method: ast.Attribute) -> bool:
    return method.attr == "cuda" and dotted_text(method.value) != "torch"
