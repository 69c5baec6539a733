"""Removes an alias of a CUDA tensor type: its definition and all its uses in one fix."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from devlint.analysis.legacy_types.modern_calls import Rewrite, cast_argument, modern_cast, modern_constructor
from devlint.analysis.legacy_types.type_aliases import TypeAlias, defining_statement, type_aliases
from devlint.analysis.names.bindings import Binding
from devlint.analysis.names.control_flow import index_in
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import exported_names, is_script
from devlint.analysis.transfers.moves_for_cuda import is_skipped_without_cuda
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.definition_removal import Removal
from devlint.fixes.device import resolver
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.tensor_type_device import matches_type_condition, queried_tensor_device
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext

_MOST_TOGETHER = 50
"""The limit on aliases on neighbouring lines that share a fix, which is computed anew with each of them."""


def alias_fixes(ctx: FileContext) -> list[tuple[TypeAlias, Fix | None]]:
    """Every alias of a file with its fix; aliases that can only go together share one."""
    found: list[tuple[list[TypeAlias], Fix | None]] = []
    for group in _groups(ctx, type_aliases(ctx)):
        fix = _Change(ctx, group).fix()
        together = _with_neighbours(ctx, found[-1], group, fix) if found else None
        if together is not None:
            found[-1] = together
        else:
            found.append((group, fix))
    return [(alias, fix) for group, fix in found for alias in group]


def _with_neighbours(
    ctx: FileContext, above: tuple[list[TypeAlias], Fix | None], group: list[TypeAlias], fix: Fix | None
) -> tuple[list[TypeAlias], Fix] | None:
    """Two groups on neighbouring lines as one: no empty lines are left between them, and no half of the types."""
    members, other = above
    if fix is None or other is None:
        return None
    if len(members) + len(group) > _MOST_TOGETHER:
        return None
    first, second = (ctx.tree.parent(defining_statement(ctx, one, one.bindings[-1])) for one in (members[-1], group[0]))
    block = ctx.tree.parent(first) if first is not None else None
    if first is None or second is None or block is None or ctx.tree.parent(second) is not block:
        return None
    at, next_at = index_in(ctx, block, first), index_in(ctx, block, second)
    if at is None or next_at is None or next_at != at + 1:
        return None
    joint = _Change(ctx, [*members, *group]).fix()
    return ([*members, *group], joint) if joint is not None else None


def _groups(ctx: FileContext, found: list[TypeAlias]) -> list[list[TypeAlias]]:
    """Aliases of aliases, of one statement and of one ``if`` go together."""
    groups: dict[int, tuple[set[int], list[TypeAlias]]] = {}
    group_of: dict[int, int] = {}
    """By mark, the key of the group that has it."""
    for key, alias in enumerate(found):
        marks = {id(alias), *([id(alias.of)] if alias.of is not None else [])}
        for binding in alias.bindings:
            marks.update(_marks(ctx, alias, binding))
        joined = [groups.pop(one) for one in sorted({group_of[mark] for mark in marks if mark in group_of})]
        marks = marks.union(*(theirs for theirs, _ in joined))
        groups[key] = (marks, [*(one for _, members in joined for one in members), alias])
        group_of.update(dict.fromkeys(marks, key))
    return [members for _, members in groups.values()]


def _marks(ctx: FileContext, alias: TypeAlias, binding: Binding) -> Iterable[int]:
    """Identities of the statement that binds, of its line, and of an ``if`` that it may leave empty."""
    statement = defining_statement(ctx, alias, binding)
    line = ctx.tree.parent(statement)
    block = line if isinstance(line, cst.SimpleStatementSuite) else ctx.tree.parent(line) if line is not None else None
    owner = ctx.tree.parent(block) if block is not None else None
    owner = ctx.tree.parent(owner) if isinstance(owner, cst.Else) else owner
    kept_together = owner if isinstance(owner, (cst.If, cst.For, cst.While, cst.With, cst.Try)) else None
    return [id(one) for one in (statement, line, kept_together) if one is not None]


class _Change:
    """One fix for a group of aliases."""

    def __init__(self, ctx: FileContext, group: list[TypeAlias]) -> None:
        self._ctx = ctx
        self._group = group
        self._caveats: list[str] = []
        self._devices: list[str] = []

    def fix(self) -> Fix | None:
        """The fix; None where one use of one alias cannot be rewritten."""
        places = (one for alias in self._group for one in (alias.place, *alias.uses))
        if any(not self._is_understood(alias) for alias in self._group):
            return None
        if any(is_skipped_without_cuda(self._ctx, one) for one in places):
            return None
        keeps = any(self._is_public(alias) for alias in self._group)
        found: list[Edit] = []
        for alias in self._group:
            for use in alias.uses:
                changes = self._rewritten(alias, use)
                if changes is None:
                    return None
                found += changes
        if not keeps:
            removal = self._removed()
            if removal is None:
                return None
            found += removal
        if not found:
            return None
        names = " and ".join(f"`{alias.name}`" for alias in self._group)
        where = f" and `{self._devices[0]}`" if self._devices else ""
        return edits.as_fix(
            f"Use the dtype{where} in place of {names}", edits.join(found), "; ".join(self._caveats) or None
        )

    def _is_understood(self, alias: TypeAlias) -> bool:
        """Whether the name is always the same type, and nobody but its scope binds it."""
        choice = alias.choice
        if choice is None or not choice.consistent or alias.scope.is_class:
            return False
        return not any(
            isinstance(one, cst.Global) and self._names(one, alias) for one in self._ctx.tree.of_type(cst.Global)
        )

    def _names(self, statement: cst.Global, alias: TypeAlias) -> bool:
        return any(item.name.value == alias.name for item in statement.names)

    def _is_public(self, alias: TypeAlias) -> bool:
        """Whether other files may import the name from this one."""
        if alias.scope.parent is not None:
            return False
        if alias.name in exported_names(self._ctx) or self._ctx.source.path.endswith("__init__.py"):
            return True
        return not (alias.is_imported or is_script(self._ctx) or alias.name.startswith("_"))

    def _rewritten(self, alias: TypeAlias, use: cst.Name) -> list[Edit] | None:
        """The edits of one use; None where it is none that can be written otherwise."""
        if any(other.of is alias and other.place is use for other in self._group):
            return []
        torch, choice = torch_name(self._ctx, use), self._device(alias, use)
        if torch is None or choice is None:
            return None
        made = self._called(alias, use, torch[0], choice.expression)
        if made is None:
            return None
        needed = [choice] if made.uses_device else []
        caveats = [made.caveat, *(one.caveat for one in needed)]
        self._caveats += [one for one in caveats if one and one not in self._caveats]
        self._devices += [one.expression for one in needed]
        return [*made.edits, *torch[1], *(edit for one in needed for edit in one.edits)]

    def _called(self, alias: TypeAlias, use: cst.Name, torch: str, where: str) -> Rewrite | None:
        assert alias.choice is not None
        parent = self._ctx.tree.parent(use)
        if isinstance(parent, cst.Call):
            return modern_constructor(self._ctx, parent, alias.choice.cuda, torch, where)
        call = self._ctx.tree.parent(parent) if isinstance(parent, cst.Arg) else None
        if isinstance(call, cst.Call) and cast_argument(call) is parent:
            return modern_cast(self._ctx, call, alias.choice.cuda, torch, where)
        return None

    def _device(self, alias: TypeAlias, use: cst.Name) -> DeviceChoice | None:
        """The device at a use: that of the definition where it is visible, else one with the same condition."""
        choice = alias.choice
        assert choice is not None
        own = queried_tensor_device(self._ctx, choice)
        if own is not None:
            return own if self._is_seen(own.expression, choice.node, use, only=True) else None
        if not alias.is_imported and not self._has_device_at_uses(alias):
            found = resolver.resolve_device(self._ctx, choice.cuda_node)
            if found is not None and not found.needs_parentheses and matches_type_condition(self._ctx, choice, found):
                if self._is_seen(found.expression, choice.node, use):
                    return found
        found = resolver.resolve_device(self._ctx, use)
        return found if found is not None and matches_type_condition(self._ctx, choice, found) else None

    def _has_device_at_uses(self, alias: TypeAlias) -> bool:
        """Whether one device that the program has is known wherever an alias is used, perhaps from a line below it."""
        assert alias.choice is not None
        names: set[str] = set()
        for use in alias.uses:
            found = None if any(one.place is use for one in self._group) else resolver.resolve_device(self._ctx, use)
            if found is None or found.edits or found.caveat or not found.expression.isidentifier():
                return False
            names.add(found.expression)
            if len(names) > 1 or not matches_type_condition(self._ctx, alias.choice, found):
                return False
        return True

    def _is_seen(self, expression: str, at: cst.CSTNode, use: cst.CSTNode, only: bool = False) -> bool:
        """Whether ``expression`` means at ``use`` what it means ``at`` the definition."""
        root = expression.partition(".")[0]
        if not root.isidentifier():
            return False
        here, there = scopes(self._ctx).binder(root, at), scopes(self._ctx).binder(root, use)
        return here is there and not (only and (here is None or len(here.bindings[root]) > 1))

    def _removed(self) -> list[Edit] | None:
        """The edits that take all definitions away."""
        gone: list[cst.CSTNode] = []
        names = {alias.name for alias in self._group}
        for alias in self._group:
            for binding in alias.bindings:
                statement = defining_statement(self._ctx, alias, binding)
                if isinstance(statement, cst.ImportFrom):
                    gone.append(alias.place)
                elif isinstance(statement, (cst.Assign, cst.AnnAssign)) and _bound_by(statement) <= names:
                    gone.append(statement)
                else:
                    return None
        return Removal(self._ctx, gone).edits()


def _bound_by(statement: cst.CSTNode) -> set[str]:
    """The names a statement assigns to; an empty name for anything else it assigns to."""
    targets = statement.targets if isinstance(statement, cst.Assign) else [statement]
    found: set[str] = set()
    for one in targets:
        target = getattr(one, "target", None)
        parts = [part.value for part in target.elements] if isinstance(target, (cst.Tuple, cst.List)) else [target]
        found.update(part.value if isinstance(part, cst.Name) else "" for part in parts)
    return found
