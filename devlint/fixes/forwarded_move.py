"""Calls of a ``cuda`` of the project's own that only moves what the instance holds, put under a test for CUDA."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.names.exception_handling import fails_as_expected
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.classes import method_of_class
from devlint.analysis.slots.project_slots import called_definition, maker
from devlint.core.diagnostic import Fix
from devlint.fixes.guard_statements import statement_of, under_guard
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.nodes import dotted_text
from devlint.torch_api.cuda_naming import CAUGHT


def forwarded_move_fix(ctx: FileContext, call: cst.Call) -> Fix | None:
    """The fix of the statement ``model.cuda()``, if the class of ``model`` has a ``cuda`` that is nothing but moves.

    Without CUDA all that the instance holds stays where it was made.
    """
    statement = statement_of(ctx, call)
    if statement is None or call.args or not isinstance(call.func, cst.Attribute) or ctx.target.kind != "cuda":
        return None
    if fails_as_expected(ctx, call, *CAUGHT):
        return None
    made = maker(ctx, call.func.value)
    owner = called_definition(ctx, made) if made is not None else None
    if owner is None or not isinstance(owner.node, ast.ClassDef):
        return None
    method = method_of_class(project_around(ctx).index, owner, "cuda")
    torch = torch_name(ctx, call)
    if method is None or torch is None or torch[1] or not _only_moves(method.node):
        return None
    changes = under_guard(ctx, statement, f"{torch[0]}.cuda.is_available()")
    return edits.as_fix("Move it where there is CUDA", changes) if changes is not None else None


def _only_moves(method: ast.AST) -> bool:
    """Whether a method does nothing but ``self.x = self.x.cuda()``, ``self.x.cuda()`` and ``return self``."""
    body = method.body if isinstance(method, ast.FunctionDef) and len(method.args.args) == 1 else []
    lines = [one for one in body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    moves = [one for one in lines if not (isinstance(one, ast.Return) and ast.unparse(one) == "return self")]
    return bool(moves) and all(map(_moves, moves))


def _moves(line: ast.stmt) -> bool:
    call = line.value if isinstance(line, (ast.Assign, ast.Expr)) else None
    if not isinstance(call, ast.Call) or call.args or call.keywords:
        return False
    moved, _, method = dotted_text(call.func).rpartition(".")
    if method != "cuda" or not moved.startswith("self."):
        return False
    return not isinstance(line, ast.Assign) or [dotted_text(one) for one in line.targets] == [moved]
