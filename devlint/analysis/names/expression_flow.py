"""Which names of a scope are bound while its expressions are evaluated, in the order in which Python evaluates them."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterable, Iterator

from devlint.syntax.python_tree.ast_names import (
    COMPREHENSIONS,
    CalledFunctions,
    bound_names,
    names_of_comprehension,
)

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__builtins__"}
Bound = int
"""The names that are certainly bound, a bit for each; -1 (all of them) where no execution comes by."""
NOWHERE: Bound = -1
Read = tuple[str, str]
"""The path of a scope (``""`` for the module, ``Net.forward``) and a name that may be read there too early."""


def _lasting_test(test: ast.expr) -> str:
    """The text of a test for a device, which is answered alike each time: ``torch.cuda.is_available()``; else none."""
    is_call = isinstance(test, ast.Call) and not test.args and not test.keywords
    text = ast.unparse(test) if is_call else ""
    return text if text.endswith(".is_available()") else ""


class ExpressionFlow:
    """Follows the expressions of a module or a function, and notes what they read before it is bound."""

    def __init__(
        self,
        path: str,
        body: list[ast.stmt],
        parameters: Iterable[str],
        found: Counter[Read],
        certain: set[Read],
    ) -> None:
        self.path, self.body, self.found, self.certain = path, body, found, certain
        bound, declared = bound_names(body)
        self.instance = next(iter(parameters), None) if path.endswith(".__init__") else None
        """What ``__init__`` calls the instance, whose attributes are followed like names: none is set yet."""
        bound |= {name for one in body for name in self._attributes_set(one)}
        names = sorted((bound | {*parameters}) - declared - (_BUILTINS if not path else set()))
        self.bits = {name: 1 << number for number, name in enumerate(names)}
        self.bound: Bound = 0
        for name in parameters:
            self.bound |= self.bits.get(name, 0)
        self.calls = CalledFunctions(body)
        self._met: Bound = self.bound
        """What is bound on some way to here."""
        self._marks: dict[str, dict[Bound, Bound]] = {}
        """By a test that is always answered alike, the bits of names that hold where it is true, and their marks."""
        self._marked = 0
        self._statement: ast.stmt | None = None
        self._last: dict[str, ast.stmt | None] = {}
        """By name, the statement that was the last to read it too early: it counts once."""

    def _condition(self, test: ast.expr) -> tuple[Bound, Bound]:
        """What is bound where a test is true, and where it is false."""
        if isinstance(test, ast.Constant):
            return (self.bound, NOWHERE) if test.value else (NOWHERE, self.bound)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            true, false = self._condition(test.operand)
            return false, true
        if isinstance(test, ast.BoolOp):
            short: Bound = NOWHERE
            is_and = isinstance(test.op, ast.And)
            for value in test.values:
                true, false = self._condition(value)
                short &= false if is_and else true
                self.bound = true if is_and else false
            return (self.bound, short) if is_and else (short, self.bound)
        self._expression(test)
        marks = self._marks.get(_lasting_test(test), {})
        added = sum(bit for bit, mark in marks.items() if self.bound & mark and not self.bound & bit)
        return self.bound | added, self.bound

    def _mark(self, test: ast.expr, before: Bound, after: Bound) -> Bound:
        """Marks of the names that an ``if`` has bound: they are bound wherever its test is true again."""
        key, made = _lasting_test(test), 0
        if not key or after == NOWHERE:
            return 0
        marks, new = self._marks.setdefault(key, {}), after & ~before
        for bit in self.bits.values():
            if new & bit:
                self._marked += bit not in marks
                made |= marks.setdefault(bit, 1 << (len(self.bits) + self._marked))
        return made

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
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and self._is_own(node):
                self._read(ast.unparse(node))
            elif isinstance(node, ast.NamedExpr) and isinstance(node.target, ast.Name):
                self._bind(node.target.id)
            elif isinstance(node, ast.Call):
                self._call(node)

    def _is_own(self, node: ast.Attribute) -> bool:
        """Whether an attribute is one of the instance that ``__init__`` sets up."""
        return self.instance is not None and isinstance(node.value, ast.Name) and node.value.id == self.instance

    def _attributes_set(self, node: ast.AST) -> Iterator[str]:
        """The attributes of its instance that a statement of ``__init__``, or one below it, sets: ``self.args``."""
        below = ast.walk(node) if self.instance is not None else ()
        for one in below:
            if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) and self._is_own(one):
                yield ast.unparse(one)

    def _comprehension(self, node: ast.AST) -> None:
        own = names_of_comprehension(node)
        self._expression(node.generators[0].iter)  # type: ignore[attr-defined]
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load) and inner.id not in own:
                self._read(inner.id)

    def _call(self, node: ast.Call) -> None:
        """What a function reads of this scope, it reads when it is called."""
        if isinstance(node.func, ast.Name) and node.func.id in self.calls.functions:
            for name in self.calls.reads_of(node.func.id) & self.bits.keys():
                self._read(name)

    def _bind(self, name: str) -> None:
        self.bound |= self.bits.get(name, 0)
        self._met |= self.bits.get(name, 0)

    def _unbind(self, name: str) -> None:
        if self.bound != NOWHERE:
            bit = self.bits.get(name, 0)
            self.bound &= ~(bit | sum(marks.get(bit, 0) for marks in self._marks.values()))

    def _read(self, name: str) -> None:
        bit = self.bits.get(name, 0)
        if bit and not self.bound & bit:
            if self._last.get(name) is not self._statement:
                self.found[self.path, name] += 1
            self._last[name] = self._statement
            if not self._met & bit:
                self.certain.add((self.path, name))
            self.bound |= bit  # else the program has ended here
