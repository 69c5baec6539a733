"""The tests that stand between a place of the program and CUDA."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Optional

import libcst as cst

from devlint.context import FileContext
from devlint.facts.bindings import dotted_name
from devlint.facts.conditions import implies_cuda
from devlint.facts.flow import exits, statements


@dataclass(frozen=True, eq=False)
class Guard:
    """A test that implies CUDA for all that it governs."""

    owner: cst.CSTNode
    """The ``if``, conditional expression, ``and``, ``assert`` or decorator that asks."""
    test: cst.BaseExpression
    holds: bool
    """Whether the test is true (or false) where the guarded code runs."""


def guards_of(ctx: FileContext, node: cst.CSTNode) -> Iterator[Guard]:
    """The guards of ``node``, innermost first."""
    for child, parent in ctx.tree.path_up(node):
        yield from _guards_at(ctx, child, parent)


def guard_of(ctx: FileContext, node: cst.CSTNode) -> Optional[Guard]:
    """The innermost guard of ``node``."""
    return next(guards_of(ctx, node), None)


def is_guarded(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` runs only where a test for CUDA (availability, or a flag that means it) holds."""
    return guard_of(ctx, node) is not None


def _guards_at(ctx: FileContext, child: cst.CSTNode, parent: cst.CSTNode) -> Iterator[Guard]:
    """Guards that ``parent`` puts before ``child``."""
    if isinstance(parent, (cst.If, cst.IfExp)):
        if child is parent.body and implies_cuda(ctx, parent.test):
            yield Guard(parent, parent.test, True)
        elif child is parent.orelse and implies_cuda(ctx, parent.test, False):
            yield Guard(parent, parent.test, False)
    elif isinstance(parent, cst.BooleanOperation) and child is parent.right:
        holds = isinstance(parent.operator, cst.And)
        if implies_cuda(ctx, parent.left, holds):
            yield Guard(parent, parent.left, holds)
    elif isinstance(parent, (cst.IndentedBlock, cst.Module)):
        yield from _early_exits(ctx, child, parent)
    elif isinstance(parent, (cst.FunctionDef, cst.ClassDef)) and child is parent.body:
        yield from _decorators(ctx, parent)


def _early_exits(ctx: FileContext, child: cst.CSTNode, block: cst.CSTNode) -> Iterator[Guard]:
    """``if not torch.cuda.is_available(): return`` and ``assert torch.cuda.is_available()`` above a statement."""
    for one in statements(block):
        if one is child:
            return
        if isinstance(one, cst.If) and one.orelse is None and implies_cuda(ctx, one.test, False) and exits(one.body):
            yield Guard(one, one.test, False)
        elif isinstance(one, cst.SimpleStatementLine):
            for small in one.body:
                if isinstance(small, cst.Assert) and implies_cuda(ctx, small.test):
                    yield Guard(small, small.test, True)


def _decorators(ctx: FileContext, definition: cst.CSTNode) -> Iterator[Guard]:
    """``@unittest.skipIf(not torch.cuda.is_available(), …)``, ``@pytest.mark.skipif(…)`` and ``@require_cuda``."""
    assert isinstance(definition, (cst.FunctionDef, cst.ClassDef))
    for decorator in definition.decorators:
        call = decorator.decorator
        name = (dotted_name(call.func if isinstance(call, cst.Call) else call) or "").lower().rpartition(".")[2]
        if ("cuda" in name or "gpu" in name) and not _only_moves(ctx, name):
            yield Guard(decorator, call, True)
        elif isinstance(call, cst.Call) and call.args and name.startswith("skip"):
            test = call.args[0].value
            if implies_cuda(ctx, test, holds=name == "skipunless"):
                yield Guard(decorator, test, name == "skipunless")


def _only_moves(ctx: FileContext, decorator: str) -> bool:
    """Whether a decorator of this file neither skips nor asks: ``@on_gpu`` that moves the arguments."""
    own = [one for one in ctx.tree.of_type(cst.FunctionDef) if one.name.value.lower() == decorator]
    return bool(own) and not any(word in ctx.text_of(one).lower() for one in own for word in ("skip", "is_available"))
