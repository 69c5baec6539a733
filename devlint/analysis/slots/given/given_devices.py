"""Whether a parameter that is called a device is the one that ``x.cuda()`` means, by its uses and by its callers."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import libcst as cst

from devlint.analysis.names.classes import class_of
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.calls import CallSite, base_initializations_elsewhere, calls_elsewhere, calls_in
from devlint.analysis.project.known_devices import known_device
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.slots.given.given_texts import may_be_given_number
from devlint.analysis.slots.parametrized_devices import may_be_given_another
from devlint.syntax.file_context import FileContext, fact_of
from devlint.syntax.python_tree.cpu_choices import chooses_cpu, is_given_cpu
from devlint.syntax.python_tree.nodes import nodes_below
from devlint.torch_api.device_naming import DEVICE_TYPES, looks_like_device, mentions_device

_DEPTH = 3
_OTHER_WORDS = frozenset({"device_map"})
"""Arguments that do not say where the function itself puts something."""


@fact_of
def may_mean_another(ctx: FileContext, param: cst.Param) -> bool:
    """Whether a caller gives a parameter another device than the current GPU, or what is none, such as ``"auto"``.

    An option that is the number of a card (``--gpu``) is another one unless that is made the current one first.

    Where the function does nothing else with it, every caller must be seen to give the usual one.
    """
    parameters = ctx.tree.parent(param)
    function = ctx.tree.parent(parameters) if parameters is not None else None
    if not isinstance(function, cst.FunctionDef):
        return False
    if may_be_given_another(ctx, function, param) or may_be_given_number(ctx, param):
        return True
    given = given_to(ctx, function, param)
    if _is_used(ctx, function, param.name.value):
        given += _given_by_heirs(ctx, function, param)
        return any(_is_no_device(node) or _is_cpu(module, node) for module, node in given)
    return not all(_is_usual(module, node) for module, node in given)


def is_given_elsewhere(ctx: FileContext, param: cst.Param) -> bool:
    """Whether a caller gives the device that an instance is to keep as the CPU, or as another card than the first."""
    parameters = ctx.tree.parent(param)
    function = ctx.tree.parent(parameters) if parameters is not None else None
    if not isinstance(function, cst.FunctionDef):
        return False
    given = given_to(ctx, function, param) + _given_by_heirs(ctx, function, param)
    return any(_is_cpu(module, node) or (_is_text(node) and _is_no_device(node)) for module, node in given)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_no_device(node: ast.expr) -> bool:
    """Whether a value is None, a word of another meaning (``"auto"``, ``"phone"``), or another card or its number."""
    value = node.value if isinstance(node, ast.Constant) else ...
    if value is None:
        return True
    if isinstance(value, str):
        kind, _, card = value.partition(":")
        return kind not in DEVICE_TYPES or (kind == "cuda" and card not in ("", "0"))
    return isinstance(value, int) and value != 0


def _is_cpu(module: ProjectModule, node: ast.expr) -> bool:
    """Whether the CPU is given, in any case or where a test holds that says nothing of CUDA."""
    known = known_device(module, node)
    if known is not None and not known.cuda:
        return True
    if isinstance(node, ast.Name):
        return is_given_cpu(nodes_below(module.tree), node.id)
    return chooses_cpu(node)


def _is_used(ctx: FileContext, function: cst.FunctionDef, name: str) -> bool:
    """Whether a function reads its parameter, and not only to hand it on as another word's value."""
    arguments = [ctx.tree.parent(one) for one in uses_of(ctx, scopes(ctx).opened_by(function), name)]
    return any(
        not isinstance(one, cst.Arg) or one.keyword is None or one.keyword.value not in _OTHER_WORDS
        for one in arguments
        if not isinstance(one, (cst.Param, cst.AssignTarget))
    )


_Given = list[tuple[ProjectModule, ast.expr]]


def given_to(ctx: FileContext, function: cst.FunctionDef, param: cst.Param) -> _Given:
    """What calls in the project give to a parameter, with the files that they stand in."""
    module, project = own_module(ctx), project_around(ctx)
    owner = class_of(ctx, function)
    name = function.name.value
    if name == "__init__" and owner is not None:
        name = owner.name.value
    sites = [*(calls_in(module, name) if module is not None else ()), *(calls_elsewhere(project, name) or ())]
    return _given_by(ctx, sites, function, param)


def _given_by_heirs(ctx: FileContext, function: cst.FunctionDef, param: cst.Param) -> _Given:
    """What ``super().__init__(…)`` gives to a parameter, of whatever class that may know the one of the function."""
    module, owner = own_module(ctx), class_of(ctx, function)
    if owner is None or function.name.value != "__init__":
        return []
    elsewhere = base_initializations_elsewhere(project_around(ctx), owner.name.value)
    sites = [*(calls_in(module, "__init__") if module is not None else ()), *(elsewhere or ())]
    return _given_by(ctx, sites, function, param)


def _given_by(ctx: FileContext, sites: Iterable[CallSite], function: cst.FunctionDef, param: cst.Param) -> _Given:
    """What some calls of a function give to a parameter."""
    module, project = own_module(ctx), project_around(ctx)
    names = [one.name.value for one in (*function.params.posonly_params, *function.params.params)]
    is_method = class_of(ctx, function) is not None
    position = names.index(param.name.value) - is_method if param.name.value in names else None
    found: _Given = []
    for site in sites:
        where = module if module is not None and site.path == module.path else project.index.module(site.path)
        text = site.argument(param.name.value, position)
        if where is not None and text is not None:
            found.append((where, ast.parse(text, mode="eval").body))
    return found


def _is_usual(module: ProjectModule, node: ast.expr, depth: int = _DEPTH) -> bool:
    """Whether an expression is the device that the program has where it has CUDA, and no chosen card."""
    if isinstance(node, ast.Constant):
        return node.value in ("cuda", "cuda:0", 0)
    if isinstance(node, ast.IfExp):
        return _is_usual(module, node.body, depth) or _is_usual(module, node.orelse, depth)
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func).rpartition(".")[2]
        first = node.args[0] if node.args and name == "device" else None
        return len(node.args) == 1 and _is_usual(module, first, depth) if first is not None else mentions_device(name)
    if isinstance(node, ast.Attribute):
        return looks_like_device(node.attr)
    if isinstance(node, ast.Name) and depth:
        values = [*values_of_name(module, node.id)]
        return bool(values or looks_like_device(node.id)) and all(_is_usual(module, one, depth - 1) for one in values)
    return False


def values_of_name(module: ProjectModule, name: str) -> list[ast.expr]:
    """What a file assigns to a name, in whatever function."""
    return [
        one.value
        for one in nodes_below(module.tree)
        if isinstance(one, (ast.Assign, ast.AnnAssign)) and one.value is not None
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
        if isinstance(target, ast.Name) and target.id == name
    ]
