"""Tests above a statement that let nothing pass to it but what they ask for."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.guards.implications import torch_says_cuda
from devlint.analysis.guards.questions import Guard, Question
from devlint.analysis.names.control_flow import branches, exits, statements, stops
from devlint.syntax.file_context import FileContext


class _Blocks:
    """The statements of each block that may be guards of those below them, looked for once."""

    def __init__(self, ctx: FileContext) -> None:
        self._ctx = ctx
        self._index: dict[int, dict[int, int]] = {}
        self._leaving: dict[int, list[tuple[int, cst.If | cst.SimpleStatementLine]]] = {}

    def index(self, block: cst.CSTNode, child: cst.CSTNode) -> int | None:
        """Which statement of a block one is; None where it is not one of them."""
        if id(block) not in self._index:
            self._index[id(block)] = {id(one): index for index, one in enumerate(statements(block))}
        return self._index[id(block)].get(id(child))

    def leaving(self, block: cst.CSTNode) -> list[tuple[int, cst.If | cst.SimpleStatementLine]]:
        """Each ``if`` with a branch that ends the block, and each ``assert``."""
        if id(block) not in self._leaving:
            found = self._leaving[id(block)] = []
            for index, one in enumerate(statements(block)):
                if isinstance(one, cst.If):
                    if any(exits(branch) for branch in branches(one)):
                        found.append((index, one))
                elif isinstance(one, cst.SimpleStatementLine):
                    if any(isinstance(two, cst.Assert) or _checks_of(self._ctx, two) for two in one.body):
                        found.append((index, one))
        return self._leaving[id(block)]


def early_exits(ctx: FileContext, child: cst.CSTNode | None, block: cst.CSTNode, question: Question) -> Iterator[Guard]:
    """``if not torch.cuda.is_available(): return`` and ``assert torch.cuda.is_available()`` above a statement."""
    last = None if child is None else ctx.fact(_Blocks).index(block, child)
    for index, one in ctx.fact(_Blocks).leaving(block):
        if last is not None and index >= last:
            return
        if isinstance(one, cst.If):
            guard = passed_test(ctx, one, question)
            if guard is not None:
                yield guard
        else:
            for small in one.body:
                if isinstance(small, cst.Assert) and question.implies(ctx, small.test, True):
                    yield Guard(small, small.test, True)
                passed = (passed_test(ctx, check, question) for check in _checks_of(ctx, small))
                yield from (guard for guard in passed if guard is not None)


def _checks_of(ctx: FileContext, statement: cst.BaseSmallStatement) -> list[cst.If]:
    """The tests that ``require_cuda()`` makes, where it does not come back from what they let not pass."""
    call = statement.value if isinstance(statement, cst.Expr) else None
    called = call.func.value if isinstance(call, cst.Call) and isinstance(call.func, cst.Name) else ""
    return ctx.fact(_checks).get(called, []) if called else []


def _checks(ctx: FileContext) -> dict[str, list[cst.If]]:
    """By the name of a function of the file, each ``if`` in it that raises, or skips the test that runs."""
    found: dict[str, list[cst.If]] = {}
    for function in ctx.module.body:
        if isinstance(function, cst.FunctionDef):
            tests = [one for one in statements(function.body) if isinstance(one, cst.If)]
            leaving = [one for one in tests if any(exits(branch) for branch in branches(one))]
            kept = [one for one in leaving if not any(_returns(branch) for branch in branches(one))]
            found[function.name.value] = kept
    return found


def _returns(branch: cst.BaseSuite) -> bool:
    """Whether a branch ends with ``return``, so that the caller goes on."""
    last = statements(branch)[-1]
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    return isinstance(small, cst.Return)


def passed_test(ctx: FileContext, statement: cst.If, question: Question) -> Guard | None:
    """The one test of an ``if`` that says so on every way through it that goes on.

    The last one where torch says so on each, and the program stops elsewhere.
    """
    found: dict[int, Guard | None] = {}
    failed: list[cst.BaseExpression] = []
    branch: cst.If | cst.Else | None = statement
    while isinstance(branch, cst.If):
        if not exits(branch.body):
            says = question.implies(ctx, branch.test, True)
            own = Guard(statement, branch.test, True) if says else _failed(ctx, statement, failed, question)
            found[id(own and own.test)] = own
        failed.append(branch.test)
        branch = branch.orelse
    if branch is None or not exits(branch.body):
        own = _failed(ctx, statement, failed, question)
        found[id(own and own.test)] = own
    guards = list(found.values())
    if len(guards) > 1 and not (_all_torchs(ctx, guards) and all(map(stops, filter(exits, branches(statement))))):
        return None
    return guards[-1] if guards else None


def _all_torchs(ctx: FileContext, guards: list[Guard | None]) -> bool:
    """Whether torch itself says in each of some tests that there is CUDA."""
    return all(one is not None and torch_says_cuda(ctx, one.test, one.holds) for one in guards)


def _failed(ctx: FileContext, statement: cst.If, tests: list[cst.BaseExpression], question: Question) -> Guard | None:
    """The first of some tests that says so where it does not hold."""
    return next((Guard(statement, one, False) for one in tests if question.implies(ctx, one, False)), None)
