"""Flags that ``__init__`` is given and keeps on the instance: ``self.use_cuda = use_cuda``."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.guards.changing_flags import is_target
from devlint.analysis.guards.condition_text import is_strict_flag
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, method_of, methods_named, self_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import attributes_named, bindings, targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.initializers import given_to_base, initialized_base
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.syntax.file_context import FileContext


def kept_flag(ctx: FileContext, flag: str, at: cst.CSTNode) -> str | None:
    """``self.use_cuda`` for ``use_cuda`` below ``self.use_cuda = use_cuda``, where other methods ask for it, too.

    And so ``self.args.cuda`` for ``args.cuda`` below ``self.args = args``.
    """
    method = method_of(ctx, at)
    if method is not None and flag.count(".") == 2 and flag.partition(".")[0] == self_name(method):
        return _kept_beside_options(ctx, flag, at)
    if method is None or method.name.value != "__init__" or not isinstance(method.body, cst.IndentedBlock):
        return None
    instance, root = self_name(method), flag.partition(".")[0]
    scope, found = bindings(ctx, root, at)
    if root == instance or any(scopes(ctx).binder(root, one) is scope for one in targets_named(ctx, flag)):
        return None
    if len(found) != 1 or found[0].how is not How.PARAMETER:
        return None
    above = [line for line in method.body.body if ctx.span(line).end <= ctx.span(at).start]
    return _kept_by(ctx, above, flag, method) or (_kept_by_base(ctx, flag, method) if above else None)


def _kept_by(ctx: FileContext, lines: Sequence[cst.CSTNode], flag: str, init: cst.FunctionDef) -> str | None:
    """What a flag is called on the instance, where one of some lines of ``__init__`` keeps it there."""
    for line in lines:
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            kept = _kept(small, flag) if isinstance(small, cst.Assign) else None
            if kept is not None and kept.partition(".")[0] == self_name(init) and _asked_elsewhere(ctx, kept, init):
                return kept
    return None


def _kept_by_base(ctx: FileContext, flag: str, init: cst.FunctionDef) -> str | None:
    """The same for a flag that ``__init__`` first gives to that of a base, which keeps it."""
    definition = class_of(ctx, init.body)
    base = initialized_base(ctx, definition) if definition is not None else None
    inner = next(iter(methods_named(ctx, base, "__init__")), None) if base is not None else None
    if inner is None or self_name(inner) != self_name(init):
        return None
    root, dot, rest = flag.partition(".")
    given = given_to_base(init, inner, root)
    bound = scopes(ctx).opened_by(inner).bindings.get(given or "", ())
    name = f"{given}{dot}{rest}"
    if given is None or len(bound) != 1 or any(class_of(ctx, one) is base for one in targets_named(ctx, name)):
        return None
    return _kept_by(ctx, statements(inner.body), name, inner)


def _kept_beside_options(ctx: FileContext, flag: str, at: cst.CSTNode) -> str | None:
    """``self.cuda`` for ``self.args.cuda``, where ``__init__`` keeps both, of the same options."""
    definition = class_of(ctx, at)
    init = next(iter(methods_named(ctx, definition, "__init__")), None) if definition is not None else None
    options, _, attribute = flag.rpartition(".")
    keeping = targets_named(ctx, options)
    assign = ctx.tree.parent(keeping[0]) if len(keeping) == 1 else None
    if init is None or not isinstance(assign, cst.Assign) or not isinstance(assign.value, cst.Name):
        return None
    if method_of(ctx, at) is init:
        return None
    _, found = bindings(ctx, assign.value.value, assign)
    if ctx.tree.parent(assign) not in statements(init.body) or [one.how for one in found] != [How.PARAMETER]:
        return None
    others = [one for one in statements(init.body) if one is not ctx.tree.parent(assign)]
    kept = _kept_by(ctx, others, f"{assign.value.value}.{attribute}", init)
    if kept is None or kept.rpartition(".")[2] != attribute or set_from_outside(project_around(ctx), attribute) != []:
        return None
    return kept if sum(is_target(ctx, one) for one in attributes_named(ctx, attribute)) == 1 else None


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
