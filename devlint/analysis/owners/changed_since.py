"""Whether a flag may have another value at a place than it had where a device was built from it."""

from __future__ import annotations

import ast
import re

import libcst as cst

from devlint.analysis.names.bindings import How
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.late_writes import LateWrite, late_writes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.attributes import set_by_instances
from devlint.analysis.project.calls import CALLS
from devlint.analysis.project.classes import inherits
from devlint.analysis.project.searches import search
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.python_tree.nodes import last_name, nodes_below
from devlint.torch_api.device_naming import holds_options

_ATTRIBUTE = regex(r"(?<![\w.])(?!torch\b|th\b|self\.\w+\b(?!\.))[A-Za-z_]\w*(?:\.\w+)*\.(\w+)\b(?!\s*[(.])")
"""An attribute of options. What may set a flag of the instance itself, ``sole_assignment`` says."""
_ENTRY = regex(r"\w\[[\"'](\w+)[\"']\]")
VARIABLE = regex(r"(?<![\w.\"'])[A-Za-z_]\w*")
"""A variable that a condition names."""
_HEADERS = (How.LOOP, How.WITH, How.EXCEPT)
"""How a name is bound by the head of a block."""
_SETS = (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.Element, cst.For, cst.AsName, cst.Del, cst.CompFor)
"""What an attribute stands in that gets a value."""


