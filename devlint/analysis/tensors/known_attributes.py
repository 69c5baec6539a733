"""The attributes that a file gives its instances: ``x.sum(-1)`` is none of them where a class keeps a ``self.sum``."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.moves import MOVES
from devlint.torch_api.tensor_functions import KEPT
from devlint.torch_api.tensor_places import REDUCTIONS


def names_known(ctx: FileContext, attribute: cst.Attribute) -> bool:
    """Whether an attribute may be one that the file sets, or a method that it defines.

    What tensors have and is called is theirs, unless the file calls it of an instance: ``self.norm(x)``.
    """
    name, call = attribute.attr.value, ctx.tree.parent(attribute)
    if name in _methods(ctx):
        return name not in MOVES
    is_of_tensors = isinstance(call, cst.Call) and call.func is attribute and name in KEPT | REDUCTIONS
    return name in _set(ctx) and not (is_of_tensors and name not in _called_of_instances(ctx))


def own_attributes(ctx: FileContext, definition: cst.ClassDef) -> Iterator[str]:
    """The attributes that the methods of a class read or set of their instance, by whatever name."""
    for one in ctx.tree.below(definition):
        if isinstance(one, cst.Attribute) and isinstance(one.value, cst.Name):
            method = method_of(ctx, one)
            if method is not None and self_name(method) == one.value.value:
                yield one.attr.value


@fact
def _set(ctx: FileContext) -> frozenset[str]:
    """The attributes that a file sets, without what moves: ``x.cuda()`` is ``x``."""
    targets = (dotted_name(one.target) or "" for one in ctx.tree.of_type(cst.AssignTarget))
    return frozenset(one.rpartition(".")[2] for one in targets if "." in one) - MOVES


@fact
def _methods(ctx: FileContext) -> frozenset[str]:
    """The methods that a file defines."""
    return frozenset(one.name.value for one in ctx.tree.of_type(cst.FunctionDef) if class_of(ctx, one) is not None)


@fact
def _called_of_instances(ctx: FileContext) -> frozenset[str]:
    """The attributes that methods call of their instance, or of its parts: ``self.net.norm(x)``."""
    calls = [(one.func, method_of(ctx, one)) for one in ctx.tree.of_type(cst.Call)]
    named = [(dotted_name(func) or "", method) for func, method in calls if method is not None]
    return frozenset(name.rpartition(".")[2] for name, method in named if name.startswith(f"{self_name(method)}."))
