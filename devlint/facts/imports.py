"""What torch is called at a place, and the import to add where it is called nothing."""

from __future__ import annotations

from typing import Optional

import libcst as cst

from devlint import edits
from devlint.context import FileContext
from devlint.diagnostic import Edit
from devlint.facts.placement import is_import, preamble
from devlint.facts.scopes import scopes


def torch_name(ctx: FileContext, at: cst.CSTNode) -> Optional[tuple[str, tuple[Edit, ...]]]:
    """What torch is called at ``at``, with the import to add where it is called nothing; None where that is taken."""
    table = scopes(ctx)
    for scope in table.enclosing(at):
        for name, found in scope.bindings.items():
            if all(one.origin == "torch" for one in found) and table.binder(name, at) is scope:
                local = scope is table.scope_of(at) and scope is not table.module
                if not local or ctx.span(found[0].node).start < ctx.span(at).start:
                    return name, ()
    if table.binder("torch", at) is not None:
        return None
    edit = _import_line(ctx, "import torch")
    return ("torch", (edit,)) if edit is not None else None


def _import_line(ctx: FileContext, line: str) -> Optional[Edit]:
    """The edit that adds an import: above the first import of torch, else below the import block."""
    for statement in ctx.module.body:
        if is_import(statement) and "torch" in ctx.text_of(statement):
            return edits.insert_line_before(ctx, statement, [line])
    anchor = preamble(ctx)
    if anchor is None:
        return None
    imports = [one for one in ctx.module.body if is_import(one)]
    first = imports[0] if imports else None
    if first is not None and "__future__" not in ctx.text_of(first):
        return edits.insert_line_before(ctx, first, [line])
    return edits.insert_line_after(ctx, first, [line]) if first is not None else anchor.insert(ctx, [line])


def project_import(ctx: FileContext, line: str) -> Optional[tuple[Edit, ...]]:
    """The edits that add the configured import unless the file has it."""
    wanted = " ".join(line.split())
    if any(is_import(one) and wanted in ctx.text_of(one) for one in ctx.module.body):
        return ()
    edit = _import_after(ctx, line)
    return (edit,) if edit is not None else None


def _import_after(ctx: FileContext, line: str) -> Optional[Edit]:
    imports = [one for one in ctx.module.body if is_import(one)]
    anchor = preamble(ctx)
    if imports:
        return edits.insert_line_after(ctx, imports[-1], [line])
    return anchor.insert(ctx, [line]) if anchor is not None else None


def imported_locally(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether torch is known at ``at`` by an import inside a function, and the module itself does without."""
    table = scopes(ctx)
    known = [
        scope
        for scope in table.enclosing(at)
        if any(one.origin == "torch" for found in scope.bindings.values() for one in found)
    ]
    return bool(known) and table.module not in known
