"""A context that does nothing, ``nullcontext()`` of contextlib, with the import to add where the file has none."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.apis.streams import stream_calls
from devlint.analysis.guards.cuda_only_code import is_entered_with_cuda
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import import_origin
from devlint.analysis.names.scopes import scopes
from devlint.core.diagnostic import Edit
from devlint.core.lazy_regex import regex
from devlint.fixes.apis.failing_cuda_calls import cuda_call
from devlint.fixes.device.anchors.placement import is_docstring, top_imports
from devlint.syntax import line_edits
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_functions import STREAM_FUNCTIONS
from devlint.torch_api.cuda_members import OnCpu
from devlint.torch_api.libraries import STANDARD_LIBRARY

_FOR_OLD_PYTHON = regex(
    r"^[ \t]*from __future__ import [^\n]*\b(?:print_function|division|absolute_import|unicode_literals)\b"
    r"|^[ \t]*(?:from|import) six\b|\bsys\.version_info\b|\bPY[23]\b|\b(?:xrange|raw_input|basestring)\b"
    r"|\.(?:iteritems|itervalues|iterkeys|has_key)\(",
    re.MULTILINE,
)
"""What is written for Python 2 as well; for Python before 3.7 an ``ExitStack`` does what ``nullcontext`` does."""
_FOR_NEW_PYTHON = regex(r"\bnullcontext\b|^from __future__ import [^\n]*\bannotations\b", re.MULTILINE)


def null_context(ctx: FileContext, at: cst.CSTNode) -> tuple[str, tuple[Edit, ...]] | None:
    """A context manager that does nothing; None where its name means something else."""
    if import_origin(ctx, "nullcontext", at) == "contextlib.nullcontext":
        return "nullcontext()", ()
    is_old = _may_be_old(ctx)
    if is_old and ctx.target.python_may_be_2:
        return None  # which has neither
    name = "ExitStack" if is_old else "nullcontext"
    if import_origin(ctx, name, at) == f"contextlib.{name}":
        return f"{name}()", ()
    if import_origin(ctx, "contextlib", at) == "contextlib":
        return f"contextlib.{name}()", ()
    if scopes(ctx).binder(name, at) is not None:
        return None
    edit = _import_line(ctx, f"from contextlib import {name}")
    return (f"{name}()", (edit,)) if edit is not None else None


def _may_be_old(ctx: FileContext) -> bool:
    """Whether the program may run on a Python before 3.7: its project says so, or the file is written for it."""
    if ctx.target.kind == "accelerator" or _FOR_NEW_PYTHON.search(ctx.source.text) is not None:
        return False
    return ctx.target.python_may_be_old or _FOR_OLD_PYTHON.search(ctx.source.text) is not None


def fails_inside(ctx: FileContext, block: cst.With, node: cst.CSTNode) -> bool:
    """Whether a ``with`` that ``node`` begins also uses streams, or values of ``torch.cuda`` that only CUDA has."""
    inside = list(ctx.tree.below(block))
    streams = {id(one) for one in stream_calls(ctx, STREAM_FUNCTIONS)}
    others = (one.item for one in block.items if not ctx.tree.is_around(one, node))
    if any(id(one) in streams for one in inside) or any(is_entered_with_cuda(ctx, one) for one in others):
        return True
    calls = (cuda_call(ctx, one) for one in inside if isinstance(one, cst.Call))
    failing = [one for one in calls if one is not None and one.statement is None]
    return any(one.member.on_cpu is OnCpu.RAISES and one.member.name != "current_device" for one in failing)


def _import_line(ctx: FileContext, written: str) -> Edit | None:
    """The edit that adds the import to those of the standard library at the top, or above all others."""
    own: cst.CSTNode | None = None
    first: cst.CSTNode | None = None
    for line in top_imports(ctx):
        module = _module(line.body[0])
        if module == "__future__":
            own = line
        elif module in STANDARD_LIBRARY and first is None:
            own = line
        elif first is None:
            first = line
    if own is not None and (first is None or _module(own.body[0]) != "__future__"):  # type: ignore[attr-defined]  # a line
        return line_edits.insert_line_after(ctx, own, [written])
    if first is not None:
        return line_edits.insert_line_before(ctx, first, [written, ""])
    body = ctx.module.body
    if body and is_docstring(body[0]):
        return line_edits.insert_line_after(ctx, body[0], ["", written])
    return line_edits.insert_line_before(ctx, body[0], [written, ""]) if body else None


def _module(statement: cst.BaseSmallStatement) -> str:
    """The package that a line imports from; empty where it is the project's own."""
    if isinstance(statement, cst.Import):
        return (dotted_name(statement.names[0].name) or "").partition(".")[0]
    if isinstance(statement, cst.ImportFrom) and statement.module is not None and not statement.relative:
        return (dotted_name(statement.module) or "").partition(".")[0]
    return ""