def may_say_otherwise(ctx: FileContext, condition: str, built: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether a condition may be asked in vain at ``at``: what it asks has another value since."""
    names = VARIABLE.findall(condition)
    if any(is_rebound(ctx, name, built, at) for name in names) or has_changed(ctx, condition, built, at):
        return True
    return is_set_again(ctx, condition, built) and not _keeps_own(ctx, condition, built, at)


def _keeps_own(ctx: FileContext, condition: str, built: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether two places of one method have nothing between them that may set what the instance keeps.

    Neither the method itself sets it below the first, nor does it call another one of the instance there, or give the
    instance to something. Calls of what the instance keeps, ``self.model(x)``, set nothing of it.
    """
    method = method_of(ctx, built)
    instance = self_name(method) if method is not None else None
    if method is None or instance is None or scopes(ctx).function_of(at) is not method:
        return False
    if scopes(ctx).function_of(built) is not method:
        return False
    if any(isinstance(one, (cst.For, cst.While)) for one in ctx.tree.ancestors(built)):
        return False
    start = ctx.span(built).end
    later = [one for one in ctx.tree.below(method) if isinstance(one, cst.Name) and ctx.span(one).start > start]
    if any(one.value == "super" or _may_set(ctx, one, instance, condition) for one in later):
        return False
    return not any(isinstance(one, (cst.Yield, cst.Await)) for one in ctx.tree.below(method))


def _may_set(ctx: FileContext, name: cst.Name, instance: str, condition: str) -> bool:
    """Whether a name is the instance where this is given away, or something that a condition asks of it is set."""
    owner = ctx.tree.parent(name)
    if name.value != instance or (isinstance(owner, cst.Attribute) and owner.attr is name):
        return False
    if not isinstance(owner, cst.Attribute):
        return True
    user, dotted = ctx.tree.parent(owner), f"{instance}.{owner.attr.value}"
    if isinstance(user, _SETS):
        return dotted in condition
    return isinstance(user, cst.Call) and user.func is owner and not targets_named(ctx, dotted)


def has_changed(ctx: FileContext, condition: str, built: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether options that a condition asks may have been given other values between two places.

    By another name (``opt = args; opt.cuda = False``), by a function that is called meanwhile, or from anywhere, where
    an instance or a module keeps the device.
    """
    asked = {*_ATTRIBUTE.findall(condition), *_ENTRY.findall(condition)}
    return any(_is_late(ctx, write, built, at) for one in asked for write in _writes(ctx, one))


def is_set_again(ctx: FileContext, condition: str, built: cst.CSTNode) -> bool:
    """Whether a flag of an instance, ``self.use_cuda``, may get another value than its method gave it above a place."""
    definition, method = class_of(ctx, built), method_of(ctx, built)
    instance = self_name(method) if method is not None else None
    if definition is None or instance is None:
        return False
    project, start = project_around(ctx), ctx.span(built).start
    for flag in re.findall(rf"(?<![\w.]){instance}\.(\w+)\b(?!\s*[(.])", condition):
        targets = [one for one in targets_named(ctx, f"{instance}.{flag}") if class_of(ctx, one) is definition]
        if any(_is_later(ctx, one, method, start) for one in targets):
            return True
        if not all(holds_options(one.owner.rpartition(".")[2]) for one in _writes(ctx, flag) if one.owner):
            return True
        heirs = (one for one in set_by_instances(project, flag) or () if one.in_class)
        if any(inherits(project, one.in_class, one.path, definition.name.value) for one in heirs):
            return True
    return False


def is_rebound(ctx: FileContext, name: str, built: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether a variable may have been given another value between two places."""
    scope = scopes(ctx).binder(name, built)
    found = scope.bindings[name] if scope is not None else []
    if scope is None or len(found) < 2:
        return False
    is_here = scopes(ctx).function_of(built) is scopes(ctx).function_of(at)
    if is_here and any(one.how in _HEADERS and _is_between(ctx, one.node, built, at) for one in found):
        return True
    if is_here and all(scopes(ctx).scope_of(one.node) is scope for one in found):
        return {*map(id, may_reach(ctx, scope, found, built))} != {*map(id, may_reach(ctx, scope, found, at))}
    start = ctx.span(built).start
    return any(ctx.span(one.node).start > start or scopes(ctx).scope_of(one.node) is not scope for one in found)


def _is_between(ctx: FileContext, node: cst.CSTNode, built: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether a node runs after one place and before, or in a loop around, another one."""
    if ctx.span(built).start < ctx.span(node).start < ctx.span(at).start:
        return True
    loops = (one for one in ctx.tree.ancestors(at) if isinstance(one, (cst.For, cst.While)))
    return any(ctx.tree.is_around(one, node) and not ctx.tree.is_around(one, built) for one in loops)


def _is_later(ctx: FileContext, target: cst.CSTNode, method: cst.FunctionDef | None, start: int) -> bool:
    """Whether a method gives a flag a value below a place of its own, or is another one that runs when it likes."""
    setter = method_of(ctx, target)
    if setter is method:
        return ctx.span(target).start > start
    return setter is None or setter.name.value != "__init__"


def _writes(ctx: FileContext, attribute: str) -> list[LateWrite]:
    known = ctx.fact(_known)
    if attribute not in known:
        known[attribute] = late_writes(project_around(ctx), own_module(ctx), attribute)
    return known[attribute]


def _known(ctx: FileContext) -> dict[str, list[LateWrite]]:
    """The answers so far, by attribute."""
    return {}


def _is_late(ctx: FileContext, write: LateWrite, built: cst.CSTNode, at: cst.CSTNode) -> bool:
    function, start, end = scopes(ctx).function_of(built), _last_line(ctx, built), _last_line(ctx, at)
    is_own, is_here = write.path == project_around(ctx).path, scopes(ctx).function_of(at) is function
    if write.joins and (is_here or function is None):
        return False
    if is_own and _is_in(ctx, function, write):
        is_above = is_here and write.line > end and not _is_repeated(ctx, at)
        return write.line > start and not is_above
    if write.is_first:
        return False
    if function is not None and not is_here:
        return True
    if not write.function:
        return False
    names = {write.function, *write.callers}
    lines = (line for name in names for line in _call_lines(ctx).get(name, ()))
    calls = [line for line in lines if _contains(ctx, function, line)]
    if function is not None:
        return any(one > start for one in calls)
    is_later = any(first <= one <= last for first, last in _function_lines(ctx) for one in calls)
    if not calls and not any(search(project_around(ctx), CALLS, one) for one in sorted(names)):
        return False
    above = [one for one in calls if one <= start] if not is_later else []
    return not above or len(above) < len(calls)


def _is_in(ctx: FileContext, function: cst.FunctionDef | None, write: LateWrite) -> bool:
    """Whether a function, or the module itself, holds a write."""
    return not write.function if function is None else _contains(ctx, function, write.line)


def _contains(ctx: FileContext, function: cst.FunctionDef | None, line: int) -> bool:
    return function is None or _line(ctx, ctx.span(function).start) <= line <= _last_line(ctx, function)


def _is_repeated(ctx: FileContext, at: cst.CSTNode) -> bool:
    return any(isinstance(one, (cst.For, cst.While)) for one in ctx.tree.ancestors(at))


@fact
def _call_lines(ctx: FileContext) -> dict[str, list[int]]:
    """The lines with calls of the file, by the last names of what is called."""
    module, found = own_module(ctx), dict[str, list[int]]()
    for one in nodes_below(module.tree) if module is not None else ():
        if isinstance(one, ast.Call):
            found.setdefault(last_name(one.func), []).append(one.lineno)
    return found


@fact
def _function_lines(ctx: FileContext) -> list[tuple[int, int]]:
    """The first and the last line of each function of the file."""
    module = own_module(ctx)
    nodes = nodes_below(module.tree) if module is not None else []
    functions = (one for one in nodes if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return [(one.lineno, one.end_lineno or one.lineno) for one in functions]


def _last_line(ctx: FileContext, node: cst.CSTNode) -> int:
    span = ctx.span(node)
    return _line(ctx, span.start + len(ctx.source.text[span.start : span.end].rstrip()))


def _line(ctx: FileContext, position: int) -> int:
    return ctx.source.text.count("\n", 0, position) + 1
