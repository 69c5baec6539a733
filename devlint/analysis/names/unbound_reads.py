"""Reads of names that may come before the name is bound, found on Python's own tree by following the control flow.

It guards the engine: a fix after which a name may be read too early, though it was not so before, is not made. So it
shares no code with the resolver, which decides where a fix defines its device.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from devlint.analysis.names.expression_flow import NOWHERE, Bound, ExpressionFlow, Read
from devlint.syntax.python_tree.ast_names import (
    ends_program,
    evaluated_at_definition,
    evaluated_by,
    functions_in,
    is_irrefutable,
    names_bound_by,
    names_in_pattern,
    names_in_target,
    parameters_of,
    reads_of_class_body,
)
from devlint.syntax.python_tree.python_ast import syntax_tree


def unbound_reads(text: str) -> Counter[Read]:
    """How often each name may be read before it is bound, by the scope that reads it.

    Nothing is found where Python itself makes no tree of the text, or one too deep to follow.
    """
    return _reads(text)[0]


def _reads(text: str) -> tuple[Counter[Read], set[Read]]:
    """The reads that may come too early, and the names that are first read where nothing has bound them on any way."""
    found, certain = Counter[Read](), set[Read]()
    tree = syntax_tree(text)
    try:
        if tree is not None:
            _Scope("", tree.body, (), found, certain).run()
    except RecursionError:
        return Counter(), set()
    return found, certain


def new_unbound_reads(before: str, after: str) -> list[str]:
    """The names that a changed text may read before they are bound, in scopes that did so less often before.

    A name that is read too early and only gets another name counts as before, and so does one whose first early read
    now stands in a branch, so that it says nothing about the next; but not one that some ways have bound where it is
    read, and that is now read above them all.
    """
    (old, old_certain), (new, certain) = _reads(before), _reads(after)
    scopes = {scope for scope, _ in new if _total(new, scope) > _total(old, scope)}
    moved = (certain - old_certain) & old.keys()
    early = {name for scope, name in new.keys() - old.keys() if scope in scopes}
    return sorted(early | {name for _, name in moved})


def _total(reads: Counter[Read], wanted: str) -> int:
    """How many reads a scope has."""
    return sum(count for (scope, _), count in reads.items() if scope == wanted)


class _Scope(ExpressionFlow):
    """Follows the statements of the module or of one function."""

    def __init__(
        self, path: str, body: list[ast.stmt], parameters: Iterable[str], found: Counter[Read], certain: set[Read]
    ) -> None:
        super().__init__(path, body, parameters, found, certain)
        self._loops: list[tuple[list[Bound], list[Bound]]] = []

    def run(self) -> None:
        """Follow the body from its beginning, and then the functions in it."""
        self._block(self.body)
        for path, function in functions_in(self.body, self.path):
            parameters = [one.arg for one in parameters_of(function.args)]
            body: list[ast.stmt] = [ast.Expr(function.body)] if isinstance(function, ast.Lambda) else function.body
            _Scope(path, body, parameters, self.found, self.certain).run()

    def _block(self, statements: Iterable[ast.stmt]) -> None:
        for one in statements:
            self._statement = one
            visit = getattr(self, f"_{type(one).__name__}", None)
            if visit is not None:
                visit(one)
            else:
                self._plain(one)

    def _plain(self, node: ast.stmt) -> None:
        """A statement that is evaluated once, in order: reads first, then what it binds."""
        for read in evaluated_by(node):
            self._expression(read)
        for name in (*names_bound_by(node), *self._attributes_set(node)):
            self._bind(name)
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            self.bound = NOWHERE
        if isinstance(node, (ast.Return, ast.Raise)) or (isinstance(node, ast.Expr) and ends_program(node.value)):
            self.bound = NOWHERE
        elif isinstance(node, (ast.Break, ast.Continue)) and self._loops:
            self._loops[-1][isinstance(node, ast.Continue)].append(self.bound)
            self.bound = NOWHERE

    def _Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._read(target.id)
                self._unbind(target.id)
            else:
                self._expression(target)

    def _If(self, node: ast.If) -> None:
        after, otherwise = self._condition(node.test)
        self.bound = before = after
        self._block(node.body)
        marks = self._mark(node.test, before, self.bound)
        after, self.bound = self.bound, otherwise
        self._block(node.orelse)
        self.bound = (self.bound & after) | marks

    def _While(self, node: ast.While) -> None:
        inside, outside = self._condition(node.test)
        self.bound = inside
        self._loop(node, outside)

    def _For(self, node: ast.For | ast.AsyncFor) -> None:
        self._expression(node.iter)
        before = self.bound
        for name in names_in_target(node.target):
            self._bind(name)
        self._loop(node, before)

    _AsyncFor = _For

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, after: Bound) -> None:
        """What a loop repeats, and what it does else, where it has not been left by ``break``."""
        self._loops.append(([], []))
        self._block(node.body)
        breaks, _ = self._loops.pop()
        self.bound = after
        self._block(node.orelse)
        for one in breaks:
            self.bound &= one

    def _With(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self._expression(item.context_expr)
            if item.optional_vars is not None:
                for name in names_in_target(item.optional_vars):
                    self._bind(name)
        self._block(node.body)

    _AsyncWith = _With

    def _Try(self, node: ast.Try) -> None:
        before = self.bound
        self._block(node.body)
        self._block(node.orelse)
        after = self.bound
        for handler in node.handlers:
            self.bound = before
            if handler.type is not None:
                self._expression(handler.type)
            if handler.name:
                self._bind(handler.name)
            self._block(handler.body)
            if handler.name:
                self._unbind(handler.name)
            after &= self.bound
        if node.finalbody:
            self.bound = before
            self._block(node.finalbody)
            after = NOWHERE if self.bound == NOWHERE else after | self.bound
        self.bound = after

    _TryStar = _Try

    def _Match(self, node: ast.Match) -> None:
        self._expression(node.subject)
        before, after = self.bound, NOWHERE
        for case in node.cases:
            self.bound = before
            for name in names_in_pattern(case.pattern):
                self._bind(name)
            if case.guard is not None:
                self._expression(case.guard)
            self._block(case.body)
            after &= self.bound
        self.bound = after if any(map(is_irrefutable, node.cases)) else after & before

    def _FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for one in evaluated_at_definition(node):
            self._expression(one)
        self._bind(node.name)

    _AsyncFunctionDef = _FunctionDef

    def _ClassDef(self, node: ast.ClassDef) -> None:
        for one in evaluated_at_definition(node):
            self._expression(one)
        for name in reads_of_class_body(node):
            self._read(name)
        self._bind(node.name)
