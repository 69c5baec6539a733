"""The keys of a state: texts, and no tensors; and where it is only asked for one."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.names.string_literals import string_value
from devlint.syntax.file_context import FileContext

COMPREHENSIONS = (cst.GeneratorExp, cst.ListComp)
_ASKS_KEY = (cst.Index, cst.Comparison, cst.ComparisonTarget)
_OF_TEXT = frozenset("startswith endswith replace split find".split())


def gives_keys(ctx: FileContext, reads: Sequence[cst.Name]) -> bool:
    """Whether a loop over a state gives keys by all that it does with its variable, or puts them in other lists."""
    if any(is_certainly_text(ctx, one) for one in reads):
        return True
    others = [one for one in reads if not _is_key(ctx, one)]
    is_listed = any(_is_text(ctx, one) for one in reads)
    return not others or (is_listed and all(isinstance(ctx.tree.parent(one), COMPREHENSIONS) for one in others))


def _is_key(ctx: FileContext, use: cst.Name) -> bool:
    """Whether a name is used as a text is: a key, or part of a test."""
    parent = ctx.tree.parent(use)
    return isinstance(parent, _ASKS_KEY) or _is_text(ctx, use)


def _is_text(ctx: FileContext, use: cst.Name) -> bool:
    """Whether a name is used as only a text is: ``key.startswith("a")``, ``"a" in key``."""
    parent = ctx.tree.parent(use)
    if isinstance(parent, cst.ComparisonTarget):
        above = ctx.tree.parent(parent)
        left = above.left if isinstance(above, cst.Comparison) else None
        return isinstance(parent.operator, (cst.In, cst.NotIn)) and isinstance(left, cst.SimpleString)
    return isinstance(parent, cst.Attribute) and parent.attr.value in _OF_TEXT and not _may_split_tensor(ctx, parent)


def is_certainly_text(ctx: FileContext, use: cst.BaseExpression) -> bool:
    """Whether a value is used as no tensor can be: ``key.startswith("a")``, ``"net." + key``, ``key.split(".")``."""
    parent = ctx.tree.parent(use)
    if isinstance(parent, cst.BinaryOperation):
        other = parent.left if parent.right is use else parent.right
        return isinstance(parent.operator, cst.Add) and isinstance(other, (cst.SimpleString, cst.FormattedString))
    call = ctx.tree.parent(parent) if parent is not None else None
    is_asked = isinstance(parent, cst.Attribute) and parent.value is use and parent.attr.value in _OF_TEXT
    given = call.args[0].value if is_asked and isinstance(call, cst.Call) and call.args else None
    return isinstance(given, (cst.SimpleString, cst.Tuple)) and not _may_split_tensor(ctx, parent)


def _may_split_tensor(ctx: FileContext, method: cst.CSTNode | None) -> bool:
    """Whether a method is ``split``, of a tensor as well as of a text, and is given no text."""
    if not isinstance(method, cst.Attribute) or method.attr.value != "split":
        return False
    call = ctx.tree.parent(method)
    given = call.args[0].value if isinstance(call, cst.Call) and call.args else None
    return given is not None and not isinstance(given, (cst.SimpleString, cst.FormattedString))


def key_asked(entry: cst.CSTNode) -> str | None:
    """The text by which an entry is asked for: ``state["best"]``, ``state.get("best", 0)``; None for all else."""
    given: cst.BaseExpression | None = None
    if isinstance(entry, cst.Subscript) and len(entry.slice) == 1 and isinstance(entry.slice[0].slice, cst.Index):
        given = entry.slice[0].slice.value
    elif isinstance(entry, cst.Call) and isinstance(entry.func, cst.Attribute) and entry.args:
        given = entry.args[0].value if entry.func.attr.value in ("get", "pop") else None
    return string_value(given) if given is not None else None


def asks_for_key(parent: cst.CSTNode | None) -> bool:
    """Whether an expression is only asked whether it is there, or has a key."""
    compared = parent.comparisons if isinstance(parent, cst.Comparison) else [parent]
    return all(
        isinstance(one, cst.ComparisonTarget) and isinstance(one.operator, (cst.Is, cst.IsNot, cst.In, cst.NotIn))
        for one in compared
    )
