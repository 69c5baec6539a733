"""The tests that stand between a place of the program and CUDA, or an accelerator."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from devlint.analysis.guards.conditions import COUNTS
from devlint.analysis.guards.implications import implies_accelerator, requires_cuda
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import exits, statements
from devlint.analysis.names.resolution import attributes_named, origin, sole_value, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import is_script
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext
from devlint.torch_api.accelerator_naming import ASKS_FOR_ACCELERATOR


class Guard(Record, eq=False):
    """A test that implies CUDA for all that it governs."""

    owner: cst.CSTNode
    """The ``if``, ``while``, conditional expression, ``and``, ``assert`` or decorator that asks."""
    test: cst.BaseExpression
    holds: bool
    """Whether the test is true (or false) where the guarded code runs."""


class Question(Record):
    """What makes a test a guard."""

    implies: Callable[[FileContext, cst.CSTNode, bool], bool]
    """Whether what is asked is so wherever a test is true (or, with False, false)."""
    decorators: re.Pattern[str] | None = None
    """What the name of a decorator holds that skips where it is not so: ``@require_cuda``."""


FOR_CUDA = Question(requires_cuda, regex("cuda|gpu"))
FOR_ACCELERATOR = Question(implies_accelerator, ASKS_FOR_ACCELERATOR)

_SETUPS = frozenset({"setUp", "setUpClass", "asyncSetUp", "setup_method", "setup_class"})


def guards_of(ctx: FileContext, node: cst.CSTNode, question: Question = FOR_CUDA) -> Iterator[Guard]:
    """The guards of ``node``, innermost first."""
    for child, parent in ctx.tree.path_up(node):
        yield from guards_at(ctx, child, parent, question)


def guard_of(ctx: FileContext, node: cst.CSTNode) -> Guard | None:
    """The innermost guard of ``node``."""
    return next(guards_of(ctx, node), None)


def is_guarded(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` runs only where a test for CUDA (availability, or a flag that means it) holds."""
    return guard_of(ctx, node) is not None


