"""Flags that a function is given, or an instance keeps, while nothing there asks whether they hold."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.changing_flags import is_target
from devlint.analysis.guards.cuda_flags import Condition
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, has_unknown_base, method_of, self_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import attributes_named, bindings, is_none, targets_named, uses_of
from devlint.fixes.device.anchors.instance_flag_anchor import family_of
from devlint.syntax.comparisons import compared_values
from devlint.syntax.file_context import FileContext
from devlint.torch_api.moves import MOVES

_TEXTS = (cst.SimpleString, cst.ConcatenatedString, cst.FormattedString)


def is_unasked(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> bool:
    """Whether the function or class around a place only keeps a flag, or asks which of several texts it is.

    What is placed there without asking is on CUDA whatever the flag says.
    """
    dotted = next(iter(condition.names)) if len(condition.names) == 1 else ""
    if dotted.isidentifier():
        return _is_parameter_unasked(ctx, dotted, at)
    method, definition = method_of(ctx, at), class_of(ctx, at)
    if method is None or definition is None or dotted.count(".") != 1 or dotted.partition(".")[0] != self_name(method):
        return False
    return _is_attribute_unasked(ctx, definition, dotted)


def is_wish_for_cuda(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether a place is in a method that only moves what the instance holds to CUDA, for those who call it.

    ``def to_cuda(self):`` is asked for where it is called, of an instance that was made with ``use_cuda=False``, too.
    """
    method = method_of(ctx, at)
    instance = self_name(method) if method is not None else None
    if method is None or instance is None or method.name.value.startswith("_"):
        return False
    lines = statements(method.body)
    smalls = [small for one in lines if isinstance(one, cst.SimpleStatementLine) for small in one.body]
    moves = [one for one in smalls if _moves_own(one, instance)]
    others = [one for one in smalls if one not in moves and not _is_text(one)]
    is_only = all(isinstance(one, cst.Return) and _is_own(one.value, instance) for one in others)
    is_only &= all(isinstance(one, cst.SimpleStatementLine) for one in lines)
    named = attributes_named(ctx, method.name.value)
    return bool(moves) and is_only and not any(dotted_name(one.value) == instance for one in named)


def _is_text(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.Expr) and isinstance(statement.value, cst.SimpleString)


def _is_own(value: cst.BaseExpression | None, instance: str) -> bool:
    return value is None or dotted_name(value) == instance


def _moves_own(statement: cst.CSTNode, instance: str) -> bool:
    """Whether a statement moves a part of the instance: ``self.net.cuda()``, ``self.net = self.net.cuda()``."""
    call = statement.value if isinstance(statement, (cst.Expr, cst.Assign)) else None
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute) or call.func.attr.value not in MOVES:
        return False
    return (dotted_name(call.func.value) or "").startswith(f"{instance}.")


def _is_parameter_unasked(ctx: FileContext, name: str, at: cst.CSTNode) -> bool:
    """Whether a parameter is only compared with texts, and kept on an instance that asks no more of it."""
    scope, found = bindings(ctx, name, at)
    if [one.how for one in found] != [How.PARAMETER]:
        return False
    uses = [one for one in uses_of(ctx, scope, name) if not _is_only_told_apart(ctx, one)]
    keeping = [_kept_as(ctx, one) for one in uses]
    definition = class_of(ctx, at)
    return not uses or (
        definition is not None and all(one is not None and _is_never_asked(ctx, definition, one) for one in keeping)
    )


def _is_attribute_unasked(ctx: FileContext, definition: cst.ClassDef, dotted: str) -> bool:
    """Whether the classes of a family keep a parameter under a name, and ask no more of either."""
    assigns = [ctx.tree.parent(one) for one in targets_named(ctx, dotted)]
    family = family_of(ctx, definition)
    given = [one.value for one in assigns if isinstance(one, cst.Assign) and class_of(ctx, one) in family]
    names = [one for one in given if isinstance(one, cst.Name)]
    return 0 < len(names) == len(given) and all(_is_parameter_unasked(ctx, one.value, one) for one in names)


def _kept_as(ctx: FileContext, read: cst.Name) -> str | None:
    """``self.gpu`` of ``self.gpu = gpu``."""
    assign = ctx.tree.parent(read)
    if not isinstance(assign, cst.Assign) or assign.value is not read or len(assign.targets) != 1:
        return None
    target, method = dotted_name(assign.targets[0].target) or "", method_of(ctx, assign)
    is_own = method is not None and target.count(".") == 1 and target.partition(".")[0] == self_name(method)
    return target if is_own else None


def _is_never_asked(ctx: FileContext, definition: cst.ClassDef, dotted: str) -> bool:
    """Whether no class of a family that the file shows reads an attribute but to tell texts apart."""
    family = family_of(ctx, definition)
    reads = (one for one in attributes_named(ctx, dotted.partition(".")[2]) if dotted_name(one) == dotted)
    own = [one for one in reads if class_of(ctx, one) in family and not is_target(ctx, one)]
    return all(_is_only_told_apart(ctx, one) for one in own) and not any(has_unknown_base(ctx, one) for one in family)


def _is_only_told_apart(ctx: FileContext, read: cst.CSTNode) -> bool:
    """Whether a flag is compared with texts and None: ``use_cuda is not None and use_cuda == "all"``."""
    parent = ctx.tree.parent(read)
    parent = ctx.tree.parent(parent) if isinstance(parent, cst.ComparisonTarget) else parent
    others = compared_values(parent) if isinstance(parent, cst.Comparison) else []
    return len(others) == 2 and any(isinstance(one, _TEXTS) or is_none(one) for one in others)
