"""Statements put under a test: ``synchronize()`` becomes ``if torch.cuda.is_available(): synchronize()``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import takewhile

import libcst as cst

from devlint.analysis.names.control_flow import index_in, statements
from devlint.core.diagnostic import Edit, Span
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

    An ``else`` that has nothing else becomes ``elif test``. The edits leave the statement itself alone, so that others
    may rewrite it in the same fix.
    """
    other = _whole_else(ctx, statement, last or statement)
    if other is not None:
        start = ctx.span(other).start
        return (Edit(Span(start, start + len("else")), f"elif {test}"),)
    return put_under(ctx, f"if {test}:", statement, last or statement)


def _whole_else(ctx: FileContext, first: cst.BaseSmallStatement, last: cst.BaseSmallStatement) -> cst.Else | None:
    """The ``else`` of an ``if`` whose block is the statements from ``first`` to ``last``, on lines of their own."""
    line, end = ctx.tree.parent(first), ctx.tree.parent(last)
    block = ctx.tree.parent(line) if isinstance(line, cst.SimpleStatementLine) else None
    other = ctx.tree.parent(block) if isinstance(block, cst.IndentedBlock) else None
    if not isinstance(other, cst.Else) or not isinstance(ctx.tree.parent(other), cst.If):
        return None
    body = statements(block) if block is not None else ()
    whole = _alone(line) is first and _alone(end) is last and body[0] is line and body[-1] is end
    return other if whole else None


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


def grouped_under(
    ctx: FileContext,
    wanted: Iterable[cst.BaseSmallStatement],
    test: str,
    also: Callable[[cst.BaseSmallStatement], bool] = lambda _: False,
) -> list[Edit | None]:
    """The edits that put statements under ``if test:``, neighbours together with those that are ``also`` welcome."""
    changes: list[Edit | None] = []
    ordered = list(wanted)
    wanted_ids, done = {id(one) for one in ordered}, set[int]()
    for one in ordered:
        if id(one) not in done:
            group = neighbouring_statements(ctx, one, lambda other: id(other) in wanted_ids or also(other))
            done.update(id(each) for each in group)
            changes += under_guard(ctx, group[0], test, group[-1]) or [None]
    return changes


def _alone(line: cst.CSTNode | None) -> cst.BaseSmallStatement | None:
    """The only statement of a line."""
    return line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
