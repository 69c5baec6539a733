"""Statements put under a test: ``synchronize()`` becomes ``if torch.cuda.is_available(): synchronize()``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import takewhile

import libcst as cst

from devlint.analysis.names.control_flow import index_in, statements
from devlint.core.diagnostic import Edit
from devlint.syntax.file_context import FileContext
from devlint.syntax.suite_edits import put_under


def statement_of(ctx: FileContext, expression: cst.BaseExpression) -> cst.Expr | None:
    """The statement that is nothing but ``expression``, whose value nobody uses."""
    parent = ctx.tree.parent(expression)
    return parent if isinstance(parent, cst.Expr) else None


def under_guard(
    ctx: FileContext, statement: cst.BaseSmallStatement, test: str, last: cst.BaseSmallStatement | None = None
) -> tuple[Edit, ...] | None:
    """The edits that put ``statement`` under ``if test:``, and those after it up to ``last``; None where none can.

    The edits only insert text and break lines, so that others may rewrite the statement in the same fix.
    """
    return put_under(ctx, f"if {test}:", statement, last or statement)


def neighbouring_statements(
    ctx: FileContext, statement: cst.BaseSmallStatement, wanted: Callable[[cst.BaseSmallStatement], bool]
) -> tuple[cst.BaseSmallStatement, ...]:
    """``statement`` with those directly above and below, each alone on its line, that are ``wanted`` too.

    They can share one test and one fix.
    """
    line = ctx.tree.parent(statement)
    block = ctx.tree.parent(line) if line is not None else None
    here = index_in(ctx, block, line) if block is not None and line is not None else None
    if block is None or here is None or _alone(line) is not statement:
        return (statement,)
    body = statements(block)

    def those(lines: Iterable[cst.CSTNode]) -> list[cst.BaseSmallStatement]:
        near = takewhile(lambda one: one is not None and wanted(one), map(_alone, lines))
        return [one for one in near if one is not None]

    above = those(body[at] for at in range(here - 1, -1, -1))
    return (*above[::-1], statement, *those(body[at] for at in range(here + 1, len(body))))


def _alone(line: cst.CSTNode | None) -> cst.BaseSmallStatement | None:
    """The only statement of a line."""
    return line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
