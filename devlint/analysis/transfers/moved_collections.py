"""Collections of which one branch moves every element and another takes them as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import bindings, uses_of
from devlint.analysis.transfers.collection_kinds import changes_kind
from devlint.analysis.transfers.comprehensions import each_element
from devlint.syntax.file_context import FileContext


def walked_collections(ctx: FileContext, node: cst.CSTNode, moves: Callable[[cst.Call], bool]) -> dict[int, str]:
    """What is walked by the comprehensions below a node that only move its elements, by the ``id`` of each."""
    found: dict[int, str] = {}
    for one in ctx.tree.below(node):
        each = each_element(one)
        made = each.made if each is not None else None
        if each is None or not isinstance(made, cst.Call) or not isinstance(made.func, cst.Attribute):
            continue
        if moves(made) and dotted_name(made.func.value) == each.name and not changes_kind(ctx, one, each.walked):
            found[id(one)] = ctx.text_of(each.walked)
    return found


def sole_elements(ctx: FileContext, node: cst.CSTNode, collections: Mapping[int, str]) -> dict[int, str]:
    """``x = batch[0]``, by the ``id`` of ``x, _ = [y.cuda() for y in batch]``, where nobody reads ``_``."""
    statements = (one for one in ctx.tree.below(node) if isinstance(one, cst.Assign) and id(one.value) in collections)
    sole = {id(one): (one, _sole_read(ctx, one)) for one in statements}
    return {
        key: f"{read[0]}={collections[id(one.value)]}[{read[1]}]"
        for key, (one, read) in sole.items()
        if read is not None
    }


def _sole_read(ctx: FileContext, statement: cst.Assign) -> tuple[str, int] | None:
    """The only name that is read of those that a statement gives values to, and which of them it is."""
    target = statement.targets[0].target
    if len(statement.targets) != 1:
        return None
    names = [one.value for one in target.elements] if isinstance(target, cst.Tuple) else []
    plain = [one for one in names if isinstance(one, cst.Name)]
    read = [(one.value, index) for index, one in enumerate(plain) if _is_read(ctx, one)]
    return read[0] if len(plain) == len(names) and len(read) == 1 else None


def _is_read(ctx: FileContext, name: cst.Name) -> bool:
    scope, found = bindings(ctx, name.value, name)
    targets = [one.node for one in found]
    return scope is None or any(
        not any(ctx.tree.is_around(node, use) for node in targets) for use in uses_of(ctx, scope, name.value)
    )


def unpacked_collections(ctx: FileContext, node: cst.CSTNode) -> dict[int, str]:
    """``batch`` for ``batch[0], batch[1]`` in ``x, y = batch[0], batch[1]``, by the ``id`` of what is taken apart."""
    found: dict[int, str] = {}
    for one in ctx.tree.below(node):
        if not isinstance(one, cst.Assign) or not isinstance(one.value, cst.Tuple) or len(one.targets) != 1:
            continue
        target, values = one.targets[0].target, [ctx.text_of(element.value) for element in one.value.elements]
        whole = values[0].removesuffix("[0]") if values else ""
        names = len(target.elements) if isinstance(target, cst.Tuple) else 0
        if whole.isidentifier() and values == [f"{whole}[{index}]" for index in range(names)]:
            found[id(one.value)] = whole
    return found
