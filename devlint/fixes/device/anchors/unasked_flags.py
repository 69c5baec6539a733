"""Flags that a function is given, or an instance keeps, while nothing there asks whether they hold."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.changing_flags import is_target
from devlint.analysis.guards.cuda_flags import Condition
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, has_unknown_base, method_of, self_name
from devlint.analysis.names.resolution import attributes_named, bindings, is_none, targets_named, uses_of
from devlint.fixes.device.anchors.instance_flag_anchor import family_of
from devlint.syntax.comparisons import compared_values
from devlint.syntax.file_context import FileContext

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
