"""What stands together with an import: the calls right below it, of what it imports."""

from __future__ import annotations

from itertools import takewhile

import libcst as cst

from devlint.analysis.guards.cuda_mentions import uses_cuda_at_once
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext


def end_of_import(ctx: FileContext, line: cst.CSTNode) -> cst.CSTNode:
    """The last of the calls that make one paragraph with an import, of what it imports; else the import itself.

    ``# Quiet``, ``import warnings``, ``warnings.filterwarnings("ignore")``: nobody would put a line between them. Nor
    between an import and ``sys.path.pop(0)``, which takes back what it needs.
    """
    body = ctx.module.body
    at = next((place for place, one in enumerate(body) if one is line), None)
    settled = [*takewhile(_takes_path_back, body[at + 1 :])] if at is not None else []
    if settled:
        return settled[-1]
    if at is None or not isinstance(line, cst.SimpleStatementLine) or (at and not line.leading_lines):
        return line
    found = scopes(ctx).module.bindings.items()
    imported = {name for name, bound in found if any(one.node in line.body for one in bound)}
    return [line, *takewhile(lambda one: _calls(ctx, one, imported), body[at + 1 :])][-1]


def _takes_path_back(line: cst.CSTNode) -> bool:
    """``sys.path.pop(0)``, right below another line."""
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and not line.leading_lines else None
    call = small.value if isinstance(small, cst.Expr) else None
    return isinstance(call, cst.Call) and dotted_name(call.func) in ("sys.path.pop", "sys.path.remove")


def _calls(ctx: FileContext, line: cst.CSTNode, names: set[str]) -> bool:
    """Whether a line right below another is a call of one of some names: ``a.b(1)``."""
    if not isinstance(line, cst.SimpleStatementLine) or line.leading_lines or len(line.body) != 1:
        return False
    small = line.body[0]
    called = small.value.func if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call) else None
    while isinstance(called, cst.Attribute):
        called = called.value
    return isinstance(called, cst.Name) and called.value in names and not uses_cuda_at_once(ctx, line)
