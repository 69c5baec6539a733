"""Where expressions stand: in which functions and classes of a module, and which calls stand where."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.project.calls import parameter_position
from devlint.analysis.project.module import Function, ProjectModule
from devlint.analysis.transfers.received.displays import named_entries
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.ast_names import nodes_of_scope
from devlint.syntax.python_tree.nodes import last_name

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Standing(Record, eq=False):
    """Where an expression stands."""

    module: ProjectModule
    scopes: tuple[ast.AST, ...] = ()
    """The functions and classes around it, the innermost last."""


def places_of(module: ProjectModule, names: list[str]) -> list[Standing]:
    """Where something stands in functions and classes of these names, of which a module may have several."""
    inside = module.fact(_scopes_inside)
    found = [Standing(module)]
    for name in names:
        inner: list[Standing] = []
        for place in found:
            around = place.scopes[-1] if place.scopes else module.tree
            inner += [place.replace(scopes=(*place.scopes, one)) for one in inside[id(around)].get(name, ())]
        found = inner
    return found


def _scopes_inside(tree: ast.Module) -> dict[int, dict[str, list[ast.AST]]]:
    """The functions, classes and lambdas right inside each, by its identity and their names; "" of a lambda."""
    found: dict[int, dict[str, list[ast.AST]]] = {}
    waiting: list[ast.AST] = [tree]
    while waiting:
        around = waiting.pop()
        body = around.body  # type: ignore[attr-defined]
        named = found.setdefault(id(around), {})
        for node in nodes_of_scope(body if isinstance(body, list) else [body]):
            if isinstance(node, _SCOPES):
                named.setdefault(getattr(node, "name", ""), []).append(node)
                waiting.append(node)
    return found


def names_around(ctx: FileContext, node: cst.CSTNode) -> list[str]:
    """The names of the functions and classes around a node, of the outermost first; "" of a lambda."""
    around = [one for one in ctx.tree.ancestors(node) if isinstance(one, (cst.FunctionDef, cst.ClassDef, cst.Lambda))]
    return ["" if isinstance(one, cst.Lambda) else one.name.value for one in around[::-1]]


def calls_with_scopes(tree: ast.Module) -> dict[str, list[tuple[ast.Call, tuple[ast.AST, ...]]]]:
    """The calls of a file by the last name of what is called, with the functions and classes around each."""
    found: dict[str, list[tuple[ast.Call, tuple[ast.AST, ...]]]] = {}
    waiting: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(tree, ())]
    while waiting:
        around, scopes = waiting.pop()
        body = around.body  # type: ignore[attr-defined]
        for node in nodes_of_scope(body if isinstance(body, list) else [body]):
            if isinstance(node, ast.Call):
                found.setdefault(last_name(node.func), []).append((node, scopes))
            elif isinstance(node, _SCOPES):
                waiting.append((node, (*scopes, node)))
    return found


def given_by_call(call: ast.Call, function: Function, name: str, is_method: bool) -> ast.expr | None:
    """What a call gives to a parameter, where no star hides it: a display of all that ``*rest`` and ``**named`` get."""
    own = function.args
    if own.vararg is not None and own.vararg.arg == name:
        first = len([*own.posonlyargs, *own.args]) - is_method
        return ast.copy_location(ast.Tuple(call.args[first:], ast.Load()), call)
    if own.kwarg is not None and own.kwarg.arg == name:
        return named_entries(call)
    given, position = next((one.value for one in call.keywords if one.arg == name), None), None
    if given is None:
        position = parameter_position(function, name, is_method)
    if position is None or any(isinstance(one, ast.Starred) for one in call.args):
        return given
    return call.args[position] if position < len(call.args) else None


def inner_function(dotted: str, at: Standing) -> Function | None:
    """The function of this name that a function around defines."""
    known = at.module.fact(_functions_inside)
    for scope in at.scopes[::-1]:
        if id(scope) not in known:
            body = scope.body if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)) else []
            defined = [one for one in nodes_of_scope(body) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
            known[id(scope)] = {one.name: one for one in defined[::-1]}
        if dotted in known[id(scope)]:
            return known[id(scope)][dotted]
    return None


def _functions_inside(tree: ast.Module) -> dict[int, dict[str, Function]]:
    """The functions that functions of a module define, by the ``id`` of the outer one, as they are asked for."""
    return {}
