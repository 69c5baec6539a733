"""Methods of models that run, or may run, before anything has moved the model: it is on the CPU then."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.classes import bases, classes_named, methods, methods_named, self_name
from devlint.analysis.names.resolution import attributes_named
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.classes import imported_family
from devlint.analysis.project.overrides import run_to_make
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact_of

_BEFORE = frozenset(
    "configure_model configure_sharded_model prepare_data setup "
    "init_weights _init_weights post_init tie_weights".split()
)
"""What trainers, and the ``__init__`` of the base, call before they move the model."""
_HOOKS = regex(
    r"(?:on|optimizer|lr_scheduler|transfer|configure|forward|backward|predict|\w*_(?:dataloader|step|end|start))"
)


def runs_before_move(ctx: FileContext, definition: cst.ClassDef, method: cst.FunctionDef) -> bool:
    """Whether a method of a model may run before anything has moved the model.

    That is so for ``__init__``, what it calls, and what a trainer calls first; also for a method of a LightningModule
    that is given nothing, is no hook, and that no other method calls: a program may call it on a new model, to make
    its weights.
    """
    name = method.name.value
    if name == "__init__" or name in _BEFORE or name in _called_by_init(ctx, definition):
        return True
    if not any(one.rpartition(".")[2].endswith("LightningModule") for one in bases(ctx, definition)):
        return False
    return not (_HOOKS.match(name) or method.decorators or _is_given(method) or _is_called(ctx, definition, method))


def runs_where_init_moved(ctx: FileContext, definition: cst.ClassDef, method: cst.FunctionDef) -> bool:
    """Whether a method that is no hook of a trainer uses what ``__init__`` has moved to CUDA itself.

    The module is there only after a trainer has moved it, and the method may run before.
    """
    if _HOOKS.match(method.name.value):
        return False
    inits = methods_named(ctx, definition, "__init__")
    return any(ctx.tree.is_around(init, one) for init in inits for one in attributes_named(ctx, "cuda"))


def _is_given(method: cst.FunctionDef) -> bool:
    """Whether a method has parameters, so that what it is given may be where the model is."""
    params = method.params
    return len([*params.posonly_params, *params.params, *params.kwonly_params]) > 1 or params.star_kwarg is not None


def _is_called(ctx: FileContext, definition: cst.ClassDef, method: cst.FunctionDef) -> bool:
    """Whether another method of the class calls this one."""
    for other in methods(definition):
        name = self_name(other) if other is not method else None
        for one in ctx.tree.below(other.body) if name is not None else ():
            if isinstance(one, cst.Attribute) and one.attr.value == method.name.value and _is_of(one, name):
                return True
    return False


@fact_of
def _called_by_init(ctx: FileContext, definition: cst.ClassDef) -> frozenset[str]:
    """Names of methods that run while an instance of a class is made, as far as ``self`` and bases show.

    These are what ``__init__`` mentions, or that of a base, also in another file; what functions of the class that
    make instances call on them (``new.load()`` in a static method); and what such methods call in turn.
    """
    own = [definition, *(one for one in classes_named(ctx, bases(ctx, definition)) if one is not definition)]
    return run_by(ctx, definition, {"__init__", *(one for owner in own for one in _called_by_makers(ctx, owner))})


@fact_of
def run_by_base(ctx: FileContext, definition: cst.ClassDef) -> frozenset[str]:
    """Names of methods that the ``__init__`` of a base runs, before that of the class itself goes on."""
    others = [one for one in classes_named(ctx, bases(ctx, definition)) if one is not definition]
    given = {one for owner in others for one in _mentioned(ctx, owner, "__init__")}
    for base in bases(ctx, definition):
        family = imported_family(project_around(ctx), base)
        given |= run_to_make(family, ()) if family is not None else set()
    return run_by(ctx, definition, given - {"__init__"})


def run_by(ctx: FileContext, definition: cst.ClassDef, waiting: set[str]) -> frozenset[str]:
    """Names of the methods that some methods of a class and its bases run, with their own."""
    own = [definition, *(one for one in classes_named(ctx, bases(ctx, definition)) if one is not definition)]
    families = [imported_family(project_around(ctx), base) for base in bases(ctx, definition)]
    found: set[str] = set()
    while waiting:
        found |= waiting
        given = {one for name in waiting for owner in own for one in _mentioned(ctx, owner, name)}
        for family in families:
            given |= run_to_make(family, waiting) if family is not None else set()
        waiting = given - found
    return frozenset(found)


def _mentioned(ctx: FileContext, owner: cst.ClassDef, name: str) -> Iterator[str]:
    """The attributes that ``__init__`` mentions, or those of the instance that another method of a class mentions."""
    for method in methods_named(ctx, owner, name):
        instance = self_name(method)
        for one in ctx.tree.below(method.body):
            if isinstance(one, cst.Attribute) and (name == "__init__" or _is_of(one, instance)):
                yield one.attr.value


def _is_of(node: cst.Attribute, instance: str | None) -> bool:
    return isinstance(node.value, cst.Name) and node.value.value == instance


def _called_by_makers(ctx: FileContext, owner: cst.ClassDef) -> Iterator[str]:
    """The methods of a class that its static and class methods call on a variable, which may be a new instance."""
    for method in methods(owner):
        if self_name(method) is None:
            for call in ctx.tree.below(method.body):
                if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute):
                    if isinstance(call.func.value, cst.Name):
                        yield call.func.attr.value
