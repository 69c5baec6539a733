"""A flag kept on an instance (``self.use_cuda``): the device belongs beside it, in ``__init__``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.changing_flags import is_set_elsewhere, may_change_later
from devlint.analysis.guards.cuda_flags import Condition
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import (
    bases,
    class_of,
    has_unknown_base,
    method_of,
    methods_named,
    self_name,
)
from devlint.analysis.names.resolution import targets_named
from devlint.analysis.names.scopes import scopes
from devlint.fixes.device.placement import Anchor
from devlint.syntax.file_context import FileContext


def instance_anchor(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> Anchor | None:
    """The place in ``__init__`` after ``self.flag = …``, where ``self.device`` can be defined for all of a class.

    None where the class or an unknown base may have a ``device`` of its own, or where the flag changes later.
    """
    definition, method = class_of(ctx, at), method_of(ctx, at)
    instance = self_name(method) if method is not None else None
    if definition is None or method is None or instance is None or len(condition.names) != 1:
        return None
    flag = next(iter(condition.names))
    if flag.count(".") != 1 or flag.partition(".")[0] != instance or not _is_free(ctx, definition):
        return None
    init = next(iter(methods_named(ctx, definition, "__init__")), None)
    if init is None or self_name(init) != instance or not isinstance(init.body, cst.IndentedBlock):
        return None
    statement = _sole_assignment(ctx, flag, init.body)
    if statement is None or not _is_later(ctx, statement, init, method, at):
        return None
    if is_set_elsewhere(ctx, definition, flag.partition(".")[2]):
        return None
    return Anchor(scopes(ctx).opened_by(init), statement)


def _is_free(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether nothing in the file gives the class, its bases or its subclasses a ``device``."""
    family = [one for one in ctx.tree.of_type(cst.ClassDef) if one is definition or _is_kin(ctx, one, definition)]
    for one in family:
        if has_unknown_base(ctx, one):
            return False
        for node in ctx.tree.below(one.body):
            if isinstance(node, cst.Attribute) and node.attr.value == "device" and dotted_name(node) == "self.device":
                return False
            if isinstance(node, cst.FunctionDef) and node.name.value in ("device", "__setattr__", "__slots__"):
                return False
    return "__slots__" not in ctx.text_of(definition)


def _is_kin(ctx: FileContext, one: cst.ClassDef, other: cst.ClassDef) -> bool:
    return other.name.value in bases(ctx, one) or one.name.value in bases(ctx, other)


def _sole_assignment(ctx: FileContext, flag: str, block: cst.IndentedBlock) -> cst.CSTNode | None:
    """The top-level statement of ``__init__`` that sets the flag, if nothing else does."""
    targets = targets_named(ctx, flag)
    if len(targets) != 1:
        return None
    assign = ctx.tree.parent(targets[0])
    if not isinstance(assign, cst.Assign) or may_change_later(ctx, flag, assign.value):
        return None
    inside = {id(one) for one in ctx.tree.ancestors(targets[0])}
    found = next((one for one in block.body if id(one) in inside), None)
    return found if isinstance(found, cst.SimpleStatementLine) else None


def _is_later(
    ctx: FileContext, statement: cst.CSTNode, init: cst.FunctionDef, method: cst.FunctionDef, at: cst.CSTNode
) -> bool:
    """Whether ``at`` runs after the statement: further down in ``__init__``, or in a method not called before it."""
    if method is init:
        return ctx.span(at).start > ctx.span(statement).end
    for one in init.body.body:
        if one is statement:
            return True
        if any(isinstance(node, cst.Name) and node.value == method.name.value for node in ctx.tree.below(one)):
            return False
    return False
