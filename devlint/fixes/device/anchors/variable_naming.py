"""The name under which a device can be defined."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.devices.unseen_bindings import (
    is_looked_up,
    is_read_whole,
    may_be_bound_after,
    may_have_changed,
)
from devlint.analysis.names.bindings import How
from devlint.analysis.names.control_flow import has_main_part, statements
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.resolution import reads_named
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import may_hide_another
from devlint.fixes.device.anchors.placement import Anchor
from devlint.syntax.file_context import FileContext, fact_of

NAMES = ("device", "torch_device", "default_device", "torch_device_")


def free_name(ctx: FileContext, anchor: Anchor, at: cst.CSTNode, names: Sequence[str] = NAMES) -> str | None:
    """The first of ``names`` that means nothing else between ``anchor`` and ``at``; none where all names are read."""
    if is_read_whole(ctx, anchor.scope, ctx.span(anchor.statement).start):
        return None
    return next((name for name in names if _is_free(ctx, name, anchor, at)), None)


def _is_free(ctx: FileContext, name: str, anchor: Anchor, at: cst.CSTNode) -> bool:
    table = scopes(ctx)
    scope: Scope | None = table.scope_of(at)
    while scope is not None and scope is not anchor.scope:
        if name in scope.bindings or (anchor.scope is not table.module and name in scope.declared_global):
            return False
        scope = scope.parent
    if name in anchor.scope.declared_global | anchor.scope.declared_nonlocal:
        return False
    if name in anchor.scope.bindings or is_looked_up(ctx, name):
        return False
    place = ctx.span(anchor.statement)
    if anchor.scope is table.module and may_be_bound_after(ctx, name, place.end if anchor.after else place.start):
        return False
    if anchor.scope is table.module:  # what reads it, but nothing here binds, is another file's, or a builtin
        if has_main_part(ctx) and may_hide_another(project_around(ctx), name):
            return False
        return all(table.binder(name, one) is not None for one in reads_named(ctx, name))
    return not any(up is anchor.scope.node for one in reads_named(ctx, name) for up in ctx.tree.ancestors(one))


def same_definition(ctx: FileContext, anchor: Anchor, expression: str, at: cst.CSTNode) -> str | None:
    """A name whose only value is this expression, bound for certain, or right where the definition would go."""
    scope = anchor.scope
    for name in _names_by_value(ctx, scope).get(expression, ()):
        if scopes(ctx).binder(name, at) is scope and not may_have_changed(ctx, scope, name, at):
            if certainly_bound(ctx, name, scope, at) or _stands_at(ctx, anchor, scope.bindings[name][0].node):
                return name
    return None


_TABLES = (cst.ConcatenatedString, cst.Dict, cst.List, cst.Set, cst.Tuple)
"""What may be long or deeply nested, and is no device."""


@fact_of
def _names_by_value(ctx: FileContext, scope: Scope) -> dict[str, list[str]]:
    """The names of a scope that are assigned once and nothing else, by the text of what they are assigned."""
    found: dict[str, list[str]] = {}
    for name, (first, *others) in scope.bindings.items():
        if not others and first.how is How.ASSIGN and not isinstance(first.value, (*_TABLES, type(None))):
            found.setdefault(ctx.text_of(first.value), []).append(name)
    return found


def _stands_at(ctx: FileContext, anchor: Anchor, definition: cst.CSTNode) -> bool:
    """Whether a definition is the line after an anchor, where a fix put it before."""
    block, line = ctx.tree.parent(anchor.statement), ctx.tree.parent(definition)
    body = statements(block) if block is not None else ()
    following = next((two for one, two in zip(body, body[1:]) if one is anchor.statement), None)
    return anchor.after and following is not None and following is line
