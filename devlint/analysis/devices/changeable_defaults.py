"""Whether the default of a parameter may become None: nobody asks for it, and nobody passes None."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.calls import calls_elsewhere, calls_in, parameter_position
from devlint.analysis.project.device_parameters import placed_parameters
from devlint.analysis.project.module import Definition, ProjectModule
from devlint.syntax.file_context import FileContext


def may_become_none(ctx: FileContext, param: cst.Param) -> bool:
    """Whether a function of the module only places things by a parameter, and is never given None for it.

    All calls in the project count. Methods, and functions that are more than called, may be looked at by others.
    """
    parameters = ctx.tree.parent(param)
    function = ctx.tree.parent(parameters) if parameters is not None else None
    module = own_module(ctx)
    if not isinstance(function, cst.FunctionDef) or ctx.tree.parent(function) is not ctx.module or module is None:
        return False
    name, parameter = function.name.value, param.name.value
    bound = module.bindings.get(name, ())
    node = bound[0].statement if len(bound) == 1 else None
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or _is_a_value(module, name):
        return False
    project = project_around(ctx)
    if parameter not in placed_parameters(project.index, Definition(module, node, name)):
        return False
    elsewhere = calls_elsewhere(project, name)
    if elsewhere is None:
        return False
    position = parameter_position(node, parameter, is_method=False)
    sites = [*calls_in(module, name), *elsewhere]
    return not any(one.has_stars or _may_be_none(one.argument(parameter, position)) for one in sites)


def _is_a_value(module: ProjectModule, name: str) -> bool:
    """Whether a function is handed on, so that others may call it: ``partial(f)``, ``FUNCTIONS = [f]``."""
    read = sum(isinstance(node, ast.Name) and node.id == name for node in ast.walk(module.tree))
    called = (node.func for node in ast.walk(module.tree) if isinstance(node, ast.Call))
    return read != sum(isinstance(one, ast.Name) and one.id == name for one in called)


def _may_be_none(given: str | None) -> bool:
    """Whether what a call gives to a parameter may be None: anything but a string or a ``device(...)``."""
    if given is None:
        return False
    node = ast.parse(given, mode="eval").body
    return not all(_is_a_device(one) for one in ([node.body, node.orelse] if isinstance(node, ast.IfExp) else [node]))


def _is_a_device(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).rpartition(".")[2] == "device"
    return isinstance(node, (ast.JoinedStr, ast.Constant)) and getattr(node, "value", "") is not None
