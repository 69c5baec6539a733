"""Defaults of options and parameters that name the backend of processes that communicate."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.string_literals import string_value
from devlint.syntax.file_context import FileContext

_OPTIONS = frozenset({"add_argument", "add_option", "option", "Option"})


def is_default_backend(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a value is the default of ``--dist-backend``, or of a parameter ``backend``."""
    return _is_option(ctx, node) or _is_parameter(ctx, node)


def _is_option(ctx: FileContext, node: cst.CSTNode) -> bool:
    arg = ctx.tree.parent(node)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) and arg.keyword is not None else None
    if not isinstance(call, cst.Call) or not isinstance(arg, cst.Arg) or arg.keyword is None:
        return False
    name = (dotted_name(call.func) or "").rpartition(".")[2]
    first = string_value(call.args[0].value) or ""
    return name in _OPTIONS and arg.keyword.value == "default" and "backend" in first


def _is_parameter(ctx: FileContext, node: cst.CSTNode) -> bool:
    """In a file that uses ``torch.distributed``."""
    parameter = ctx.tree.parent(node)
    named = isinstance(parameter, cst.Param) and "backend" in parameter.name.value.lower()
    return named and "distributed" in ctx.source.text
