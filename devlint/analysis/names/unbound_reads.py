"""Reads of names that may come before the name is bound, found on Python's own tree by following the control flow.

It guards the engine: a fix after which a name may be read too early, though it was not so before, is not made. So it
shares no code with the resolver, which decides where a fix defines its device.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterable

from devlint.syntax.ast_names import (
    COMPREHENSIONS,
    bound_names,
    evaluated_at_definition,
    evaluated_by,
    free_names,
    functions_bound_once,
    functions_in,
    names_bound_by,
    names_in_pattern,
    names_in_target,
    parameters_of,
    reads_of_class_body,
)
from devlint.syntax.python_ast import syntax_tree

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__builtins__"}
_LEAVES = frozenset({"exit", "quit", "sys.exit", "os._exit", "os.abort"})
"""Calls after which nothing of the program runs."""
Bound = int
"""The names that are certainly bound, a bit for each; -1 (all of them) where no execution comes by."""
_NOWHERE: Bound = -1
Read = tuple[str, str]
"""The path of a scope (``""`` for the module, ``Net.forward``) and a name that may be read there too early."""


def unbound_reads(text: str) -> Counter[Read]:
    """How often each name may be read before it is bound, by the scope that reads it.

    Nothing is found where Python itself makes no tree of the text, or one too deep to follow.
    """
    found: Counter[Read] = Counter()
    tree = syntax_tree(text)
    try:
        if tree is not None:
            _Scope("", tree.body, (), found).run()
    except RecursionError:
        return Counter()
    return found


class _Scope:
    """The module or one function: its own names, and what is bound at each point of its body."""

    def __init__(
        self,
        path: str,
        body: list[ast.stmt],
        parameters: Iterable[str],
        found: Counter[Read],
    ) -> None:
        self.path, self.body, self.found = path, body, found
        bound, declared = bound_names(body)
        names = sorted((bound | {*parameters}) - declared - (_BUILTINS if not path else set()))
        self.bits = {name: 1 << number for number, name in enumerate(names)}
        self.bound: Bound = 0
        for name in parameters:
            self.bound |= self.bits.get(name, 0)
        self.functions = functions_bound_once(body)
        self._needs: dict[str, frozenset[str]] = {}
        self._written: set[str] = set()
        """Names of this scope that a function has bound before it reads them, for all that is known."""
        self._statement: ast.stmt | None = None
        self._last: dict[str, ast.stmt | None] = {}
        """By name, the statement that was the last to read it too early: it counts once."""
        self._loops: list[tuple[list[Bound], list[Bound]]] = []

    def run(self) -> None:
        """Follow the body from its beginning, and then the functions in it."""
        self._block(self.body)
        for path, function in functions_in(self.body, self.path):
            parameters = [one.arg for one in parameters_of(function.args)]
            body: list[ast.stmt] = [ast.Expr(function.body)] if isinstance(function, ast.Lambda) else function.body
            _Scope(path, body, parameters, self.found).run()

    # Statements

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
        for name in names_bound_by(node):
            self._bind(name)
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            self.bound = _NOWHERE
        if isinstance(node, (ast.Return, ast.Raise)) or (isinstance(node, ast.Expr) and _ends_program(node.value)):
            self.bound = _NOWHERE
        elif isinstance(node, (ast.Break, ast.Continue)) and self._loops:
            self._loops[-1][isinstance(node, ast.Continue)].append(self.bound)
            self.bound = _NOWHERE

    def _Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._read(target.id)
                self._unbind(target.id)
            else:
                self._expression(target)

    def _If(self, node: ast.If) -> None:
        after, otherwise = self._condition(node.test)
        self.bound = after
        self._block(node.body)
        after, self.bound = self.bound, otherwise
        self._block(node.orelse)
        self.bound &= after

    def _While(self, node: ast.While) -> None:
        inside, outside = self._condition(node.test)
        self.bound = inside
        breaks = self._loop(node.body)
        self.bound = outside
        self._block(node.orelse)
        for one in breaks:
            self.bound &= one

    def _For(self, node: ast.For | ast.AsyncFor) -> None:
        self._expression(node.iter)
        before = self.bound
        for name in names_in_target(node.target):
            self._bind(name)
        breaks = self._loop(node.body)
        self.bound = before
        self._block(node.orelse)
        for one in breaks:
            self.bound &= one

    _AsyncFor = _For

    def _loop(self, body: list[ast.stmt]) -> list[Bound]:
        self._loops.append(([], []))
        self._block(body)
        return self._loops.pop()[0]

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
            after = _NOWHERE if self.bound == _NOWHERE else after | self.bound
        self.bound = after

    _TryStar = _Try

    def _Match(self, node: ast.Match) -> None:
        self._expression(node.subject)
        before, after = self.bound, _NOWHERE
        for case in node.cases:
            self.bound = before
            for name in names_in_pattern(case.pattern):
                self._bind(name)
            if case.guard is not None:
                self._expression(case.guard)
            self._block(case.body)
            after &= self.bound
        irrefutable = any(
            case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
            for case in node.cases
        )
        self.bound = after if irrefutable else after & before

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

    # Expressions

    def _condition(self, test: ast.expr) -> tuple[Bound, Bound]:
        """What is bound where a test is true, and where it is false."""
        if isinstance(test, ast.Constant):
            return (self.bound, _NOWHERE) if test.value else (_NOWHERE, self.bound)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            true, false = self._condition(test.operand)
            return false, true
        if isinstance(test, ast.BoolOp):
            short: Bound = _NOWHERE
            is_and = isinstance(test.op, ast.And)
            for value in test.values:
                true, false = self._condition(value)
                short &= false if is_and else true
                self.bound = true if is_and else false
            return (self.bound, short) if is_and else (short, self.bound)
        self._expression(test)
        return self.bound, self.bound

    def _expression(self, node: ast.AST) -> None:
        """Evaluate an expression: its reads, its calls of functions of the program, what ``:=`` binds."""
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                self._read(node.id)
        elif isinstance(node, ast.BoolOp):
            true, false = self._condition(node)
            self.bound = true & false
        elif isinstance(node, ast.IfExp):
            true, false = self._condition(node.test)
            self.bound = true
            self._expression(node.body)
            after, self.bound = self.bound, false
            self._expression(node.orelse)
            self.bound &= after
        elif isinstance(node, ast.Lambda):
            for default in (*node.args.defaults, *node.args.kw_defaults):
                if default is not None:
                    self._expression(default)
        elif isinstance(node, COMPREHENSIONS):
            self._comprehension(node)
        else:
            for child in ast.iter_child_nodes(node):
                self._expression(child)
            if isinstance(node, ast.NamedExpr) and isinstance(node.target, ast.Name):
                self._bind(node.target.id)
            elif isinstance(node, ast.Call):
                self._call(node)

    def _comprehension(self, node: ast.AST) -> None:
        own = {name for one in node.generators for name in names_in_target(one.target)}  # type: ignore[attr-defined]
        self._expression(node.generators[0].iter)  # type: ignore[attr-defined]
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load) and inner.id not in own:
                self._read(inner.id)

    def _call(self, node: ast.Call) -> None:
        """What a function reads of this scope, it reads when it is called."""
        if isinstance(node.func, ast.Name) and node.func.id in self.functions:
            for name in self._needs_of(node.func.id):
                self._read(name)

    def _needs_of(self, name: str) -> frozenset[str]:
        """The names of this scope that a call of one of its functions reads, by itself or through others."""
        if name not in self._needs:
            seen: set[str] = set()
            needed: set[str] = set()
            waiting = [name]
            while waiting:
                called = waiting.pop()
                if called not in seen:
                    seen.add(called)
                    reads, written = free_names(self.functions[called])
                    needed |= reads
                    self._written |= written
                    waiting += [one for one in reads if one in self.functions]
            self._needs[name] = frozenset(one for one in needed - self._written if one in self.bits)
        return self._needs[name]

    def _bind(self, name: str) -> None:
        self.bound |= self.bits.get(name, 0)

    def _unbind(self, name: str) -> None:
        if self.bound != _NOWHERE:
            self.bound &= ~self.bits.get(name, 0)

    def _read(self, name: str) -> None:
        bit = self.bits.get(name, 0)
        if bit and not self.bound & bit:
            if self._last.get(name) is not self._statement:
                self.found[self.path, name] += 1
            self._last[name] = self._statement
            self.bound |= bit  # else the program has ended here


def _ends_program(node: ast.expr) -> bool:
    """Whether an expression is a call after which nothing of the program runs: ``sys.exit()``."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in _LEAVES
