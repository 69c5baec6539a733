"""What may give a flag of the module another value after a device was built from it, where functions ask for it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.guards.changing_flags import is_target
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.string_literals import entry_key
from devlint.analysis.owners.named_at_run_time import set_by_any_name, setters_by_any_name
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.analysis.project.exports import is_set_by_others
from devlint.core.lazy_regex import regex
from devlint.fixes.device.anchors.flag_changes import keys_asked
from devlint.syntax.file_context import FileContext, fact

_LATE = "flags.FLAGS"
"""The options of absl, which have no values before ``app.run``."""
_READS = regex(r"print|pprint|log|info|debug|write|dump|save|show|display|freeze|get|copy|items|keys|values|to_")
"""Methods of options that leave them as they are."""


def changes_later(ctx: FileContext, condition: str, dotted: str, scope: Scope, after: cst.CSTNode) -> bool:
    """Whether a flag of the module may get a value, or another one, below a statement or when a function is called."""
    root, _, rest = dotted.partition(".")
    if _is_set_by_others(ctx, dotted) or any(_is_late(ctx, one.value) for one in scope.bindings[root]):
        return True
    keys = {rest} if rest else keys_asked(condition, dotted)
    setters = {one for key in keys for one in _setters(ctx).get(key, ())} if keys else set()
    setters |= _setters_of_any(ctx) if keys else set()
    return bool(keys) and any(
        _runs_later(ctx, call, after)
        for call in ctx.fact(_calls_of).get(root, ())
        if _may_set(ctx, call, root, setters) and scopes(ctx).binder(root, call) is scope
    )


@fact
def _setters_of_any(ctx: FileContext) -> frozenset[str]:
    """The functions of the project that may give a parameter any attribute."""
    project, module = project_around(ctx), own_module(ctx)
    found = {one.function for one in set_by_any_name(project)}
    return frozenset(found | (setters_by_any_name(module) if module is not None else frozenset()))


def _is_set_by_others(ctx: FileContext, dotted: str) -> bool:
    """Whether another file sets a variable of this module, or an attribute of one: ``lib.options.cuda = False``."""
    project, (owner, _, name) = project_around(ctx), dotted.rpartition(".")
    if not owner:
        return is_set_by_others(project, project.path, name) is True
    last = owner.rpartition(".")[2]
    return any(one.owner.endswith(f".{last}") for one in set_from_outside(project, name) or ())


def _is_late(ctx: FileContext, value: cst.BaseExpression | None) -> bool:
    return isinstance(value, cst.Attribute) and (origin(ctx, value) or "").endswith(_LATE)


def _calls_of(ctx: FileContext) -> dict[str, list[cst.Call]]:
    """The calls of methods of variables, and those that are given one, by the variable."""
    found: dict[str, list[cst.Call]] = {}
    for call in ctx.tree.of_type(cst.Call):
        names = [one.value.value for one in call.args if isinstance(one.value, cst.Name)]
        names += [(dotted_name(call.func) or "").partition(".")[0]] if isinstance(call.func, cst.Attribute) else []
        for name in names:
            found.setdefault(name, []).append(call)
    return found


def _may_set(ctx: FileContext, call: cst.Call, root: str, setters: set[str]) -> bool:
    """Whether a call may set attributes or entries of what it is given, or whose method it is."""
    called = dotted_name(call.func) or ""
    if called.startswith(f"{root}."):
        return isinstance(ctx.tree.parent(call), cst.Expr) and _READS.match(called.rpartition(".")[2]) is None
    if any(one.keyword is not None and one.keyword.value == "namespace" for one in call.args):
        return True
    if called == "vars":
        used = ctx.tree.parent(call)
        return isinstance(used, cst.Subscript) or (isinstance(used, cst.Attribute) and used.attr.value == "update")
    return called == "setattr" or called.rpartition(".")[2] in setters


def _runs_later(ctx: FileContext, call: cst.Call, after: cst.CSTNode) -> bool:
    """Whether a call may run after a statement of the module, in which it is not."""
    if scopes(ctx).function_of(call) is not None:
        return True
    above = [one for one in ctx.tree.ancestors(call) if isinstance(one, (cst.For, cst.While))]
    return ctx.span(call).start > ctx.span(after).end or bool(above)


@fact
def _setters(ctx: FileContext) -> dict[str, set[str]]:
    """The functions that set an attribute or an entry of a parameter, by its name."""
    found: dict[str, set[str]] = {}
    for key, node in _written(ctx):
        root = (dotted_name(node.value) or "").partition(".")[0]
        scope = scopes(ctx).binder(root, node) if root else None
        if key and scope is not None and isinstance(scope.node, cst.FunctionDef):
            if any(one.how is How.PARAMETER for one in scope.bindings[root]):
                found.setdefault(key, set()).add(scope.node.name.value)
    return found


def _written(ctx: FileContext) -> Iterator[tuple[str | None, cst.Attribute | cst.Subscript]]:
    yield from ((one.attr.value, one) for one in ctx.tree.of_type(cst.Attribute) if is_target(ctx, one))
    yield from ((entry_key(one), one) for one in ctx.tree.of_type(cst.Subscript) if is_target(ctx, one))
