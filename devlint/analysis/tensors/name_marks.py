"""What a file shows of its names: that they have dimensions, or memory in order, or may be no tensors."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import bindings
from devlint.analysis.names.scopes import Scope
from devlint.analysis.tensors.dimensions import asked_dimension
from devlint.analysis.tensors.tensor_values import tested_for_kind
from devlint.syntax.file_context import FileContext


def marks(ctx: FileContext) -> dict[tuple[int, str, str], int]:
    """What the file shows of names, and where first: that they have dimensions (``x.shape[0]``), memory in order.

    And which of several kinds a test takes them to be: ``isinstance(x, tuple)``.
    """
    found: dict[tuple[int, str, str], int] = {}
    for node in ctx.tree.of_types({cst.Attribute, cst.Subscript, cst.Assign, cst.Call}):
        name, mark = _marked(ctx, node)
        scope = bindings(ctx, name.value, name)[0] if name is not None else None
        if name is not None and scope is not None:
            key, start = (id(scope.node), name.value, mark), ctx.span(node).start
            found[key] = min(found.get(key, start), start)
    return found


def _marked(ctx: FileContext, node: cst.CSTNode) -> tuple[cst.Name | None, str]:
    """The name that a node says something of, and what."""
    if isinstance(node, cst.Subscript):
        value = node.value
        if isinstance(value, cst.Name):
            return (value, "size") if len(node.slice) > 1 else (None, "")
        return _asked_size(value), "size"
    if isinstance(node, cst.Assign):
        many = isinstance(node.targets[0].target, (cst.Tuple, cst.List))
        return (_asked_size(node.value) if many else None), "size"
    if isinstance(node, cst.Call):
        tested = tested_for_kind(ctx, node)
        if tested is not None:
            return tested, "kind"
        asked = asked_dimension(ctx, node)
        return (asked if isinstance(asked, cst.Name) else None), "size"
    assert isinstance(node, cst.Attribute)
    parent = ctx.tree.parent(node)
    if not isinstance(node.value, cst.Name):
        return None, ""
    if node.attr.value in ("is_contiguous", "is_cuda", "contiguous"):
        return node.value, "raw"
    sized = node.attr.value == "size" and isinstance(parent, cst.Call) and parent.func is node and bool(parent.args)
    return (node.value, "size") if sized else (None, "")


def _asked_size(node: cst.BaseExpression) -> cst.Name | None:
    """``x`` of ``x.shape`` and ``x.size()``."""
    if isinstance(node, cst.Call) and not node.args:
        node = node.func
    is_size = isinstance(node, cst.Attribute) and node.attr.value in ("shape", "size")
    name = node.value if is_size and isinstance(node, cst.Attribute) else None
    return name if isinstance(name, cst.Name) else None


def asks_size(ctx: FileContext, scope: Scope, name: str, by: cst.CSTNode) -> bool:
    """Whether a function has asked for the dimensions of what a name stands for by the end of a node."""
    mark = ctx.fact(marks).get((id(scope.node), name, "size"))
    return mark is not None and mark < ctx.span(by).end


def may_be_of_several_kinds(ctx: FileContext, scope: Scope, name: str) -> bool:
    """Whether a function tests which kind of object a name stands for: a tensor, or a tuple of some."""
    return (id(scope.node), name, "kind") in ctx.fact(marks)
