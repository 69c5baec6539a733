"""Functions that are given a device and put something on other cards all the same: the current one, those of a map."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.devices.which_device import FUNCTION_INDEX, DeviceValue
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.scopes import Scope, bound_values, scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.module import Function
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below
from devlint.torch_api.device_naming import looks_like_device

_MAP = "device_map"


def ignored_caveat(ctx: FileContext, name: str, value: DeviceValue, at: cst.CSTNode) -> str | None:
    """Why what is moved to a device that may be any card would not meet what a function moves that is given it, too."""
    if value.index not in (None, FUNCTION_INDEX) or value.condition is not None:
        return None
    function, owner = scopes(ctx).function_of(at), scopes(ctx).binder(name.partition(".")[0], at)
    known, key = ctx.fact(_known), (name, id(function), id(owner))
    if key not in known:
        known[key] = _caveat(ctx, name, function, owner)
    return known[key]


def _caveat(ctx: FileContext, name: str, function: cst.CSTNode | None, owner: Scope | None) -> str | None:
    """The same for a device of a function, by what this function hands it to, and by what it maps itself."""
    if isinstance(function, cst.FunctionDef) and _maps_itself(ctx, function):
        return f"`{function.name.value}` maps what it loads to cards, whatever `{name}` is"
    moved_on = next(_moved_on(ctx, name, function), None)
    if moved_on is not None:
        return f"`{moved_on}` has parts on `{name}`, and is moved on"
    for given in (name, *_kept_as(ctx, name, function)):
        root = given.partition(".")[0]
        calls = (one for one in ctx.fact(_calls_given).get(given, ()) if scopes(ctx).function_of(one) is function)
        calls = (one for one in calls if given != name or scopes(ctx).binder(root, one) is owner)
        for called in sorted({dotted_name(one.func) or "" for one in calls}):
            ignoring = _ignores_device(ctx, called)
            if ignoring is not None:
                return f"`{called}` is given `{name}`, and {ignoring}"
    return None


def _moved_on(ctx: FileContext, name: str, function: cst.CSTNode | None) -> Iterator[str]:
    """What is made of something on a device, and then moved to the current card: ``pipe = Pipe(net); pipe.cuda()``."""
    for func in ctx.fact(_bare_moves).get(id(function), ()):
        moved = func.value.value if isinstance(func.value, cst.Name) else ""
        for made in bound_values(ctx, moved, func):
            parts = (arg.value for arg in made.args) if isinstance(made, cst.Call) else ()
            names = (one.value for one in parts if isinstance(one, cst.Name))
            if any(_is_put_on(ctx, value, name) for one in names for value in bound_values(ctx, one, func)):
                yield moved


def _bare_moves(ctx: FileContext) -> dict[int, list[cst.Attribute]]:
    """The methods by which names are moved to the current card, by the function that they are in."""
    found: dict[int, list[cst.Attribute]] = {}
    for call in ctx.tree.of_type(cst.Call):
        func = call.func
        if isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name) and _is_bare(ctx, call, func):
            found.setdefault(id(scopes(ctx).function_of(call)), []).append(func)
    return found


def _is_bare(ctx: FileContext, call: cst.Call, func: cst.Attribute) -> bool:
    """Whether a call is ``x.cuda()``, or ``x.to("cuda")``."""
    if func.attr.value == "cuda":
        return not call.args
    literals = (cuda_literal(ctx, one.value) for one in call.args) if func.attr.value == "to" else ()
    return any(one is not None and one.index is None for one in literals)


def _is_put_on(ctx: FileContext, value: cst.BaseExpression, name: str) -> bool:
    """Whether a value is put on a device by its name, with ``to`` or as an argument for it."""
    calls = (one for one in (value, *ctx.tree.below(value)) if isinstance(one, cst.Call))
    moves = (one for one in calls if isinstance(one.func, cst.Attribute) and one.func.attr.value == "to")
    return any(dotted_name(arg.value) == name for one in moves for arg in one.args)


def _known(ctx: FileContext) -> dict[tuple[str, int, int], str | None]:
    """The answers so far."""
    return {}


def _kept_as(ctx: FileContext, name: str, function: cst.CSTNode | None) -> list[str]:
    """The attributes that a function gives a device: ``self.device = device``."""
    return ctx.fact(_attributes_kept).get((name, id(function)), [])


def _attributes_kept(ctx: FileContext) -> dict[tuple[str, int], list[str]]:
    """The attributes that functions give a name, by the name and the function."""
    found: dict[tuple[str, int], list[str]] = {}
    for target in ctx.tree.of_type(cst.AssignTarget):
        assign, kept = ctx.tree.parent(target), dotted_name(target.target)
        name = dotted_name(assign.value) if isinstance(assign, cst.Assign) else None
        if name is not None and "." not in name and kept is not None and "." in kept:
            found.setdefault((name, id(scopes(ctx).function_of(target))), []).append(kept)
    return found


def _calls_given(ctx: FileContext) -> dict[str, list[cst.Call]]:
    """The calls of named functions by what they are given, where that is a name or an attribute of one."""
    found: dict[str, list[cst.Call]] = {}
    for call in ctx.tree.of_type(cst.Call):
        for arg in call.args if dotted_name(call.func) is not None else ():
            given = dotted_name(arg.value)
            if given is not None:
                found.setdefault(given, []).append(call)
    return found


def _ignores_device(ctx: FileContext, called: str) -> str | None:
    """What a function of the project does that is given a device: it holds an ``x.cuda()``, or a map of other cards."""
    module = own_module(ctx)
    found = project_around(ctx).index.resolve(module, called) if module is not None else None
    if found is None or not isinstance(found.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    calls = (one for one in nodes_below(found.node) if isinstance(one, ast.Call) and not one.args)
    if any(isinstance(one.func, ast.Attribute) and _is_move(one.func) for one in calls):
        return "moves to the current card"
    return "maps what it loads to other cards" if _maps_elsewhere(found.node) else None


def _maps_itself(ctx: FileContext, function: cst.FunctionDef) -> bool:
    """Whether a function maps what it loads to other cards than a device that it has."""
    module = own_module(ctx) if _MAP in ctx.text_of(function) else None
    same = (one for one in nodes_below(module.tree) if isinstance(one, Function)) if module is not None else ()
    return any(one.name == function.name.value and _maps_elsewhere(one) for one in same)


def _maps_elsewhere(function: ast.AST) -> bool:
    """Whether a function maps what it loads, and names no device for that: ``device_map="auto"``."""
    maps = [one.value for one in nodes_below(function) if isinstance(one, ast.keyword) and one.arg == _MAP]
    for one in nodes_below(function):
        if isinstance(one, ast.Dict):
            maps += [value for key, value in zip(one.keys, one.values) if _is_constant(key, _MAP)]
    return any(not _is_constant(one, None) and not any(map(_is_device, nodes_below(one))) for one in maps)


def _is_device(node: ast.AST) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute)) and looks_like_device(last_name(node))


def _is_constant(node: ast.expr | None, value: str | None) -> bool:
    return isinstance(node, ast.Constant) and node.value == value


def _is_move(method: ast.Attribute) -> bool:
    return method.attr == "cuda" and dotted_text(method.value) != "torch"
