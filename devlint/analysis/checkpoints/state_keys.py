"""The keys of a state: texts, and no tensors; and where it is only asked for one."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.string_literals import string_value
from devlint.syntax.file_context import FileContext

_ASKS_KEY = (cst.Index, cst.Comparison, cst.ComparisonTarget)
_OF_TEXT = frozenset("startswith endswith replace split find".split())


def is_key(ctx: FileContext, use: cst.Name) -> bool:
    """Whether a name is used as a text is: a key, or part of a test."""
    parent = ctx.tree.parent(use)
    return isinstance(parent, _ASKS_KEY) or is_text(ctx, use)


def is_text(ctx: FileContext, use: cst.Name) -> bool:
    """Whether a name is used as only a text is: ``key.startswith("a")``, ``"a" in key``."""
    parent = ctx.tree.parent(use)
    if isinstance(parent, cst.ComparisonTarget):
        above = ctx.tree.parent(parent)
        left = above.left if isinstance(above, cst.Comparison) else None
        return isinstance(parent.operator, (cst.In, cst.NotIn)) and isinstance(left, cst.SimpleString)
    return isinstance(parent, cst.Attribute) and parent.attr.value in _OF_TEXT


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
