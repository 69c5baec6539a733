"""Code that says what ``x.cuda()`` and ``x.pin_memory()`` do for a class of the project: CUDA is meant there."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact

_METHODS = frozenset({"cuda", "pin_memory", "_pin_memory"})
_IMPLEMENTED = regex(r"(?:Tensor|Module|TensorBase)\.(?:cuda|pin_memory)\Z|\._pin_memory(?:\.\w+)?\Z")


def implements_cuda(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` is in a method ``cuda``, or in what is called for it: ``@implements(torch.Tensor.cuda)``."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, cst.FunctionDef) and child is parent.body:
            if parent.name.value == "cuda" or parent.name.value in _assigned_methods(ctx):
                return True
            if any(_names_method(ctx, one.decorator) for one in parent.decorators):
                return True
        elif isinstance(parent, (cst.If, cst.IfExp)) and child is parent.body and _names_method(ctx, parent.test):
            return True
    return False


@fact
def _assigned_methods(ctx: FileContext) -> frozenset[str]:
    """The functions of a file that it makes methods: ``Batch.cuda = _move``."""
    found = set()
    for one in ctx.tree.of_type(cst.Assign):
        for target in one.targets:
            if isinstance(target.target, cst.Attribute) and target.target.attr.value in _METHODS:
                found.add(dotted_name(one.value) or "")
    return frozenset(found - {""})


def _names_method(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether ``torch.Tensor.cuda`` or the like is named in an expression, and not called."""
    named = (one for one in ctx.tree.below(node) if isinstance(one, cst.Attribute))
    return any(
        _IMPLEMENTED.search(dotted_name(one) or "") and not isinstance(ctx.tree.parent(one), cst.Call) for one in named
    )
