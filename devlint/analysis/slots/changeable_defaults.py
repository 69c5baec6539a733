"""Whether the default of a parameter may become None: nobody asks for it, and nobody passes None."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.calls import CallSite, handed_on, parameter_position
from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.analysis.slots.chosen_defaults import may_choose_by_default
from devlint.analysis.slots.given.never_none import NoneQuestion, Owner, own_sites, sites_elsewhere
from devlint.syntax.file_context import FileContext, fact_of
from devlint.syntax.python_tree.nodes import dotted_text

_HARMLESS = frozenset("staticmethod classmethod no_grad inference_mode enable_grad".split())


@fact_of
def may_become_none(ctx: FileContext, param: cst.Param) -> bool:
    """Whether a function, method or class places things by a parameter, never asks for its None, and is given none.

    All calls in the project count, of a method those of any object that has one of this name.
    """
    module = own_module(ctx)
    owner = _owner(ctx, module, param) if module is not None else None
    if module is None or owner is None:
        return False
    project, name = project_around(ctx), param.name.value
    definition = Definition(module, owner.function, owner.function.name)
    if not may_choose_by_default(project.index, definition, name, owner.cls):
        return False
    position = parameter_position(owner.function, name, owner.is_bound)
    question = NoneQuestion(project, module, (owner.function.name, name))
    if not all(question.is_never_none(one, name, position) for one in own_sites(module, owner)):
        return False  # without a look at the other files, which takes long where many call something of this name
    sites = sites_elsewhere(project, owner)
    return sites is not None and all(question.is_never_none(one, name, position) for one in sites)


@fact_of
def is_never_left_out(ctx: FileContext, param: cst.Param) -> bool:
    """Whether all calls that the project has of a function give a parameter, so that its default is for nobody."""
    module = own_module(ctx)
    owner = _owner(ctx, module, param) if module is not None else None
    if module is None or owner is None:
        return False
    name = param.name.value
    position = parameter_position(owner.function, name, owner.is_bound)
    own = [one for one in own_sites(module, owner) if not _hands_itself(one, owner.function.name, name)]
    if any(one.argument(name, position) is None for one in own):
        return False
    sites = sites_elsewhere(project_around(ctx), owner)
    if sites is None or not (own or sites):
        return False
    return all(one.argument(name, position) is not None for one in sites)


def _hands_itself(site: CallSite, function: str, name: str) -> bool:
    """Whether a function calls itself, and hands its own parameter on."""
    handed = (handed_on(one) for one in dict(site.values).get(name, ()))
    return site.called == function and any(one is not None and one.function == function for one in handed)


def hands_to_init(ctx: FileContext, param: cst.Param, other: cst.Param) -> bool:
    """Whether a class method makes an instance, and gives ``__init__`` of its class its own parameter of that name.

    ``def create(cls, size, device="cuda"): return cls(Net(size), device)``
    """
    maker, init = (ctx.tree.parent(ctx.tree.parent(one) or one) for one in (param, other))
    if not isinstance(maker, cst.FunctionDef) or not isinstance(init, cst.FunctionDef):
        return False
    name, definition = param.name.value, class_of(ctx, maker.body)
    is_same = definition is not None and definition is class_of(ctx, init.body) and name == other.name.value
    if not is_same or init.name.value != "__init__" or not maker.params.params:
        return False
    made_by = (maker.params.params[0].name.value, definition.name.value if definition is not None else "")
    calls = (one for one in ctx.tree.below(maker.body) if isinstance(one, cst.Call))
    made = (one for one in calls if dotted_name(one.func) in made_by)
    return any(dotted_name(arg.value) == name for one in made for arg in one.args)


def _owner(ctx: FileContext, module: ProjectModule, param: cst.Param) -> Owner | None:
    """The function of a parameter; None where others may call it by what nobody sees."""
    parameters = ctx.tree.parent(param)
    function = ctx.tree.parent(parameters) if parameters is not None else None
    if not isinstance(function, cst.FunctionDef):
        return None
    definition = class_of(ctx, function)
    block = ctx.tree.parent(function)
    if definition is None:
        bound = module.bindings.get(function.name.value, ()) if block is ctx.module else ()
        node = bound[0].statement if len(bound) == 1 else None
        return Owner(node, None, False) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
    bound = module.bindings.get(definition.name.value, ())
    cls = bound[0].statement if len(bound) == 1 else None
    if not isinstance(cls, ast.ClassDef) or ctx.tree.parent(block or function) is not definition:
        return None
    if cls.decorator_list and function.name.value == "__init__":
        return None
    methods = [one for one in cls.body if getattr(one, "name", None) == function.name.value]
    node = methods[0] if len(methods) == 1 else None
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or not _is_plain(node):
        return None
    is_static = any(dotted_text(one) == "staticmethod" for one in node.decorator_list)
    return Owner(node, cls, not is_static)


def _is_plain(method: Function) -> bool:
    """Whether a method is called by its name and nothing else; torch calls ``forward`` itself."""
    decorators = (one.func if isinstance(one, ast.Call) else one for one in method.decorator_list)
    if not all(dotted_text(one).rpartition(".")[2] in _HARMLESS for one in decorators):
        return False
    is_special = method.name.startswith("__") and method.name != "__init__"
    return not is_special and method.name not in ("forward", "call")
