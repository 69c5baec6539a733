"""Which names code looks up when it runs, through the functions it may call."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import libcst as cst

from devlint.analysis.names.control_flow import scope_body
from devlint.analysis.names.scopes import Scope
from devlint.syntax.file_context import FileContext
from devlint.syntax.tree import children


def may_look_up(ctx: FileContext, scope: Scope, count: int, name: str | None) -> bool:
    """Whether the first ``count`` statements of a scope look up a name, or let a function do so."""
    first = first_lookup(ctx, scope, name) if name is not None else None
    return first is not None and first < count


def first_lookup(ctx: FileContext, scope: Scope, name: str) -> int | None:
    """The first statement of a scope that looks a name up when it runs, or lets a function do so."""
    return ctx.fact(_FirstLookups).first(scope).get(name)


def looks_up(ctx: FileContext, scope: Scope, statement: cst.CSTNode, name: str) -> bool:
    """Whether a statement of a scope looks a name up when it runs, or lets a function of the scope do so."""
    return name in ctx.fact(_FirstLookups).reached(scope, statement, frozenset())


class _FirstLookups:
    """By scope and name, the first statement that looks the name up; each function body is searched once."""

    def __init__(self, ctx: FileContext) -> None:
        self._tree = ctx.tree
        self._first: dict[int, dict[str, int]] = {}
        self._inside: dict[int, frozenset[str]] = {}

    def first(self, scope: Scope) -> dict[str, int]:
        """By name, the index of the first statement of ``scope`` that may look it up."""
        found = self._first.get(id(scope))
        if found is None:
            found = self._first[id(scope)] = {}
            for index, statement in enumerate(scope_body(scope)):
                found.update(dict.fromkeys(self.reached(scope, statement, found), index))
        return found

    def reached(self, scope: Scope, statement: cst.CSTNode, known: Collection[str]) -> set[str]:
        """The names that a statement may look up when it runs, without those that are ``known``."""
        found: set[str] = set()
        waiting = set(_names_looked_up(statement))
        while waiting:
            new = [name for name in waiting if name not in known and name not in found]
            found.update(new)
            called = (one.node for name in new for one in scope.bindings.get(name, ()))
            waiting = {name for node in called for name in self._below(node)}
        return found

    def _below(self, definition: cst.CSTNode) -> frozenset[str]:
        """The names in the body of a function or class; nothing for what binds otherwise."""
        if not isinstance(definition, (cst.FunctionDef, cst.ClassDef)):
            return frozenset()
        if id(definition) not in self._inside:
            below = self._tree.below(definition.body)
            self._inside[id(definition)] = frozenset(one.value for one in below if one.__class__ is cst.Name)
        return self._inside[id(definition)]


def _names_looked_up(statement: cst.CSTNode) -> Iterator[str]:
    """Names looked up while a statement runs; the body of a ``def`` does not run yet, and an import looks up none."""
    stack = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.FunctionDef):
            stack += [*node.decorators, node.params]
        elif isinstance(node, (cst.Import, cst.ImportFrom)):
            continue
        elif isinstance(node, (cst.Attribute, cst.Arg)):
            stack.append(node.value)
        elif isinstance(node, cst.ClassDef):
            stack += [*node.decorators, *node.bases, *node.keywords, node.body]
        elif isinstance(node, cst.Name):
            yield node.value
        else:
            stack += children(node)
