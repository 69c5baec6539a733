"""How a new argument is written beside those that a call has: spaces round the sign or not, on its own line."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.syntax.file_context import FileContext


def in_style(ctx: FileContext, call: cst.Call, arguments: Sequence[tuple[str, str]]) -> str:
    """What follows the last argument of ``call`` to add keyword ``arguments``, the comma before them included."""
    signs = [one.equal for one in call.args if isinstance(one.equal, cst.AssignEqual)]
    sign = "=" if all(one.whitespace_before.empty for one in signs) else " = "
    comma = f",{_new_line(ctx, call.args[-1])}" if call.args else ""
    return comma + (comma or ", ").join(f"{name}{sign}{value}" for name, value in arguments)


def _new_line(ctx: FileContext, last: cst.Arg) -> str:
    """The line break and indentation of an argument that has its line to itself, up to the closing parenthesis."""
    text = ctx.source.text
    before = text[: ctx.span(last).start].rpartition("\n")[2]
    after = text[ctx.outer_span(last.value).end :].partition("\n")[0]
    if before.strip() or after.strip() not in ("", ","):
        return " "
    return f"{ctx.source.newline}{before}"
