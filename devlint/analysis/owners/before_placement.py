"""Methods of models that run, or may run, before anything has moved the model: it is on the CPU then."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.classes import bases, methods, methods_named, self_name
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.classes import imported_family, mentioned_by_inits
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


def _is_given(method: cst.FunctionDef) -> bool:
    """Whether a method has parameters, so that what it is given may be where the model is."""
    params = method.params
    return len([*params.posonly_params, *params.params, *params.kwonly_params]) > 1 or params.star_kwarg is not None


def _is_called(ctx: FileContext, definition: cst.ClassDef, method: cst.FunctionDef) -> bool:
    """Whether another method of the class calls this one."""
    for other in methods(definition):
        name = self_name(other) if other is not method else None
        for one in ctx.tree.below(other.body) if name is not None else ():
            if isinstance(one, cst.Attribute) and one.attr.value == method.name.value:
                if isinstance(one.value, cst.Name) and one.value.value == name:
                    return True
    return False


@fact_of
def _called_by_init(ctx: FileContext, definition: cst.ClassDef) -> frozenset[str]:
    """Names of methods that ``__init__`` of a class mentions, or that of a base in another file."""
    inits = methods_named(ctx, definition, "__init__")[:1]
    below = (node for init in inits for node in ctx.tree.below(init.body))
    names = {one.attr.value for one in below if isinstance(one, cst.Attribute)}
    for base in bases(ctx, definition):
        family = imported_family(project_around(ctx), base)
        names |= mentioned_by_inits(family) if family is not None else frozenset()
    return frozenset(names)
