"""The positions of a name's bindings, block by block: computed once per name, since many questions need them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import libcst as cst

from devlint.analysis.names.bindings import Binding, How
from devlint.analysis.names.control_flow import binds, index_in, statements
from devlint.analysis.names.scopes import Scope, scopes
from devlint.syntax.file_context import FileContext

_AROUND: frozenset[type] = frozenset(
    {cst.For, cst.While, cst.Try, cst.TryStar, cst.IndentedBlock, cst.SimpleStatementSuite}
)
"""What may have run, in whole or in part, before a place inside it."""
_HEADED: frozenset[type] = frozenset({cst.For, cst.While, cst.If, cst.With, cst.Match, cst.Try, cst.TryStar})
"""Statements with blocks that run once something else of them has."""
_BRANCHES = (cst.If, cst.Else, cst.For, cst.While, cst.IndentedBlock)
"""What is left at its end, or by a jump, and not by an exception that is caught."""


class BlockBindings:
    """The bindings that the statements of one block hold."""

    def __init__(self, block: cst.CSTNode) -> None:
        self._block = block
        self._indices: list[int] = []
        self._positions: list[int] = []
        self._marks: list[int] = []
        self._certain: list[int] | None = None

    def add(self, index: int, position: int, binding: Binding) -> None:
        """Record that the statement at ``index`` holds the binding at ``position``; calls come in source order."""
        self._indices.append(index)
        self._positions.append(position)
        self._marks.append(id(binding.node))

    def certain(self, exits: Sequence[int]) -> Sequence[int]:
        """The indices of the statements that certainly bind, or never end; ``exits`` are those that never end."""
        if self._certain is None:
            marks: dict[int, set[int]] = {}
            for index, mark in zip(self._indices, self._marks):
                marks.setdefault(index, set()).add(mark)
            body = statements(self._block)
            self._certain = sorted({*exits, *(index for index in marks if binds(body[index], marks[index]))})
        return self._certain

    def last_before(self, end: int) -> tuple[int, int] | None:
        """The last statement before ``end`` that holds a binding, and the position of its last one."""
        last = bisect_left(self._indices, end) - 1
        return (self._indices[last], self._positions[last]) if last >= 0 else None

    def between(self, first: int, end: int) -> list[int]:
        """The positions of the bindings in the statements from ``first`` to before ``end``."""
        return self._positions[bisect_left(self._indices, first) : bisect_left(self._indices, end)]


class BindingPositions:
    """Some bindings of a name, by the blocks that hold them."""

    def __init__(self, ctx: FileContext, found: Sequence[Binding]) -> None:
        self._ctx = ctx
        self.found = found
        self.kinds = {one.how for one in found}
        self.node_ids = {id(one.node) for one in found}
        self.headers = [
            position for position, one in enumerate(found) if one.how in (How.PARAMETER, How.LOOP, How.WITH, How.EXCEPT)
        ]
        self._exits = ctx.fact(_Exits)
        self._rows: dict[int, BlockBindings] = {}
        self._under: dict[int, list[int]] = {}
        self._heads: dict[int, list[int]] = {}
        self._replaced: dict[tuple[int, int], bool] = {}
        for position, one in enumerate(found):
            is_head = True
            for child, parent in ctx.tree.path_up(one.node):
                if parent.__class__ in _AROUND:
                    self._under.setdefault(id(parent), []).append(position)
                index = index_in(ctx, parent, child)
                if index is not None:
                    if is_head and child.__class__ in _HEADED:
                        self._heads.setdefault(id(child), []).append(position)
                    is_head = False
                    self._rows.setdefault(id(parent), BlockBindings(parent)).add(index, position, one)

    def under(self, node: cst.CSTNode | None) -> Sequence[int]:
        """The positions of the bindings somewhere below ``node``, a loop, its body or a ``try``, that may leave it."""
        found = self._under.get(id(node), ()) if node is not None else ()
        return [one for one in found if not self._is_replaced(one, node)] if isinstance(node, cst.BaseSuite) else found

    def head(self, statement: cst.CSTNode) -> Sequence[int]:
        """The positions of the bindings of a compound statement that none of its blocks holds."""
        return self._heads.get(id(statement), ())

    def binds_before(self, block: cst.CSTNode, index: int) -> bool:
        """Whether a statement of ``block`` before the one at ``index`` certainly binds."""
        certain = self._certain(block)
        return bool(certain) and certain[0] < index

    def first_that_binds(self, block: cst.CSTNode) -> int | None:
        """The index of the first statement of ``block`` that certainly binds."""
        certain = self._certain(block)
        return certain[0] if certain else None

    def reach(self, block: cst.CSTNode, index: int) -> tuple[list[int], bool]:
        """The bindings above a statement that may hold there, and whether all those further up are overwritten."""
        certain = self._certain(block)
        last = bisect_left(certain, index) - 1
        row = self._rows.get(id(block))
        above = row.between(certain[last] if last >= 0 else 0, index) if row is not None else []
        return [one for one in above if not self._is_replaced(one, block)], last >= 0

    def _is_replaced(self, position: int, block: cst.CSTNode) -> bool:
        """Whether a branch below ``block`` gives a name another value before it ends: ``if x: y = 1; y = 2``."""
        key = position, id(block)
        if key not in self._replaced:
            self._replaced[key] = self._ends_otherwise(self.found[position].node, block)
        return self._replaced[key]

    def _ends_otherwise(self, node: cst.CSTNode, block: cst.CSTNode) -> bool:
        path = list(self._ctx.tree.path_up(node))
        level = next((at for at, up in enumerate(path) if isinstance(up[0], cst.SimpleStatementLine)), 0)
        line, inner = path[level]
        start = index_in(self._ctx, inner, line)
        around = [up for _, up in path[level:]]
        if start is None or block not in around:
            return False  # ``block`` is one line: ``x = 1; y = x``
        if not all(isinstance(one, _BRANCHES) for one in around[: around.index(block)]):
            return False
        body, exits = statements(inner), self._exits.of(inner)
        end = next((one for one in self._certain(inner) if one > start and one not in exits), start)
        is_plain = all(isinstance(one, cst.SimpleStatementLine) for one in body[start : end + 1])
        return inner is not block and is_plain and end > start

    def last_before(self, block: cst.CSTNode, index: int) -> tuple[int, int] | None:
        """The last statement before ``index`` that holds a binding, and the position of its last one."""
        row = self._rows.get(id(block))
        return row.last_before(index) if row is not None else None

    def holds(self, node: cst.CSTNode) -> bool:
        """Whether a node is, or contains, one of the bindings."""
        return id(node) in self.node_ids or id(node) in self._under

    def _certain(self, block: cst.CSTNode) -> Sequence[int]:
        row = self._rows.get(id(block))
        exits = self._exits.of(block)
        return row.certain(exits) if row is not None else exits


class _Exits:
    """By block, the statements that end on no path: where they stand, every name may be taken for bound."""

    def __init__(self, ctx: FileContext) -> None:
        self._found: dict[int, list[int]] = {}

    def of(self, block: cst.CSTNode) -> Sequence[int]:
        """The indices of these statements in ``block``."""
        found = self._found.get(id(block))
        if found is None:
            nothing: set[int] = set()
            found = [index for index, one in enumerate(statements(block)) if binds(one, nothing)]
            self._found[id(block)] = found
        return found


class _KnownPositions:
    """The binding positions of all names, computed when they are first needed."""

    def __init__(self, ctx: FileContext) -> None:
        self._ctx = ctx
        self._of_names: dict[tuple[int, str], BindingPositions] = {}
        self._own: dict[tuple[int, str], BindingPositions] = {}
        self._of_some: dict[tuple[int, ...], BindingPositions] = {}

    def of_name(self, scope: Scope, name: str) -> BindingPositions:
        """The positions of all bindings of a name, those made in inner scopes included."""
        key = id(scope), name
        if key not in self._of_names:
            self._of_names[key] = BindingPositions(self._ctx, scope.bindings[name])
        return self._of_names[key]

    def own(self, scope: Scope, name: str) -> BindingPositions:
        """The positions of those bindings of a name that ``scope`` itself makes."""
        key = id(scope), name
        if key not in self._own:
            every = self.of_name(scope, name)
            own = _own(self._ctx, scope, every.found)
            self._own[key] = every if own is every.found else BindingPositions(self._ctx, own)
        return self._own[key]

    def of_some(self, scope: Scope, found: Sequence[Binding]) -> BindingPositions:
        """The positions of those of the bindings ``found`` that ``scope`` itself makes."""
        key = (id(scope), *map(id, found))
        if key not in self._of_some:
            self._of_some[key] = BindingPositions(self._ctx, _own(self._ctx, scope, found))
        return self._of_some[key]


def _own(ctx: FileContext, scope: Scope, found: Sequence[Binding]) -> Sequence[Binding]:
    table = scopes(ctx)
    own = [one for one in found if table.scope_of(one.node) is scope]
    return found if len(own) == len(found) else own


def binding_positions(ctx: FileContext, scope: Scope, found: Sequence[Binding]) -> BindingPositions:
    """The positions of those of the bindings ``found``, all of one name, that ``scope`` itself makes."""
    table = ctx.fact(_KnownPositions)
    if found and scope.bindings.get(found[0].name) is found:
        return table.own(scope, found[0].name)
    return table.of_some(scope, found)


def all_binding_positions(ctx: FileContext, scope: Scope, name: str) -> BindingPositions:
    """The positions of all bindings of a name of ``scope``."""
    return ctx.fact(_KnownPositions).of_name(scope, name)
