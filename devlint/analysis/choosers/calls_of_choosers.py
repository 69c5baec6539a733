"""Where a script runs something of another file that may choose the visible GPUs, or hands it on."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set

import libcst as cst

from devlint.analysis.apis.call_places import own_methods
from devlint.analysis.choosers.card_choosers import card_choosers_elsewhere
from devlint.analysis.choosers.reached_steps import (
    Step,
    all_methods,
    may_choose,
    methods_called,
    methods_of_any,
    started,
)
from devlint.analysis.names.bindings import dotted_name, module_of
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.resolution import making_call, origin, reads
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import is_script
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.module import Definition, ProjectModule
from devlint.analysis.project.project import LIBRARIES
from devlint.syntax.file_context import FileContext, fact

_NO_USES = (cst.ClassDef, cst.Annotation, cst.Import, cst.ImportFrom)
_QUESTIONS = frozenset({"isinstance", "issubclass", "super"})


@fact
def calls_of_choosers(ctx: FileContext) -> list[cst.Call]:
    """The calls of a script that may choose the visible GPUs in another file: ``cfg.set_args(args.gpu)``."""
    module = _own_script(ctx)
    chosen = _at_import(ctx) if module is not None else None
    if module is None or chosen is None:
        return []
    index, names = project_around(ctx).index, ctx.fact(_names)
    return [
        one
        for one in ctx.tree.of_type(cst.Call)
        if _is_named(ctx, one.func, names) or may_choose(index, _elsewhere(ctx, _run_by(ctx, module, one)), chosen)
    ]


@fact
def hands_on_chooser(ctx: FileContext) -> bool:
    """Whether a script names something of another file that may choose them and does not call it there.

    It may be called by any name: ``setup = gpu.choose``, ``STEPS = {"gpu": choose}``, ``getattr(options, name)()``.
    """
    module = _own_script(ctx)
    chosen = _at_import(ctx) if module is not None else None
    if module is None or chosen is None:
        return False
    index = project_around(ctx).index
    return any(may_choose(index, _elsewhere(ctx, _meant_by(ctx, module, one)), chosen) for one in _handed_on(ctx))


@fact
def _own_script(ctx: FileContext) -> ProjectModule | None:
    return own_module(ctx) if is_script(ctx) and _imports_own(ctx) else None


def _imports_own(ctx: FileContext) -> bool:
    """Whether a file imports what may be another file of the project: without, it calls none of these."""
    names = [module_of(one) for one in ctx.tree.of_type(cst.ImportFrom)]
    names += [dotted_name(two.name) or "" for one in ctx.tree.of_type(cst.Import) for two in one.names]
    return any(one.partition(".")[0] not in LIBRARIES for one in names)


@fact
def _at_import(ctx: FileContext) -> Set[str] | None:
    """The files that choose the visible GPUs when they are imported; None where no other file chooses them."""
    chosen = card_choosers_elsewhere(project_around(ctx))
    return {one.path for one in chosen if not one.name} if chosen else None


def _names(ctx: FileContext) -> dict[str, list[str]]:
    """The names of the functions of other files that choose them, with the paths of these."""
    found: dict[str, list[str]] = {}
    for one in card_choosers_elsewhere(project_around(ctx)):
        if one.name:
            found.setdefault(one.name, []).append(one.path)
    return found


def _is_named(ctx: FileContext, function: cst.BaseExpression, names: dict[str, list[str]]) -> bool:
    """Whether a function may be one of some, by its name, or by the module that its object is from.

    The module may be anywhere: a program may add any folder to its search path.
    """
    made = making_call(ctx, function.value) if isinstance(function, cst.Attribute) else None
    imported = origin(ctx, made.func if made is not None else function)
    if imported is None or imported.partition(".")[0] in LIBRARIES:
        return False
    if isinstance(function, cst.Name):
        return imported.rpartition(".")[2] in names
    modules = set(imported.split("."))
    paths = names.get(function.attr.value, ()) if isinstance(function, cst.Attribute) else ()
    return any(not modules.isdisjoint(path[:-3].replace("\\", "/").split("/")[-2:]) for path in paths)


def _elsewhere(ctx: FileContext, steps: Iterable[Step]) -> Iterator[Step]:
    """The steps that are of other files: whoever asks follows those of this one."""
    own = project_around(ctx).path
    return (one for one in steps if one.definition.module.path != own)


def _run_by(ctx: FileContext, module: ProjectModule, call: cst.Call) -> Iterator[Step]:
    """What a call may run."""
    index, function = project_around(ctx).index, call.func
    found = _definition(ctx, module, function)
    if found is not None:
        yield from started(index, found)
    instance = _class_made(ctx, module, making_call(ctx, function))
    if instance is not None:
        yield from methods_called(index, instance, "__call__")
    if not isinstance(function, cst.Attribute) or (found is not None and not isinstance(found.node, ast.Module)):
        return
    name, around = function.attr.value, method_of(ctx, call)
    owner = class_of(ctx, call) if around is not None else None
    made = making_call(ctx, function.value)
    instance_name = self_name(around) if around is not None else None
    if owner is not None and (_is_super(made) or dotted_name(function.value) == instance_name):
        cls = index.resolve(module, owner.name.value)
        if cls is not None and isinstance(cls.node, ast.ClassDef) and (_is_super(made) or not own_methods(ctx, call)):
            yield from (one for one in all_methods(index, cls) if getattr(one.definition.node, "name", "") == name)
        return
    cls = _class_made(ctx, module, made)
    if cls is not None:
        yield from methods_called(index, cls, name)
    elif not _is_of_library(ctx, function.value):
        yield from methods_of_any(index, module, name)


def _class_made(ctx: FileContext, module: ProjectModule, call: cst.Call | None) -> Definition | None:
    """The class of which a call makes an instance."""
    found = _definition(ctx, module, call.func) if call is not None else None
    return found if found is not None and isinstance(found.node, ast.ClassDef) else None


def _is_super(call: cst.Call | None) -> bool:
    return call is not None and dotted_name(call.func) == "super"


def _is_of_library(ctx: FileContext, owner: cst.BaseExpression) -> bool:
    """Whether a function is of a module, or of what another library gives."""
    imported = origin(ctx, owner)
    if imported is None:
        return False
    found = project_around(ctx).imported(imported)
    return found is None or isinstance(found.node, ast.Module)


def _definition(ctx: FileContext, module: ProjectModule, node: cst.BaseExpression) -> Definition | None:
    """What of the project an expression stands for, which an import, ``import *`` or this module gives its name."""
    dotted, imported = dotted_name(node), origin(ctx, node)
    if imported is not None:
        return None if imported.partition(".")[0] in LIBRARIES else project_around(ctx).imported(imported)
    if dotted is None:
        return None
    table = scopes(ctx)
    scope = table.binder(dotted.partition(".")[0], node)
    is_of_module = scope is table.module or (scope is None and table.star_import)
    return project_around(ctx).index.resolve(module, dotted) if is_of_module else None


def _handed_on(ctx: FileContext) -> Iterator[cst.BaseExpression]:
    """The names of a file, with their attributes, that are read and not called there."""
    for name in reads(ctx):
        whole: cst.BaseExpression = name
        parent = ctx.tree.parent(whole)
        while isinstance(parent, cst.Attribute):
            whole, parent = parent, ctx.tree.parent(parent)
        if isinstance(parent, cst.Call):
            continue
        call = ctx.tree.parent(parent) if isinstance(parent, cst.Arg) else None
        if isinstance(call, cst.ClassDef) or isinstance(parent, cst.Annotation):
            continue
        if isinstance(call, cst.Call) and dotted_name(call.func) in _QUESTIONS:
            continue
        yield whole


def _meant_by(ctx: FileContext, module: ProjectModule, node: cst.BaseExpression) -> Iterator[Step]:
    """What may run where something is called that a name stands for: all of a module, each method of a class."""
    found, index = _definition(ctx, module, node), project_around(ctx).index
    if found is None:
        return
    inner = [found]
    if isinstance(found.node, ast.Module):
        inner = [Definition(found.module, one, "") for one in found.node.body if not isinstance(one, ast.Expr)]
    for one in inner:
        if isinstance(one.node, ast.ClassDef):
            yield from all_methods(index, one)
        elif not isinstance(one.node, ast.Assign) or one is found:
            yield from started(index, one)
