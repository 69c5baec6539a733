"""What a notebook shows: the value of the expression that a cell ends in, unless a ``;`` stands behind it."""

from __future__ import annotations

import libcst as cst

from devlint.syntax.file_context import FileContext, fact


def is_shown(ctx: FileContext, statement: cst.BaseSmallStatement) -> bool:
    """Whether the value of a statement is shown where it is not None."""
    line = ctx.tree.parent(statement)
    if not isinstance(statement, cst.Expr) or not isinstance(line, cst.SimpleStatementLine):
        return False
    return line.body[-1] is statement and not is_silenced(statement) and ends_cell(ctx, line)


def is_silenced(statement: cst.BaseSmallStatement) -> bool:
    """Whether a ``;`` stands behind a statement."""
    return isinstance(statement.semicolon, cst.Semicolon)


def ends_cell(ctx: FileContext, statement: cst.CSTNode) -> bool:
    """Whether a statement is the last of a notebook's cell, and in no other."""
    return id(statement) in _last_statements(ctx)


@fact
def _last_statements(ctx: FileContext) -> frozenset[int]:
    """The ids of the last statements of the cells; none in a file that has no cells."""
    last: dict[int, cst.CSTNode] = {}
    for one in ctx.module.body if ctx.source.has_parts else ():
        cell = ctx.cell_of(one)
        if cell is not None:
            last[cell] = one
    return frozenset(map(id, last.values()))


@fact
def shows_every_expression(ctx: FileContext) -> bool:
    """Whether a notebook may be set to show the values of all its statements, and not only of the last of a cell."""
    if not ctx.source.has_parts:
        return False
    # Programs that are no notebooks start without what reads them.
    from devlint.syntax.notebooks.notebook_source import NotebookSource

    cells = ctx.source.notebook.cells if isinstance(ctx.source, NotebookSource) else ()
    return any("ast_node_interactivity" in one.source for one in cells)
