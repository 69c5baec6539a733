"""Under which name a device can be defined."""

from __future__ import annotations

from typing import Optional

import libcst as cst

from devlint.context import FileContext
from devlint.facts.bindings import How
from devlint.facts.names import reads
from devlint.facts.placement import Anchor
from devlint.facts.scopes import Scope, scopes

_NAMES = ("device", "torch_device", "default_device", "torch_device_")


def free_name(ctx: FileContext, anchor: Anchor, at: cst.CSTNode) -> Optional[str]:
    """A name for a device that means nothing else between ``anchor`` and ``at``."""
    return next((name for name in _NAMES if _is_free(ctx, name, anchor, at)), None)


def _is_free(ctx: FileContext, name: str, anchor: Anchor, at: cst.CSTNode) -> bool:
    table = scopes(ctx)
    scope: Optional[Scope] = table.scope_of(at)
    while scope is not None and scope is not anchor.scope:
        if name in scope.bindings:
            return False
        scope = scope.parent
    if name in anchor.scope.bindings or (table.star_import and anchor.scope is table.module and _is_read(ctx, name)):
        return False
    if anchor.scope is table.module:
        return True
    inside = {id(node) for node in ctx.tree.below(anchor.scope.node)}
    return not any(one.value == name and id(one) in inside for one in reads(ctx))


def _is_read(ctx: FileContext, name: str) -> bool:
    return any(one.value == name for one in reads(ctx))


def same_definition(ctx: FileContext, scope: Scope, expression: str, at: cst.CSTNode) -> Optional[str]:
    """A name of ``scope``, seen at ``at``, that is assigned this very expression and nothing else."""
    for name, found in scope.bindings.items():
        value = found[0].value
        if len(found) == 1 and found[0].how is How.ASSIGN and value is not None:
            if ctx.text_of(value) == expression and scopes(ctx).binder(name, at) is scope:
                return name
    return None
