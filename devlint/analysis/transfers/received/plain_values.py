"""What comes to an expression of a file that no tensor is, and no module: a tuple, a number, a function."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.transfers.received.received_kinds import ReceivedKinds
from devlint.analysis.transfers.received.standings import Standing, names_around, places_of
from devlint.syntax.file_context import FileContext


def plain_values(ctx: FileContext, node: cst.BaseExpression) -> list[ast.expr]:
    """The expressions that an expression may have its value from, and that no tensor is, as far as they are found."""
    received = ctx.fact(_received)
    if received is None:
        return []
    row = ctx.source.text.count("\n", 0, ctx.span(node).start)
    value = ast.parse(f"({ctx.text_of(node)})", mode="eval").body
    ast.increment_lineno(value, row)
    return [
        one
        for at in places_of(received.module, names_around(ctx, node))
        if _is_at(at, row + 1)
        for one in received.plain(value, at)
    ]


def _received(ctx: FileContext) -> ReceivedKinds | None:
    module = own_module(ctx)
    return ReceivedKinds(project_around(ctx), module) if module is not None else None


def _is_at(at: Standing, row: int) -> bool:
    around = at.scopes[-1] if at.scopes else None
    return around is None or around.lineno <= row <= around.end_lineno  # type: ignore[attr-defined]
