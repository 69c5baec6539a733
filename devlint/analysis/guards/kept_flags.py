"""Flags that ``__init__`` is given and keeps on the instance: ``self.use_cuda = use_cuda``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.condition_text import is_strict_flag
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.resolution import attributes_named, bindings, targets_named
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext


def kept_flag(ctx: FileContext, flag: str, at: cst.CSTNode) -> str | None:
    """``self.use_cuda`` for ``use_cuda`` below ``self.use_cuda = use_cuda``, where other methods ask for it, too.

    And so ``self.args.cuda`` for ``args.cuda`` below ``self.args = args``.
    """
    method = method_of(ctx, at)
    if method is None or method.name.value != "__init__" or not isinstance(method.body, cst.IndentedBlock):
        return None
    instance, root = self_name(method), flag.partition(".")[0]
    scope, found = bindings(ctx, root, at)
    if root == instance or any(scopes(ctx).binder(root, one) is scope for one in targets_named(ctx, flag)):
        return None
    if len(found) != 1 or found[0].how is not How.PARAMETER:
        return None
    for line in method.body.body:
        if ctx.span(line).end > ctx.span(at).start or not isinstance(line, cst.SimpleStatementLine):
            continue
        for small in line.body:
            kept = _kept(small, flag) if isinstance(small, cst.Assign) else None
            if kept is not None and kept.partition(".")[0] == instance and _asked_elsewhere(ctx, kept, method):
                return kept
    return None


def _kept(assign: cst.Assign, flag: str) -> str | None:
    """What a flag is called on the instance, where an assignment keeps it, or what it is a part of, there."""
    target, value = dotted_name(assign.targets[0].target), dotted_name(assign.value)
    if target is None or value is None or target.count(".") != 1 or len(assign.targets) > 1:
        return None
    return target + flag.removeprefix(value) if flag == value or flag.startswith(f"{value}.") else None


def _asked_elsewhere(ctx: FileContext, kept: str, init: cst.FunctionDef) -> bool:
    """Whether another method of the class reads an attribute, and by its name it is a flag."""
    definition = class_of(ctx, init.body)
    return any(
        dotted_name(one) == kept and method_of(ctx, one) is not init and is_strict_flag(ctx, one)
        for one in attributes_named(ctx, kept.rpartition(".")[2])
        if class_of(ctx, one) is definition
    )
