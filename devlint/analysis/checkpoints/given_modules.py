"""Parameters that are modules or optimizers of torch by what every call gives to them, in this file and in others."""

from __future__ import annotations

import ast
from collections.abc import Callable

import libcst as cst

from devlint.analysis.checkpoints.made_modules import gives_module
from devlint.analysis.names.bindings import How
from devlint.analysis.names.given_arguments import given_arguments
from devlint.analysis.names.resolution import bindings
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.calls import CallSite, function_calls_elsewhere
from devlint.analysis.project.classes import class_family
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Project
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.nodes import dotted_text
from devlint.torch_api.module_makers import LOADS_AS_TORCH
from devlint.torch_api.moves import MOVES, RETURNS_MODULE


def is_given_modules(
    ctx: FileContext, taker: cst.BaseExpression, is_module: Callable[[FileContext, cst.BaseExpression], bool]
) -> bool:
    """Whether a name is a parameter of a function, and all its calls are known to give modules to it."""
    if not isinstance(taker, cst.Name):
        return False
    _, found = bindings(ctx, taker.value, taker)
    param = found[0].node if len(found) == 1 and found[0].how is How.PARAMETER else None
    parameters = ctx.tree.parent(param) if isinstance(param, cst.Param) else None
    function = ctx.tree.parent(parameters) if parameters is not None else None
    if not isinstance(param, cst.Param) or not isinstance(function, cst.FunctionDef):
        return False
    given = given_arguments(ctx, param)
    project = project_around(ctx)
    sites = function_calls_elsewhere(project, function.name.value) if given is not None else None
    if given is None or sites is None or not (given or sites):
        return False
    named = [*function.params.posonly_params, *function.params.params]
    position = next((at for at, one in enumerate(named) if one is param), None)
    return all(isinstance(one, cst.BaseExpression) and is_module(ctx, one) for one in given) and all(
        _is_given_module(project, site, site.argument(param.name.value, position)) for site in sites
    )


def _is_given_module(project: Project, site: CallSite, text: str | None) -> bool:
    """Whether what a call in another file gives is made as modules are, wherever that file makes it."""
    module = project.index.module(site.path)
    values = dict(site.values).get(text or "", (text,) if text is not None and not text.isidentifier() else ())
    return module is not None and bool(values) and all(_makes_module(project, module, one, text) for one in values)


def _makes_module(project: Project, module: ProjectModule, text: str | None, name: str | None) -> bool:
    """Whether an expression of another file is a class of modules that is called, or what was moved to a device."""
    try:
        node = ast.parse(text or "", mode="eval").body
    except SyntaxError:
        return False
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in RETURNS_MODULE:
        if node.func.attr in MOVES:
            return True
        node = node.func.value
    if not isinstance(node, ast.Call):
        return dotted_text(node) == name
    called = dotted_text(node.func)
    if (module.origin(node.func) or called).startswith(LOADS_AS_TORCH):
        return True
    found = project.index.resolve(module, called)
    if found is None or not isinstance(found.node, ast.ClassDef):
        return gives_module(project.index, found)
    others = class_family(project.index, found).others
    return bool(others) and all(one.startswith("torch.nn.") for one in others)