def has_accelerator(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` runs only where a test for an accelerator, CUDA or another, holds."""
    return runs_guarded(ctx, node, FOR_ACCELERATOR)


def runs_guarded(ctx: FileContext, node: cst.CSTNode, question: Question = FOR_CUDA) -> bool:
    """Whether ``node`` runs only where a test holds: one before it, or one before all uses of its function."""
    if any(guards_of(ctx, node, question)):
        return True
    functions = (one for one in ctx.tree.ancestors(node) if isinstance(one, cst.FunctionDef))
    return any(_is_used_guarded(ctx, one, question) for one in functions)


def _is_used_guarded(ctx: FileContext, function: cst.FunctionDef, question: Question) -> bool:
    """Whether the file calls a function of its own, or hands it on, and only where the test holds."""
    name = function.name.value
    scope = scopes(ctx).scope_of(function)
    if name.startswith("__") or not (name.startswith("_") or (is_script(ctx) and not scope.is_class)):
        return False
    uses: Sequence[cst.CSTNode] = attributes_named(ctx, name) if scope.is_class else uses_of(ctx, scope, name)
    outside = [one for one in uses if not any(up is function for up in ctx.tree.ancestors(one))]
    return bool(outside) and all(any(guards_of(ctx, one, question)) for one in outside)


def guards_at(ctx: FileContext, child: cst.CSTNode, parent: cst.CSTNode, question: Question) -> Iterator[Guard]:
    """Guards that ``parent`` puts before ``child``."""
    if isinstance(parent, (cst.If, cst.IfExp, cst.While)):
        if child is parent.body and question.implies(ctx, parent.test, True):
            yield Guard(parent, parent.test, True)
        elif child is parent.orelse and question.implies(ctx, parent.test, False):
            yield Guard(parent, parent.test, False)
    elif isinstance(parent, cst.BooleanOperation) and child is parent.right:
        holds = isinstance(parent.operator, cst.And)
        if question.implies(ctx, parent.left, holds):
            yield Guard(parent, parent.left, holds)
    elif isinstance(parent, cst.For) and child is parent.body:
        yield from _counted(ctx, parent, parent.iter, question)
    elif isinstance(parent, (cst.ListComp, cst.SetComp, cst.GeneratorExp)) and child is parent.elt:
        yield from _counted(ctx, parent, parent.for_in.iter, question)
    elif isinstance(parent, (cst.IndentedBlock, cst.Module)):
        yield from _early_exits(ctx, child, parent, question)
        if isinstance(child, (cst.FunctionDef, cst.ClassDef)):
            yield from _test_setup(ctx, child, parent, question)
    elif isinstance(parent, (cst.FunctionDef, cst.ClassDef)) and child is parent.body:
        for decorator in parent.decorators:
            yield from _skips(ctx, decorator, decorator.decorator, question)


def _counted(ctx: FileContext, loop: cst.CSTNode, values: cst.BaseExpression, question: Question) -> Iterator[Guard]:
    """``for i in range(torch.cuda.device_count())``: nothing runs without a card, and each number is one's.

    So it is for ``[f"cuda:{i}" for i in range(...)]``, which may have a name.
    """
    values = (sole_value(ctx, values) if isinstance(values, cst.Name) else None) or values
    values = values.for_in.iter if isinstance(values, cst.ListComp) else values
    last = values.args[-1].value if isinstance(values, cst.Call) and values.args else None
    if last is None or not isinstance(values, cst.Call) or dotted_name(values.func) != "range" or len(values.args) > 2:
        return
    count = sole_value(ctx, last) if isinstance(last, cst.Name) else last
    if isinstance(count, cst.Call) and origin(ctx, count.func) in COUNTS and question.implies(ctx, count, True):
        yield Guard(loop, count, True)


class _Blocks:
    """The statements of each block that may be guards of those beside them, looked for once."""

    def __init__(self, ctx: FileContext) -> None:
        self._index: dict[int, dict[int, int]] = {}
        self._leaving: dict[int, list[tuple[int, cst.If | cst.SimpleStatementLine]]] = {}
        self._setups: dict[int, list[cst.FunctionDef | cst.Assign]] = {}

    def index(self, block: cst.CSTNode, child: cst.CSTNode) -> int | None:
        """Which statement of a block one is; None where it is not one of them."""
        if id(block) not in self._index:
            self._index[id(block)] = {id(one): index for index, one in enumerate(statements(block))}
        return self._index[id(block)].get(id(child))

    def leaving(self, block: cst.CSTNode) -> list[tuple[int, cst.If | cst.SimpleStatementLine]]:
        """Each ``if`` that ends the block, and each ``assert``."""
        if id(block) not in self._leaving:
            found = self._leaving[id(block)] = []
            for index, one in enumerate(statements(block)):
                if isinstance(one, cst.If):
                    if one.orelse is None and exits(one.body):
                        found.append((index, one))
                elif isinstance(one, cst.SimpleStatementLine) and any(isinstance(two, cst.Assert) for two in one.body):
                    found.append((index, one))
        return self._leaving[id(block)]

    def setups(self, block: cst.CSTNode) -> list[cst.FunctionDef | cst.Assign]:
        """Each ``def setUp`` and ``pytestmark = …`` of a block."""
        if id(block) not in self._setups:
            found = self._setups[id(block)] = []
            for one in statements(block):
                small = one.body[0] if isinstance(one, cst.SimpleStatementLine) else None
                if isinstance(one, cst.FunctionDef):
                    if one.name.value in _SETUPS:
                        found.append(one)
                elif isinstance(small, cst.Assign) and dotted_name(small.targets[0].target) == "pytestmark":
                    found.append(small)
        return self._setups[id(block)]


def _early_exits(
    ctx: FileContext, child: cst.CSTNode | None, block: cst.CSTNode, question: Question
) -> Iterator[Guard]:
    """``if not torch.cuda.is_available(): return`` and ``assert torch.cuda.is_available()`` above a statement."""
    last = None if child is None else ctx.fact(_Blocks).index(block, child)
    for index, one in ctx.fact(_Blocks).leaving(block):
        if last is not None and index >= last:
            return
        if isinstance(one, cst.If):
            if question.implies(ctx, one.test, False):
                yield Guard(one, one.test, False)
        else:
            for small in one.body:
                if isinstance(small, cst.Assert) and question.implies(ctx, small.test, True):
                    yield Guard(small, small.test, True)


def _test_setup(ctx: FileContext, child: cst.CSTNode, block: cst.CSTNode, question: Question) -> Iterator[Guard]:
    """``pytestmark = pytest.mark.skipif(…)`` beside a test or a class of tests, and ``setUp`` that skips."""
    for one in ctx.fact(_Blocks).setups(block):
        if isinstance(one, cst.FunctionDef):
            if one is not child:
                yield from _early_exits(ctx, None, one.body, question)
        else:
            several = one.value.elements if isinstance(one.value, (cst.List, cst.Tuple)) else None
            for mark in (one.value,) if several is None else [element.value for element in several]:
                yield from _skips(ctx, one, mark, question)


def _skips(ctx: FileContext, owner: cst.CSTNode, mark: cst.BaseExpression, question: Question) -> Iterator[Guard]:
    """``@unittest.skipIf(not torch.cuda.is_available(), …)``, ``@pytest.mark.skipif(…)`` and ``@require_cuda``."""
    name = (dotted_name(mark.func if isinstance(mark, cst.Call) else mark) or "").lower().rpartition(".")[2]
    if question.decorators is not None and question.decorators.search(name) and not _only_moves(ctx, name):
        yield Guard(owner, mark, True)
    elif isinstance(mark, cst.Call) and mark.args and name.startswith("skip"):
        test = mark.args[0].value
        if question.implies(ctx, test, name == "skipunless"):
            yield Guard(owner, test, name == "skipunless")


def _only_moves(ctx: FileContext, decorator: str) -> bool:
    """Whether a decorator of this file neither skips nor asks: ``@on_gpu`` that moves the arguments."""
    own = [one for one in ctx.tree.of_type(cst.FunctionDef) if one.name.value.lower() == decorator]
    return bool(own) and not any(word in ctx.text_of(one).lower() for one in own for word in ("skip", "is_available"))
