"""Asks the analysis about an expression of a small program: the argument of ``ask(...)`` in it."""

from __future__ import annotations

from textwrap import dedent

import libcst as cst

from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext


def asked(text: str) -> tuple[FileContext, cst.BaseExpression]:
    """The program, and the expression in question."""
    ctx = FileContext(Source.from_text("case.py", dedent(text)))
    call = next(one for one in ctx.tree.of_type(cst.Call) if isinstance(one.func, cst.Name) and one.func.value == "ask")
    return ctx, call.args[0].value
