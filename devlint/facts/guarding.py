"""Statements put under a test: ``synchronize()`` becomes ``if torch.cuda.is_available(): synchronize()``."""

from __future__ import annotations

from typing import Callable, Optional

import libcst as cst

from devlint.block_edits import put_under
from devlint.context import FileContext
from devlint.diagnostic import Edit
from devlint.facts.flow import statements


def statement_of(ctx: FileContext, expression: cst.BaseExpression) -> Optional[cst.Expr]:
    """The statement that is nothing but ``expression``, whose value nobody uses."""
    parent = ctx.tree.parent(expression)
    return parent if isinstance(parent, cst.Expr) else None


def under_guard(
    ctx: FileContext, statement: cst.BaseSmallStatement, test: str, last: Optional[cst.BaseSmallStatement] = None
) -> Optional[tuple[Edit, ...]]:
    """The edits that put ``statement`` under ``if test:``, and those after it up to ``last``; None where none can.

    The edits only insert text and break lines, so that others may rewrite the statement in the same fix.
    """
    return put_under(ctx, f"if {test}:", statement, last or statement)


def neighbours(
    ctx: FileContext, statement: cst.BaseSmallStatement, wanted: Callable[[cst.BaseSmallStatement], bool]
) -> tuple[cst.BaseSmallStatement, ...]:
    """``statement`` with those directly above and below, each alone on its line, that are ``wanted`` too.

    They may go under one test: findings that share the fix of all of them are fixed at once.
    """
    line = ctx.tree.parent(statement)
    block = ctx.tree.parent(line) if line is not None else None
    body = list(statements(block)) if block is not None else []
    if line not in body:
        return (statement,)
    first = last = body.index(line)
    alone = [one.body[0] if isinstance(one, cst.SimpleStatementLine) and len(one.body) == 1 else None for one in body]
    fits = [one is not None and (one is statement or wanted(one)) for one in alone]
    if not fits[first]:
        return (statement,)
    while first > 0 and fits[first - 1]:
        first -= 1
    while last + 1 < len(fits) and fits[last + 1]:
        last += 1
    return tuple(one for one in alone[first : last + 1] if one is not None)
