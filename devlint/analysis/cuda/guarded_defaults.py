"""Defaults that are CUDA only where there is CUDA, since the program gives them up elsewhere before it uses them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from devlint.analysis.cuda.literal_roles import LiteralRole, LiteralUse
from devlint.analysis.cuda.replaced_options import is_given_up_elsewhere
from devlint.analysis.devices.device_values import device_value
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.guards.implications import torch_says_cuda
from devlint.analysis.guards.questions import TORCH_SAYS_CUDA
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.program_options import program_option
from devlint.analysis.names.resolution import attributes_named, in_torch_device, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import is_script
from devlint.syntax.comparisons import joined_parts
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_options


def is_replaced_without_cuda(ctx: FileContext, use: LiteralUse) -> bool:
    """Whether a parameter or an option is the CPU, or not used, wherever the program uses it without CUDA."""
    places = sorted(_uses(ctx, use), key=lambda one: ctx.span(one).start)
    if not places and use.role is LiteralRole.OPTION and isinstance(use.owner, cst.Call):
        return is_given_up_elsewhere(ctx, use.owner)
    given_up = next((one for one in places if _gives_up(ctx, one)), None)
    used = [one for one in places if not _is_compared(ctx, one) and not any(guards_of(ctx, one, TORCH_SAYS_CUDA))]
    if given_up is None:
        return not used and any(any(guards_of(ctx, one, TORCH_SAYS_CUDA)) for one in places)
    start, function = ctx.span(_statement(ctx, given_up)).start, scopes(ctx).function_of(given_up)
    read = (one for one in used if not isinstance(ctx.tree.parent(one), cst.AssignTarget))
    return all(scopes(ctx).function_of(one) is not function or ctx.span(one).start >= start for one in read)


def is_taken_back(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a line below gives the variable that ``node`` is the value of the CPU where there is no CUDA.

    It may say so: ``if not torch.cuda.is_available(): warn("no CUDA")`` with ``device = "cpu"`` below. Or the variable
    of a function or script is only read where there is CUDA: ``kind if torch.cuda.is_available() else "cpu"``.
    """
    above = next((one for one in ctx.tree.ancestors(node) if isinstance(one, cst.BaseSmallStatement)), None)
    given = _looked_up(ctx, above) if isinstance(above, cst.Assign) else ()
    function = scopes(ctx).function_of(node)
    is_seen = function is not None or is_script(ctx)
    if given and is_seen and all(any(guards_of(ctx, one, TORCH_SAYS_CUDA)) for one in given):
        return True
    below = [one for one in given if ctx.span(one).start > ctx.span(node).end]
    return any(_gives_up(ctx, one) for one in below if scopes(ctx).function_of(one) is function)


def _uses(ctx: FileContext, use: LiteralUse) -> Sequence[cst.BaseExpression]:
    """Where a parameter is looked up or assigned to; for an option the attributes of ``args`` that are called so."""
    holder: cst.CSTNode | None = use.owner
    name = use.owner.name.value if isinstance(use.owner, cst.Param) else None
    if use.role is LiteralRole.OPTION:
        above = ctx.tree.parent(use.owner)
        holder = above if isinstance(above, (cst.Param, cst.Decorator)) else None
        option = program_option(use.owner) if isinstance(use.owner, cst.Call) else None
        name = above.name.value if isinstance(above, cst.Param) else option.destination if option is not None else None
        if name is None and option is None:
            return _looked_up(ctx, above)
    if name is None:
        return ()
    if holder is None:
        owned = ((one, dotted_name(one.value)) for one in attributes_named(ctx, name))
        return [one for one, owner in owned if owner is not None and holds_options(owner.rpartition(".")[2])]
    function = next((up for up in ctx.tree.ancestors(holder) if isinstance(up, (cst.FunctionDef, cst.Lambda))), None)
    return uses_of(ctx, scopes(ctx).opened_by(function), name) if function is not None else ()


def _looked_up(ctx: FileContext, statement: cst.CSTNode | None) -> Sequence[cst.BaseExpression]:
    """The uses of the name that ``device = kwargs.get("device", "cuda")`` gives a value, but for that one."""
    target = statement.targets[0].target if isinstance(statement, cst.Assign) and len(statement.targets) == 1 else None
    if not isinstance(target, cst.Name):
        return ()
    return [one for one in uses_of(ctx, scopes(ctx).binder(target.value, target), target.value) if one is not target]


def _is_compared(ctx: FileContext, place: cst.CSTNode) -> bool:
    """Whether a place only asks which device it is: a comparison, or the test of a choice."""
    for child, parent in ctx.tree.path_up(place):
        if isinstance(parent, cst.Comparison):
            return True
        if isinstance(parent, cst.Call) and child is not parent.func and dotted_name(parent.func) != "str":
            return False
        if isinstance(parent, (cst.If, cst.IfExp, cst.Assert)):
            return child is parent.test
        if isinstance(parent, (cst.BaseStatement, cst.BaseSmallStatement)):
            return False
    return False


def _gives_up(ctx: FileContext, place: cst.CSTNode) -> bool:
    """Whether the CPU is assigned to a place where there is no CUDA."""
    target = ctx.tree.parent(place)
    assign = ctx.tree.parent(target) if isinstance(target, cst.AssignTarget) else None
    if not isinstance(assign, cst.Assign):
        return False
    value = in_torch_device(ctx, assign.value)
    if isinstance(value, cst.IfExp):
        other = value.orelse if torch_says_cuda(ctx, value.test, True) else value.body
        return _is_cpu(ctx, other) and (
            torch_says_cuda(ctx, value.test, True) or torch_says_cuda(ctx, value.test, False)
        )
    owner = next((up for up in ctx.tree.ancestors(assign) if isinstance(up, (cst.If, cst.FunctionDef))), None)
    if not isinstance(owner, cst.If) or not _is_cpu(ctx, value):
        return False
    if any(up is owner.body for up in ctx.tree.ancestors(assign)):
        return _says_none(ctx, owner.test, ctx.text_of(place))
    above = _chain(ctx, owner) if isinstance(owner.orelse, cst.Else) else ()
    return any(torch_says_cuda(ctx, one.test, True) for one in above)


def _chain(ctx: FileContext, last: cst.If) -> Iterator[cst.If]:
    """An ``elif``, those before it, and their ``if``."""
    yield last
    for child, parent in ctx.tree.path_up(last):
        if not isinstance(parent, cst.If) or child is not parent.orelse:
            return
        yield parent


def _says_none(ctx: FileContext, test: cst.BaseExpression, name: str) -> bool:
    """Whether a test holds wherever there is no CUDA and ``name`` is CUDA."""
    parts = [*joined_parts(test, cst.Or)]
    if len(parts) > 1:
        return any(_says_none(ctx, one, name) for one in parts)
    parts = [*joined_parts(test, cst.And)]
    others = [one for one in parts if not torch_says_cuda(ctx, one, False)]
    return len(others) < len(parts) and all(name in ctx.text_of(one) for one in others)


def _is_cpu(ctx: FileContext, node: cst.BaseExpression) -> bool:
    value = device_value(ctx, node)
    return value is not None and not value.cuda


def _statement(ctx: FileContext, place: cst.CSTNode) -> cst.CSTNode:
    """The ``if`` or line that assigns to a place."""
    ups = ctx.tree.ancestors(place)
    return next((up for up in ups if isinstance(up, (cst.If, cst.SimpleStatementLine))), place)
