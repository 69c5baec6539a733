"""One file of the project as Python parses it, and what binds the names of its module."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TypeVar, cast

from devlint.core.record import Record
from devlint.syntax.python_tree.ast_names import names_bound_by, names_in_target
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below

Function = ast.FunctionDef | ast.AsyncFunctionDef
Fact = TypeVar("Fact")


class Bound(Record, eq=False):
    """One statement that binds a name of a module."""

    statement: ast.stmt
    alias: ast.alias | None = None
    """What an import names."""

    @property
    def module(self) -> str:
        """The module of ``from module import name``, as it is written (``..utils``); empty for ``import module``."""
        one = self.statement
        return "." * one.level + (one.module or "") if isinstance(one, ast.ImportFrom) else ""

    @property
    def origin(self) -> str:
        """The full name of what an import names: ``torch.nn``, ``..utils.device``; empty for all else."""
        name = self.alias.name if self.alias is not None else ""
        return name if not self.module else f"{self.module}{'' if self.module.endswith('.') else '.'}{name}"


class ProjectModule:
    """One Python file."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self.path = path
        self.tree = tree
        self._facts: dict[object, object] = {}

    def fact(self, question: Callable[[ast.Module], Fact]) -> Fact:
        """The answer of ``question(tree)``, computed once."""
        if question not in self._facts:
            self._facts[question] = question(self.tree)
        return cast(Fact, self._facts[question])

    @cached_property
    def bindings(self) -> dict[str, list[Bound]]:
        """The names of the module with what binds them, in order; ``*`` for star imports."""
        found: dict[str, list[Bound]] = {}
        for statement in statements_of_scope(self.tree.body):
            for name, alias in _bound_by(statement):
                found.setdefault(name, []).append(Bound(statement, alias))
        return found

    @cached_property
    def declared_global(self) -> frozenset[str]:
        """The names that functions declare global: they may bind them later."""
        found = (node.names for node in nodes_below(self.tree) if isinstance(node, ast.Global))
        return frozenset(name for names in found for name in names)

    def origin(self, expression: ast.expr) -> str:
        """The full name of an expression that begins with an import: ``torch.cuda.is_available``; else empty."""
        dotted = dotted_text(expression)
        name, _, rest = dotted.partition(".")
        found = {one.origin for one in self.bindings.get(name, [])}
        if not dotted or len(found) != 1 or found == {""}:
            return ""
        imported = found.pop()
        if not self.bindings[name][0].module and not self.bindings[name][0].alias.asname:  # type: ignore[union-attr]
            imported = imported.partition(".")[0]
        return f"{imported}.{rest}" if rest else imported

    def sole_value(self, name: str) -> ast.expr | None:
        """The only value that a name of the module ever has; None where it is no plain assignment."""
        bound = self.bindings.get(name, [])
        one = bound[0].statement if len(bound) == 1 else None
        if name in self.declared_global or not isinstance(one, (ast.Assign, ast.AnnAssign)):
            return None
        target = one.target if isinstance(one, ast.AnnAssign) else one.targets[0]
        return one.value if isinstance(target, ast.Name) else None


_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


class Definition(Record, eq=False):
    """What a name stands for: a whole module, or a statement of one that binds the name."""

    module: ProjectModule
    node: ast.AST
    name: str = ""


def statements_of_scope(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a scope in order, those in its blocks too, without what is inside of functions and classes.

    Without recursion: each ``elif`` stands one deeper than the one before it.
    """
    waiting: list[ast.AST] = list[ast.AST](body)[::-1]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.stmt):
            yield one
        if not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            waiting += [inner for block in _BLOCKS for inner in getattr(one, block, ())][::-1]


def _bound_by(statement: ast.stmt) -> Iterator[tuple[str, ast.alias | None]]:
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        for alias in statement.names:
            name = alias.name if isinstance(statement, ast.ImportFrom) else alias.name.partition(".")[0]
            yield alias.asname or name, alias
    elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name, None
    elif isinstance(statement, (ast.For, ast.AsyncFor)):
        yield from ((name, None) for name in names_in_target(statement.target))
    elif isinstance(statement, (ast.With, ast.AsyncWith)):
        for item in statement.items:
            if item.optional_vars is not None:
                yield from ((name, None) for name in names_in_target(item.optional_vars))
    else:
        yield from ((name, None) for name in names_bound_by(statement))
