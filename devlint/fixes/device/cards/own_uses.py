"""Where an instance can have the device of a card, below what keeps the card's number: above the first use of it."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import self_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import targets_named
from devlint.fixes.device.anchors.placement import Anchor
from devlint.syntax.file_context import FileContext, fact


def above_first_use(ctx: FileContext, after: Anchor, uses: Iterable[cst.CSTNode]) -> Anchor | None:
    """The place in ``__init__`` above the first of its statements with a use, if no method runs below ``after``.

    What comes between may raise an error, where nobody asks for the card then.
    """
    init, places = after.scope.node, list(uses)
    instance = self_name(init) if isinstance(init, cst.FunctionDef) else None
    if instance is None or not isinstance(init, cst.FunctionDef):
        return None
    below = [*statements(init.body)]
    below = below[next((at + 1 for at, one in enumerate(below) if one is after.statement), len(below)) :]
    for statement in below:
        if any(ctx.tree.is_around(statement, one) for one in places):
            return Anchor(after.scope, statement, after=False)
        if _may_hide(ctx, statement, instance):
            return None
    return None


def _may_hide(ctx: FileContext, statement: cst.CSTNode, instance: str) -> bool:
    """Whether a method of the instance may run without what is defined below a statement.

    The statement names one, hands the instance on, or may return.
    """
    if any(isinstance(one, cst.Return) for one in ctx.tree.below(statement)):
        return True
    for node in (one for one in ctx.tree.below(statement) if isinstance(one, cst.Name)):
        parent = ctx.tree.parent(node)
        if node.value == "super":
            return True
        if node.value != instance or (isinstance(parent, cst.Attribute) and parent.attr is node):
            continue
        if not isinstance(parent, cst.Attribute) or not _is_plain(ctx, parent):
            return True
    return False


def _is_plain(ctx: FileContext, attribute: cst.Attribute) -> bool:
    """Whether an attribute is one that the file sets, and no method or property."""
    called = isinstance(parent := ctx.tree.parent(attribute), cst.Call) and parent.func is attribute
    if called or attribute.attr.value in _functions(ctx):
        return False
    return bool(targets_named(ctx, dotted_name(attribute) or ""))


@fact
def _functions(ctx: FileContext) -> frozenset[str]:
    """The names of all functions of a file."""
    return frozenset(one.name.value for one in ctx.tree.of_type(cst.FunctionDef))
