"""Values that a function turns into whole numbers, which fails for one that is no number."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.syntax.file_context import FileContext

_WHOLE = frozenset({"int", "round", "math.ceil", "math.floor", "math.trunc", "range", "time.sleep"})
_COLLECT = frozenset({"append", "extend", "add", "insert", "update"})


def becomes_whole(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether a function may make a whole number of a value of its own, by whatever names and lists it goes."""
    function = scopes(ctx).function_of(value)
    nodes = list(ctx.tree.below(function if function is not None else ctx.module))
    known, names = -1, set[str]()
    while known < len(names):
        known = len(names)
        for node in nodes:
            for source, target in _flows(node):
                if _holds(ctx, source, value, names):
                    names.update(_named(target))
    return any(_holds(ctx, made, value, names) for node in nodes for made in _made_whole(ctx, node))


def _flows(node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.BaseExpression]]:
    """What a statement or expression takes, and what it puts it into."""
    if isinstance(node, cst.Assign):
        yield from ((node.value, one.target) for one in node.targets)
    elif isinstance(node, (cst.AnnAssign, cst.AugAssign, cst.NamedExpr)):
        if node.value is not None:
            yield node.value, node.target
    elif isinstance(node, (cst.For, cst.CompFor)):
        yield node.iter, node.target
    elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _COLLECT:
        yield from ((one.value, node.func.value) for one in node.args)


def _named(target: cst.BaseExpression) -> Iterator[str]:
    """The names that a target gives a value to; of an item that of the whole."""
    if isinstance(target, (cst.Tuple, cst.List)):
        for one in target.elements:
            yield from _named(one.value)
        return
    while isinstance(target, (cst.Subscript, cst.StarredElement)):
        target = target.value
    written = dotted_name(target)
    if written is not None:
        yield written


def _holds(ctx: FileContext, node: cst.CSTNode, value: cst.BaseExpression, names: set[str]) -> bool:
    """Whether an expression has the value, or one of the names, in it."""
    parts = (node, *ctx.tree.below(node))
    return any(
        one is value or (isinstance(one, (cst.Name, cst.Attribute)) and dotted_name(one) in names) for one in parts
    )


def _made_whole(ctx: FileContext, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What an expression makes whole numbers of: ``int(x)``, ``"%d" % x``."""
    if isinstance(node, cst.Call) and (origin(ctx, node.func) or dotted_name(node.func)) in _WHOLE:
        yield from (one.value for one in node.args)
    elif isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Modulo):
        text = string_value(node.left) or ""
        if "%d" in text or "%i" in text:
            yield node.right
