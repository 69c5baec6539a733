"""Calls that the project has configured to use in place of functions of ``torch.cuda``."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.names.resolution import origin
from devlint.core.diagnostic import Edit
from devlint.core.target import ConfiguredCall
from devlint.fixes.project_imports import project_imports
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext


def configured_call(ctx: FileContext, call: cst.Call) -> ConfiguredCall | None:
    """The configured call that replaces ``call``."""
    if not ctx.target.calls:
        return None
    called = origin(ctx, call.func)
    return next((one for one in ctx.target.calls if one.function == called), None)


def configured_call_edits(ctx: FileContext, call: cst.Call, own: ConfiguredCall) -> tuple[Edit, ...] | None:
    """The edits that replace ``call`` by the configured one, with its imports."""
    text = own.written(", ".join(edits.argument_text(ctx, arg) for arg in call.args))
    lines = [] if own.line is None else [own.line]
    device, device_line = ctx.target.device, ctx.target.device_import
    root = re.match(r"\w+", device or "")
    if root is not None and device_line is not None and re.search(rf"\b{root.group()}\b", own.expression):
        lines.append(device_line)
    imports = project_imports(ctx, lines)
    edit = replace_expression(ctx, call, text) if text is not None else None
    return None if edit is None or imports is None else (edit, *imports)
